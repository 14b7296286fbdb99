/** Aᵀ as a matrix of its own. */
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { transposedEntries } from '../core/transpose.js';

/**
 * The transpose of a matrix, in canonical order, with new arrays. O(rows + cols + nnz), on the caller's thread. An operator's
 * `transposed()` uses all threads of its engine.
 *
 * @throws as `csrMatrix`
 */
export function transposeMatrix(input: MatrixInput): CsrMatrix {
  const { rows, cols, nnz, field, symmetry, ...arrays } = csrMatrix(input);
  const { ptr, idx, values } = transposedEntries({ rows, cols, nnz, ...arrays });
  return { rows: cols, cols: rows, nnz, rowPtr: ptr, colIdx: idx, values, field, symmetry };
}
