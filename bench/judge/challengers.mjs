/** Formats that seem faster than the chosen one, and meet it again. */

/** By this factor; so many meet the chosen one at a time. */
export const WORTH = 1.05;
const CHALLENGERS = 3;

/** The fastest of them first. */
export function challengersOf(formats, chosen) {
  return formats
    .filter(({ ms }) => WORTH * ms < chosen.ms)
    .sort((a, b) => a.ms - b.ms)
    .slice(0, CHALLENGERS);
}
