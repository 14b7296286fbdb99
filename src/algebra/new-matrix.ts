/** The matrix that an operation has computed. */
import type { CsrMatrix } from '../core/csr.js';
import { trust } from '../core/trusted.js';

/** @param arrays canonical; `symmetry`: default `general` */
export function newMatrix(
  arrays: Pick<CsrMatrix, 'rows' | 'cols' | 'rowPtr' | 'colIdx' | 'values'> & Partial<Pick<CsrMatrix, 'symmetry'>>,
): CsrMatrix {
  return trust({ symmetry: 'general', field: 'real', nnz: arrays.colIdx.length, ...arrays });
}
