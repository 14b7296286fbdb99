/** Whether a matrix is symmetric, by its entries. */
import type { CsrMatrix } from '../core/csr.js';

/** Whether A = Aᵀ exactly. One pass over the entries, in the order of both: linear in their number. */
export function hasSymmetricValues({ rows, cols, rowPtr, colIdx, values }: CsrMatrix): boolean {
  if (rows !== cols) return false;
  // The entries of column j that were met so far are those of row j, from its begin on.
  const next = rowPtr.slice(0, rows);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const j = colIdx[k]!;
      const mirrored = next[j]!++;
      if (mirrored >= rowPtr[j + 1]! || colIdx[mirrored] !== i || values[mirrored] !== values[k]) return false;
    }
  }
  return true;
}
