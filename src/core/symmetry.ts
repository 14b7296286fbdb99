/** Whether a matrix equals its transpose, by its entries. */
import type { CsrMatrix } from './csr.js';

/**
 * Whether A = Aᵀ: the patterns, explicit zeros included, or with `'values'` the values too, exactly. NaN differs from NaN. False for a
 * matrix that is not square. O(rows + nnz).
 *
 * One cursor per row, which only advances, finds each mirror image, since rows are visited in ascending order.
 */
export function equalsTranspose(
  { rows, cols, rowPtr, colIdx, values }: CsrMatrix,
  what: 'pattern' | 'values',
): boolean {
  if (rows !== cols) return false;
  const compared = what === 'values' ? values : undefined;
  const cursor = rowPtr.slice(0, rows);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      // If no mirror image was missing so far, the next one in row j is that of row i.
      const mirror = cursor[colIdx[k]!]!++;
      if (mirror >= rowPtr[colIdx[k]! + 1]! || colIdx[mirror] !== i) return false;
      if (compared !== undefined && compared[mirror] !== compared[k]) return false;
    }
  }
  return true;
}
