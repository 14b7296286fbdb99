/** The limit of padding. */
import { mismatch } from '../../core/errors.js';

/** Up to this many stored entries, half a megabyte, any share of padding is accepted. */
const SMALL = 2 ** 16;

/** @throws SparlaneError `fill-in` if more than `maxFill` entries would be stored per entry of the matrix */
export function checkFill(name: string, storedEntries: number, nnz: number, maxFill: number): void {
  if (storedEntries <= SMALL || storedEntries <= maxFill * nnz) return;
  const factor = Number((storedEntries / nnz).toPrecision(3));
  const expected = `at most ${maxFill} stored entries per entry of the matrix (maxFill)`;
  throw mismatch('fill-in', name, expected, factor, { factor, maxFill, storedEntries, nnz });
}
