/** Light and dark pictures: one set of colours for each, or both, of which the reader's page takes one. */

/** `auto` follows the colour scheme of the page. */
export type Scheme = 'auto' | 'light' | 'dark';
export const SCHEMES: readonly Scheme[] = ['auto', 'light', 'dark'];

interface Styled {
  readonly className: string;
  /** A style element. */
  readonly style: string;
}

/**
 * A style element whose rules hold within elements of one class, so that pictures of any scheme share a page.
 *
 * @param light rules, each with a selector below the element (`path{stroke:#123a6b}`), or with none for the element itself.
 *   Those of `dark` change some of them
 */
export function styled(name: string, scheme: Scheme, light: readonly string[], dark: readonly string[]): Styled {
  const className = `${name}-${scheme}`;
  const within = (rules: readonly string[]) =>
    rules.map((rule) => `.${className}${rule.startsWith('{') ? '' : ' '}${rule}`).join('');
  const changed = within(dark);
  const rules = { auto: `@media(prefers-color-scheme:dark){${changed}}`, light: '', dark: changed };
  return { className, style: `<style>${within(light)}${rules[scheme]}</style>` };
}

/** Text between tags and in quotes of SVG and HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
