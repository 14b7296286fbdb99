/**
 * Least squares: min ‖b − A x‖₂ for A of any shape.
 *
 * Source: Paige & Saunders 1982. In exact arithmetic the iterates of conjugate gradients on Aᵀ A x = Aᵀ b; more accurate if A is
 *   ill-conditioned.
 * For: rectangular or singular A. The residual norm never grows; `lsmr` brings down Aᵀ r steadily, and so may stop earlier.
 * Cost: a step is a product with A and one with Aᵀ, two norms and four updates; a vector like b, three like x.
 */
import { knownKeys } from '../core/checks.js';
import type { VectorLike } from '../operators/operator.js';
import {
  Bidiagonalization,
  LEAST_SQUARES_OPTIONS,
  type LeastSquaresOptions,
  rotation,
  type Transposable,
  transposeOf,
} from './bidiagonalize.js';
import { type Progress, type System, solveWith } from './iterate.js';
import type { Reason, Solution } from './solution.js';

/**
 * Finds an x that minimizes ‖b − A x‖₂; from x = 0, the shortest such x.
 *
 * @param A of any shape, with its transpose: the operator of a matrix
 * @param b length `A.rows`, in any space
 * @throws as `cg`
 *
 * @example
 * const { x, relativeResidual } = lsqr(A, b); // converged: A x = b, or Aᵀ (b − A x) = 0, to the tolerance
 */
export function lsqr(A: Transposable, b: VectorLike, options: LeastSquaresOptions = {}): Solution {
  knownKeys('options', options, LEAST_SQUARES_OPTIONS);
  return solveWith(lsqrSteps, A, b, options, transposeOf(A));
}

export function* lsqrSteps(system: System): Generator<Progress, Reason | undefined> {
  const { x, work } = system;
  const w = work.vector();
  const columns = new Bidiagonalization(system);
  let [phiBar, rhoBar] = [columns.beta, columns.alpha];
  yield { iterations: 0, products: 2, residualNorm: phiBar, gradientNorm: columns.alpha * columns.beta };
  w.copyFrom(columns.v);
  while (columns.alpha > 0) {
    columns.advance();
    const { alpha, beta, v } = columns;
    const { cosine, sine, length: rho } = rotation(rhoBar, beta);
    const phi = cosine * phiBar;
    phiBar *= sine;
    rhoBar = -cosine * alpha;
    x.axpy(phi / rho, w);
    w.axpby(1, v, (-sine * alpha) / rho); // w ← v − (θ / ρ) w
    yield { iterations: 1, products: 2, residualNorm: phiBar, gradientNorm: phiBar * alpha * Math.abs(cosine) };
  }
  return undefined;
}
