/**
 * Names of a format on other threads than those of its default plan. In records of before 28 November 2026 a product of less than 100,000 entries and rows
 * was on one thread by default.
 */
const ONE = ' on one thread';
const SEVERAL = ' on several threads';

/** Returns the names of a layout's specs on one thread, where it has several by default. */
export const withOne = (specs) => specs.map((spec) => spec + ONE);

/** Returns the name of a format of a ranking among those that were timed, as `isTimed(name)` says, or undefined. */
export function nameOf({ spec, threads }, isTimed) {
  return [spec + (threads === 1 ? ONE : SEVERAL), spec].find(isTimed);
}

/** Returns the spec of a name, and the number of parts of its plan on so many threads: undefined if it has those of the default. */
export function wayOf(name, threads) {
  return { spec: name.replace(ONE, ''), parts: threads === 1 || name.endsWith(ONE) ? 1 : undefined };
}
