const { SPARLANE_SOAK, SPARLANE_AGAIN } = process.env;

/** Whether the tests try all their cases, as in `npm run test:all`. */
export const isSoak = SPARLANE_SOAK === '1';

/** Whether the conformance suite is run in full also where `npm test` runs it briefly, as in CI. */
export const isFull = isSoak || SPARLANE_SOAK === 'conformance';

/** The number of cases that a random test or a soak test tries: a few in `npm test`. */
export function fewOrAll(few: number, all: number): number {
  return isSoak ? all : few;
}

/** Whether CI runs the class `node` in full on another version of Node: here what differs in nothing between versions is tried in a few cases. */
export const isAgain = SPARLANE_AGAIN === '1';

/** All cases; where another version of Node tries them all, every `step`-th one, from the last back. */
export function allOrAgain<T>(all: readonly T[], step: number = all.length): readonly T[] {
  return isAgain ? all.filter((_, k) => (all.length - 1 - k) % step === 0) : all;
}
