/** The heaviest group of consecutive rows, which one thread computes. */
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
