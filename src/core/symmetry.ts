/** Whether a matrix equals its transpose, by its entries. */
import type { CsrMatrix } from './csr.js';
import type { FloatArray } from './types.js';

/**
 * Whether A = Aᵀ: the patterns, explicit zeros included, or with `'values'` the values too, exactly. NaN differs from NaN. False for a
 * matrix that is not square. O(rows + nnz).
 *
 * One cursor per row, which only advances, is at the first entry that is not yet the mirror image of one in an earlier row. Rows are visited in
 * ascending order, so that in row i it is at the diagonal or behind it, or an entry before it has no mirror image.
 */
export function equalsTranspose(
  {
    rows,
    cols,
    rowPtr,
    colIdx,
    values,
  }: Pick<CsrMatrix, 'rows' | 'cols' | 'rowPtr' | 'colIdx'> & { readonly values?: FloatArray },
  what: 'pattern' | 'values',
): boolean {
  if (rows !== cols) return false;
  const compared = what === 'values' ? values : undefined;
  const cursor = rowPtr.slice(0, rows);
  for (let i = 0; i < rows; i++) {
    for (let k = cursor[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      // Behind the diagonal the next mirror image in row j is that of row i; on it, an entry is its own; before it, there is none.
      const mirror = j === i ? k : cursor[j]!++;
      if (j < i || mirror >= rowPtr[j + 1]! || colIdx[mirror] !== i) return false;
      if (compared !== undefined && compared[mirror] !== compared[k]) return false;
    }
  }
  return true;
}
