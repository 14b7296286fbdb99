/** Whether an operator that is known by its products only is symmetric: by two products with random vectors. */
import type { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';
import { Workspace } from '../solvers/workspace.js';
import { drawVector } from './random.js';

/** xᵀ A y and yᵀ A x of random vectors differ by at most this share of ‖A x‖ ‖y‖, in units of rounding, if A is symmetric. Chosen. */
const SYMMETRY_ROUNDINGS = 1e6;

/** True, too, where products are not finite: what uses them finds that. */
export function isSymmetricBySample(A: LinearOperator): boolean {
  using work = new Workspace(A);
  const [x, y, Ax, Ay] = work.vectors(4) as [Vector, Vector, Vector, Vector];
  const scalar = work.scalar();
  drawVector(x, 997);
  drawVector(y, 998);
  A.apply(x, Ax);
  A.apply(y, Ay);
  const difference = Math.abs(Ax.dot(y, scalar).value - Ay.dot(x, scalar).value);
  const size = Ax.norm(scalar).value * y.norm(scalar).value;
  const unit = A.vectorType === Float32Array ? 2 ** -23 : Number.EPSILON;
  return !(difference > SYMMETRY_ROUNDINGS * unit * size);
}
