/**
 * The carry slot of a part: the row in which it ended, and the partial sum of that row, times α. Layout and further use:
 * `src/execution/carries.ts`. A kernel whose units may end inside a row always writes one slot per call.
 */

export function leaveCarry(slot: usize, row: u32, sum: f64): void {
  store<u32>(slot, row);
  store<f64>(slot, sum, 8);
}
