/** The matrix that an operation has computed. */
import type { CsrMatrix } from '../core/csr.js';

/** @param arrays canonical; `symmetry`: default `general` */
export function newMatrix(
  arrays: Pick<CsrMatrix, 'rows' | 'cols' | 'rowPtr' | 'colIdx' | 'values'> & Partial<Pick<CsrMatrix, 'symmetry'>>,
): CsrMatrix {
  return { symmetry: 'general', field: 'real', nnz: arrays.colIdx.length, ...arrays };
}
