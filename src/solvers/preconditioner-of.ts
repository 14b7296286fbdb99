/** The preconditioners that `solve` knows by name, and those that it chooses. */
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Engine } from '../operators/engine.js';
import type { LinearOperator } from '../operators/operator.js';
import { jacobi } from '../preconditioners/jacobi.js';

export const PRECONDITIONER_NAMES: readonly string[] = ['jacobi'];

/** By the kind of the matrix, best first: one that refuses the matrix is passed over. */
export const PREFERRED: Readonly<Record<'definite' | 'general', readonly string[]>> = {
  definite: ['jacobi'],
  general: ['jacobi'],
};

/** @throws SparlaneError `argument` for an unknown name; `structure` if the matrix has no such preconditioner; `heap` */
export function preconditionerOf(engine: Engine, matrix: CsrMatrix, spec: string): LinearOperator {
  if (!PRECONDITIONER_NAMES.includes(spec))
    throw mismatch('argument', 'preconditioner', [...PRECONDITIONER_NAMES, 'none'].join(' | '), spec);
  using A = engine.operator(matrix, { format: 'csr' });
  return jacobi(A);
}
