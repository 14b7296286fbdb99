/**
 * The carry slot of a part: the row that it ended in, and the sum of that row so far, times α. Layout and what becomes of
 * it: `src/execution/carries.ts`. A kernel whose units may end amid a row leaves one slot per call, always.
 */

/** The part ended with its last row complete. */
export const NO_ROW: u32 = 0xffffffff;

export function leaveCarry(slot: usize, row: u32, sum: f64): void {
  store<u32>(slot, row);
  store<f64>(slot, sum, 8);
}
