/**
 * Names of a format on other threads than those of its default plan: a small product stays on the caller's thread by default, though several
 * may be faster, and a larger one has all.
 */
const ONE = ' on one thread';
const SEVERAL = ' on several threads';

/** The names of a layout's specs in the ways in which it is computed. */
export const withOne = (specs) => specs.map((spec) => spec + ONE);
export const withSeveral = (specs) => specs.map((spec) => spec + SEVERAL);

/** The name of a format of a ranking among those that were timed: `isTimed(name)`. Undefined if none was. */
export function nameOf({ spec, threads, parts }, isTimed) {
  const other = spec + (parts === undefined && threads === 1 ? ONE : SEVERAL);
  if ((threads === 1 || parts !== undefined) && isTimed(other)) return other;
  return isTimed(spec) ? spec : undefined;
}

/** The spec of a name, and how it is planned on so many threads. */
export function wayOf(name, threads) {
  const spec = name.replace(ONE, '').replace(SEVERAL, '');
  if (threads === 1 || name.endsWith(ONE)) return { spec, parts: 1 };
  return { spec, isShared: name.endsWith(SEVERAL) };
}
