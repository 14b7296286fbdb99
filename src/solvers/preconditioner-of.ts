/** The preconditioners that `solve` knows by name, and those that it chooses. */
import { oneOf } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import type { Engine } from '../operators/engine.js';
import type { LinearOperator } from '../operators/operator.js';
import { jacobi } from '../preconditioners/jacobi.js';

export const PRECONDITIONER_NAMES: readonly string[] = ['jacobi'];

/** Whether M is symmetric for a symmetric A, as cg and minres need it. */
export function isSymmetricName(spec: string): boolean {
  return spec === 'jacobi';
}

/** By the kind of the matrix, best first: one that refuses the matrix is passed over. */
export const PREFERRED: Readonly<Record<'definite' | 'general', readonly string[]>> = {
  definite: ['jacobi'],
  general: ['jacobi'],
};

/** The spec, or `none`, if there is such a preconditioner. @throws SparlaneError `argument` */
export function checkPreconditioner(spec: string): string {
  return oneOf('preconditioner', spec, [...PRECONDITIONER_NAMES, 'none']);
}

/** @throws SparlaneError `argument` for an unknown name; `structure` if the matrix has no such preconditioner; `heap` */
export function preconditionerOf(engine: Engine, matrix: CsrMatrix, spec: string): LinearOperator {
  checkPreconditioner(spec);
  using A = engine.operator(matrix, { format: 'csr' });
  return jacobi(A);
}
