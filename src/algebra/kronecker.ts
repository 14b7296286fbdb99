/** The Kronecker product. */
import { integer } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import type { Symmetry } from '../core/types.js';
import { newMatrix } from './new-matrix.js';

/**
 * A ⊗ B: every entry of A times all of B, a.rows · b.rows × a.cols · b.cols.
 *
 * @throws SparlaneError `argument` for more than 2³² − 1 rows, columns or entries; and as `csrMatrix`
 */
export function kroneckerProduct(a: MatrixInput, b: MatrixInput): CsrMatrix {
  const [left, right] = [csrMatrix(a), csrMatrix(b)];
  const rows = integer('rows of the product', left.rows * right.rows);
  const cols = integer('columns of the product', left.cols * right.cols);
  const nnz = integer('entries of the product', left.nnz * right.nnz);
  const rowPtr = new Uint32Array(rows + 1);
  const colIdx = new Uint32Array(nnz);
  const values = new Float64Array(nnz);
  let write = 0;
  for (let row = 0; row < rows; row++) {
    const i = Math.floor(row / right.rows);
    const p = row % right.rows;
    for (let k = left.rowPtr[i]!; k < left.rowPtr[i + 1]!; k++) {
      const first = left.colIdx[k]! * right.cols;
      for (let m = right.rowPtr[p]!; m < right.rowPtr[p + 1]!; m++) {
        colIdx[write] = first + right.colIdx[m]!;
        values[write++] = left.values[k]! * right.values[m]!;
      }
    }
    rowPtr[row + 1] = write;
  }
  return newMatrix({ rows, cols, rowPtr, colIdx, values, symmetry: symmetryOfKronecker(left, right) });
}

export function symmetryOfKronecker(a: CsrMatrix, b: CsrMatrix): Symmetry {
  return a.symmetry === 'symmetric' && b.symmetry === 'symmetric' ? 'symmetric' : 'general';
}
