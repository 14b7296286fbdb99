/** The rows, and the group of consecutive ones, that have so many entries that they decide how long the busiest thread takes, or what a layout stores. */
import type { CsrMatrix } from '../../core/csr.js';

/** Returns the most entries and rows, added up, of a group of `size` consecutive rows; groups begin at row 0. */
export function heaviestGroup({ rows, rowPtr }: CsrMatrix, size: number): number {
  let most = 0;
  for (let first = 0; first < rows; first += size) {
    const end = Math.min(first + size, rows);
    most = Math.max(most, rowPtr[end]! - rowPtr[first]! + end - first);
  }
  return most;
}

/**
 * Returns the rows with more than so many entries, in ascending order.
 *
 * @param longestRow the entries of the longest row, if they are known: no row is looked at if even this one has not more
 */
export function rowsLongerThan(
  { rows, rowPtr }: CsrMatrix,
  least: number,
  longestRow: number = Number.POSITIVE_INFINITY,
): number[] {
  const found: number[] = [];
  if (longestRow <= least) return found;
  for (let row = 0; row < rows; row++) if (rowPtr[row + 1]! - rowPtr[row]! > least) found.push(row);
  return found;
}
