/**
 * Least squares: min ‖b − A x‖₂ for A of any shape.
 *
 * Source: Paige & Saunders 1982. In exact arithmetic the iterates of conjugate gradients on Aᵀ A x = Aᵀ b; more accurate if A is
 *   ill-conditioned.
 * For: rectangular or singular A. The residual norm never grows; `lsmr` brings down Aᵀ r steadily, and so may stop earlier.
 * Cost: a step is a product with A and one with Aᵀ, two norms and four updates; a vector like b, three like x. With a preconditioner M, a norm, an
 *   update and a vector more.
 */
import type { VectorInput } from '../operators/operator.js';
import {
  Bidiagonalization,
  type LeastSquaresOptions,
  rotation,
  type Transposable,
  transposeOf,
} from './bidiagonalize.js';
import { solveWith } from './iterate.js';
import type { Progress, System } from './method.js';
import { readNorm } from './norms.js';
import type { Reason, Solution } from './solution.js';

/**
 * Finds an x that minimizes ‖b − A x‖₂; from x = 0 and without a preconditioner, the shortest such x.
 *
 * @param A of any shape, with its transpose: the operator of a matrix
 * @param b length `A.rows`, in any space
 * @throws as `cg`
 *
 * @example
 * const { x, relativeResidual } = lsqr(A, b); // converged: A x = b, or Aᵀ (b − A x) = 0, to the tolerance
 */
export function lsqr(A: Transposable, b: VectorInput, options: LeastSquaresOptions = {}): Solution {
  return solveWith(lsqrSteps, A, b, options, transposeOf(A));
}

export function* lsqrSteps(system: System): Generator<Progress, Reason | undefined> {
  const { x, M, work } = system;
  const w = work.vector();
  const columns = new Bidiagonalization(system);
  const length = work.scalar();
  // Aᵀ r is a multiple of M v, which has norm 1 only without a preconditioner.
  const gradientNorm = (factor: number) => (M === undefined ? factor : factor * readNorm(columns.g, length));
  let [phiBar, rhoBar] = [columns.beta, columns.alpha];
  yield { iterations: 0, products: 2, residualNorm: phiBar, gradientNorm: gradientNorm(columns.alpha * columns.beta) };
  w.copyFrom(columns.v);
  while (columns.alpha > 0) {
    columns.advance();
    const { alpha, beta, v } = columns;
    if (columns.failure !== undefined) return columns.failure;
    const { cosine, sine, length: rho } = rotation(rhoBar, beta);
    const phi = cosine * phiBar;
    // Of an A whose inverse overflows.
    if (!Number.isFinite(phi / rho)) return 'not-finite';
    phiBar *= sine;
    rhoBar = -cosine * alpha;
    x.axpy(phi / rho, w);
    w.axpby(1, v, (-sine * alpha) / rho); // w ← v − (θ / ρ) w
    const norms = { residualNorm: phiBar, gradientNorm: gradientNorm(phiBar * alpha * Math.abs(cosine)) };
    yield { iterations: 1, products: 2, ...norms };
  }
  return columns.failure;
}
