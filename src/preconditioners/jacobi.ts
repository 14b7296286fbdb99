/**
 * Jacobi's preconditioner: M is the diagonal of A.
 *
 * For: matrices whose diagonal varies. It costs a multiplication per element, and no set-up but the diagonal.
 */
import { diagonalPlaces } from '../algebra/diagonal.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import type { Space } from '../memory/space.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { DiagonalPreconditioner, reciprocalDiagonal } from './diagonal.js';
import type { Preconditioner, PreconditionerKind, Preparation } from './preconditioner.js';

export const JACOBI: PreconditionerKind = {
  name: 'jacobi',
  summary: 'the diagonal',
  source: 'Jacobi 1845; Saad 2003, §10.2',
  suits: 'any matrix without zeros on its diagonal; any device',
  parameters: {},
  matrices: 'square',
  isSymmetric: true,
  isOfDiagonal: true,
  prepare: ({ space }, preparation) => prepare(space, preparation, 'matrix'),
};

function prepare(space: Space, preparation: Preparation, what: string): Preconditioner {
  const places = diagonalPlaces(preparation.matrix);
  const compute = (values: FloatArray) => reciprocalDiagonal(what, places, values);
  return new DiagonalPreconditioner(space, preparation, compute, compute(preparation.matrix.values));
}

/**
 * z ← D⁻¹ r, for D the diagonal of A.
 *
 * @throws SparlaneError `shape` for a matrix that is not square; `structure` if an element of the diagonal is zero, missing or not
 *   finite; `heap` if it does not fit
 */
export function jacobi(A: MatrixOperator): Preconditioner {
  if (!(A instanceof MatrixOperator)) throw mismatch('argument', 'A', 'the operator of a matrix', A);
  if (A.rows !== A.cols) throw mismatch('shape', 'A', 'as many rows as columns', `${A.rows} × ${A.cols}`);
  const start = performance.now();
  return prepare(A.space, { matrix: A.toCsr(), dtype: A.matrix.dtype, spec: 'jacobi', start }, 'A');
}
