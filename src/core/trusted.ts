/**
 * Matrices that need no further check: the library made them, or has checked them. A matrix is validated in time of two to four products of
 * its own, so once is enough. Such a matrix is frozen; of its arrays only the lengths are looked at again, since a transfer
 * to another thread empties them.
 */
import type { CsrMatrix } from './csr.js';

/** Returns the matrix of each trusted object. */
const TRUSTED = new WeakMap<object, () => CsrMatrix>();

/** @param matrix canonical, in memory that lives as long as it does */
export function trust(matrix: CsrMatrix): CsrMatrix {
  trustOwner(Object.freeze(matrix), () => matrix);
  return matrix;
}

/** Trusts an object that owns a matrix. @param matrixOf returns the matrix, which is canonical, or throws if the object no longer owns it */
export function trustOwner(owner: object, matrixOf: () => CsrMatrix): void {
  TRUSTED.set(owner, matrixOf);
}

/** Returns this very matrix, or that of its owner, if it was trusted and still has its arrays. */
export function trusted(matrix: unknown): CsrMatrix | undefined {
  // What is no object is no key of the map.
  const csr = TRUSTED.get(matrix as object)?.();
  if (csr === undefined) return undefined;
  const { rows, nnz, rowPtr, colIdx, values } = csr;
  return rowPtr.length === rows + 1 && colIdx.length === nnz && values.length === nnz ? csr : undefined;
}
