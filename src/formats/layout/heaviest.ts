/** The work of rows that one thread computes. */
import type { CsrMatrix } from '../../core/csr.js';

/** Returns the entries and rows of the group with most of them, of groups of so many rows from the first row on. */
export function heaviestGroup({ rows, rowPtr }: CsrMatrix, size: number): number {
  let most = 0;
  for (let first = 0; first < rows; first += size) {
    const end = Math.min(first + size, rows);
    most = Math.max(most, rowPtr[end]! - rowPtr[first]! + end - first);
  }
  return most;
}
