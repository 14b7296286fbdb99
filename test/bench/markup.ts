/** Checks HTML and SVG as text. */

/** Tags without their partner, in the order found. */
export function unbalanced(markup: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  const withoutStyle = markup.replace(/<style>.*?<\/style>/gs, '').replace('<!doctype html>', '');
  for (const [, close, name, inside] of withoutStyle.matchAll(/<(\/?)([a-zA-Z][\w-]*)((?:[^<>"]|"[^"]*")*)>/g)) {
    if (inside!.endsWith('/')) continue;
    if (close === '') open.push(name!);
    else if (open.pop() !== name) faults.push(name!);
  }
  return [...faults, ...open];
}
