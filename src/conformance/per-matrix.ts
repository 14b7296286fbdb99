/** The suite needs some things of a matrix once for each dtype, whatever the format and the backend: this file keeps them. */
import type { CsrMatrix } from '../core/csr.js';
import type { Dtype } from '../core/types.js';
import type { DataKind } from './matrices.js';

/** A function that calls `compute` once for each matrix and dtype, and then returns what it returned. */
export function perMatrix<T>(
  compute: (matrix: CsrMatrix, dtype: Dtype, kind: DataKind) => T,
): (matrix: CsrMatrix, dtype: Dtype, kind: DataKind) => T {
  const known = new WeakMap<CsrMatrix, Map<Dtype, T>>();
  return (matrix, dtype, kind) => {
    const ofMatrix = known.get(matrix) ?? new Map<Dtype, T>();
    known.set(matrix, ofMatrix);
    const found = ofMatrix.get(dtype) ?? compute(matrix, dtype, kind);
    ofMatrix.set(dtype, found);
    return found;
  };
}
