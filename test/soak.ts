/** Whether the tests try all their cases, as in CI and in `npm run test:all`. */
export const isSoak = process.env.SPARLANE_SOAK === '1';

/** The number of cases that a random test or a soak test tries: a few in `npm test`. */
export function fewOrAll(few: number, all: number): number {
  return isSoak ? all : few;
}
