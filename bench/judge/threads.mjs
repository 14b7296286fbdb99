/**
 * Names of a format on other threads than those of its default plan. In records of before 28 November 2026 a product of less than 100,000 entries and rows
 * was on one thread by default.
 */
const ONE = ' on one thread';
const SEVERAL = ' on several threads';

/** The names of a layout's specs on one thread, though it has several by default. */
export const withOne = (specs) => specs.map((spec) => spec + ONE);

/** The name of a format of a ranking among those that were timed: `isTimed(name)`. Undefined if none was. */
export function nameOf({ spec, threads }, isTimed) {
  return [spec + (threads === 1 ? ONE : SEVERAL), spec].find(isTimed);
}

/** The spec of a name, and the parts of its plan on so many threads; undefined: as by default. */
export function wayOf(name, threads) {
  return { spec: name.replace(ONE, ''), parts: threads === 1 || name.endsWith(ONE) ? 1 : undefined };
}
