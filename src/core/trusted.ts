/**
 * Matrices that need no further check: the library made them, or has checked them. A matrix is validated in time of two to four products of
 * its own, so once is enough. Such a matrix is frozen; of its arrays only the lengths are looked at again, since a transfer
 * to another thread empties them.
 */
import type { CsrMatrix } from './csr.js';

const TRUSTED = new WeakSet<object>();

/** @param matrix canonical, in memory that lives as long as it does */
export function trust(matrix: CsrMatrix): CsrMatrix {
  TRUSTED.add(Object.freeze(matrix));
  return matrix;
}

/** Whether this very matrix was trusted, and still has its arrays. */
export function isTrusted(matrix: object): matrix is CsrMatrix {
  if (!TRUSTED.has(matrix)) return false;
  const { rows, nnz, rowPtr, colIdx, values } = matrix as CsrMatrix;
  return rowPtr.length === rows + 1 && colIdx.length === nnz && values.length === nnz;
}
