/**
 * Least squares: min ‖b − A x‖₂ for A of any shape, by minimizing ‖Aᵀ (b − A x)‖₂ in each step.
 *
 * Source: Fong & Saunders 2011, without damping; their letters. In exact arithmetic the iterates of minres on Aᵀ A x = Aᵀ b.
 * For: rectangular or singular A. ‖Aᵀ r‖ never grows, so a solve can be stopped early.
 * Cost: a step is a product with A and one with Aᵀ, two norms and five updates; a vector like b, three like x. With a preconditioner M, a norm, an
 *   update and a vector more.
 */

import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
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
 */
export function lsmr(A: Transposable, b: VectorInput, options: LeastSquaresOptions = {}): Solution {
  return solveWith(lsmrSteps, A, b, options, transposeOf(A));
}

export function* lsmrSteps(system: System): Generator<Progress, Reason | undefined> {
  const { x, M, work } = system;
  const [h, hBar] = [work.vector(), work.vector()];
  const columns = new Bidiagonalization(system);
  let [alphaBar, zetaBar] = [columns.alpha, columns.alpha * columns.beta];
  let [rho, rhoBar, cosineBar, sineBar] = [1, 1, 1, 0];
  const residual = new ResidualNorm(columns.beta);
  const gradient = M === undefined ? undefined : new Gradient(work.vector(), work.scalar());
  const first = gradient?.next(zetaBar, columns.g, 0) ?? zetaBar;
  yield { iterations: 0, products: 2, residualNorm: columns.beta, gradientNorm: first };
  h.copyFrom(columns.v);
  hBar.fill(0);
  while (columns.alpha > 0) {
    columns.advance();
    if (columns.failure !== undefined) return columns.failure;
    const { cosine, sine, length } = rotation(alphaBar, columns.beta);
    const [rhoBefore, rhoBarBefore] = [rho, rhoBar];
    rho = length;
    const theta = sine * columns.alpha;
    alphaBar = cosine * columns.alpha;
    const thetaBar = sineBar * rho;
    ({ cosine: cosineBar, sine: sineBar, length: rhoBar } = rotation(cosineBar * rho, theta));
    const zeta = cosineBar * zetaBar;
    zetaBar *= -sineBar;
    const [ofHBar, ofX] = [(-thetaBar * rho) / (rhoBefore * rhoBarBefore), zeta / (rho * rhoBar)];
    // Products of numbers of the size of A overflow, or vanish.
    if (!(Number.isFinite(ofHBar) && Number.isFinite(ofX))) return 'not-finite';
    hBar.axpby(1, h, ofHBar); // h̄ ← h − θ̄ ρ / (ρ₋ ρ̄₋) h̄
    x.axpy(ofX, hBar);
    h.axpby(1, columns.v, -theta / rho); // h ← v − (θ / ρ) h
    const residualNorm = residual.next({ cosine, sine, thetaBar, rhoBar, zeta });
    const gradientNorm = gradient?.next(cosineBar * zetaBar, columns.g, sineBar ** 2) ?? Math.abs(zetaBar);
    yield { iterations: 1, products: 2, residualNorm, gradientNorm };
  }
  return columns.failure;
}

/** Aᵀ (b − A x) by a recurrence, as the residual of minres has it. Only with a preconditioner: without one, its norm is |ζ̄|. */
class Gradient {
  readonly #vector: Vector;
  readonly #norm: Scalar;

  constructor(vector: Vector, norm: Scalar) {
    this.#vector = vector;
    this.#norm = norm;
  }

  /** @param g M v @returns the norm of the next one */
  next(ofG: number, g: Vector, ofLast: number): number {
    // The method ends by the number that is not finite.
    if (!Number.isFinite(ofG)) return Number.NaN;
    return readNorm(this.#vector.axpby(ofG, g, ofLast), this.#norm);
  }
}

/** ‖b − A x‖₂ by a recurrence: Fong & Saunders, section 5.1, whose tilde is an `Above` here. */
class ResidualNorm {
  #betaDouble: number;
  #betaDot = 0;
  #rhoDot = 1;
  #thetaAbove = 0;
  #tauAbove = 0;
  #zeta = 0;

  constructor(beta: number) {
    this.#betaDouble = beta;
  }

  next({
    cosine,
    sine,
    thetaBar,
    rhoBar,
    zeta,
  }: Record<'cosine' | 'sine' | 'thetaBar' | 'rhoBar' | 'zeta', number>): number {
    const betaHat = cosine * this.#betaDouble;
    this.#betaDouble *= -sine;
    const above = rotation(this.#rhoDot, thetaBar);
    const thetaBefore = this.#thetaAbove;
    this.#thetaAbove = above.sine * rhoBar;
    this.#rhoDot = above.cosine * rhoBar;
    this.#betaDot = above.cosine * betaHat - above.sine * this.#betaDot;
    this.#tauAbove = (this.#zeta - thetaBefore * this.#tauAbove) / above.length;
    const tauDot = (zeta - this.#thetaAbove * this.#tauAbove) / this.#rhoDot;
    this.#zeta = zeta;
    return Math.hypot(this.#betaDot - tauDot, this.#betaDouble);
  }
}
