/** The steps of a search: a Krylov space that grows, its Ritz pairs, and restarts. */
import { assemble, type Owned } from '../../core/owned.js';
import type { EigenProblem, EigenReason, EigenStep } from '../method.js';
import type { Residuals } from '../residuals.js';
import { LanczosSpace } from './lanczos-space.js';
import type { RitzPairs } from './projected.js';
import type { Transformation } from './transformation.js';

/** Of the vectors that a restart could keep beside the wanted ones, this share is kept. Chosen. */
const KEPT = 0.4;

/** The estimate of a residual is at most this share of the tolerance, so that the true one meets it mostly. Chosen. */
export const MARGIN = 0.3;

/** An estimate of solves is never smaller than so many units of rounding of the largest ν. Chosen. */
export const ROUNDINGS = 10;

/** A space of so many vectors is taken as a whole: a smaller basis would cost more. Chosen. */
const WHOLE = 64;

/** Why a search cannot go on. */
export type ExpansionEnd = Exclude<EigenReason, 'tolerance' | 'incomplete'>;

export class Expansion implements Disposable {
  readonly space: LanczosSpace;
  readonly #problem: EigenProblem;
  readonly #op: Transformation;
  readonly #residuals: Residuals;
  readonly #owned: Owned;
  /** The tolerance of estimates over that of residuals. */
  margin: number = MARGIN;
  /** Pairs that have converged. */
  converged = 0;
  /** The greatest modulus of a Ritz value. */
  #largest = 0;

  /** @throws SparlaneError `heap` */
  constructor(problem: EigenProblem, op: Transformation, residuals: Residuals) {
    const { size, basisSize } = problem;
    this.#problem = problem;
    this.#op = op;
    this.#residuals = residuals;
    const capacity = Math.max(basisSize, WHOLE) >= size ? size : basisSize;
    const made = assemble((owned) => ({ owned, space: owned.own(new LanczosSpace(problem, op, capacity)) }));
    this.#owned = made.owned;
    this.space = made.space;
  }

  /** Makes one step. @returns the reason where there is none */
  *expand(): Generator<EigenStep, ExpansionEnd | undefined> {
    const { space } = this;
    if (space.active > 0 && space.steps >= this.#problem.limit) return 'iterations';
    if (space.active > 0 && this.#problem.isStopped()) return 'stopped';
    if (!space.isFinite) return 'not-finite';
    space.expand();
    if (!space.isFinite) return 'not-finite';
    yield this.step();
    return undefined;
  }

  /** The Ritz pairs of the active part, after an expansion. */
  ritz(): RitzPairs {
    const ritz = this.space.ritz();
    for (const value of ritz.values) this.#largest = Math.max(this.#largest, Math.abs(value));
    // Ritz values of A itself bound its norm from beneath.
    if (this.#op.cost.solves === 0) this.#residuals.raise(this.#largest);
    return ritz;
  }

  /** The columns of the Ritz vectors, in the order in which they are wanted. */
  order({ values }: RitzPairs): number[] {
    const { orderOf } = this.#op;
    return Array.from(values.keys()).sort((i, j) => orderOf(values[i]!) - orderOf(values[j]!));
  }

  /** Keeps the wanted Ritz vectors, and some beside them. */
  restart(ritz: RitzPairs, order: readonly number[], wanted: number): void {
    const { active } = this.space;
    const room = Math.max(active - wanted, 0);
    const kept = Math.min(wanted + Math.floor(KEPT * room), active - 1);
    this.space.restart(ritz, order.slice(0, Math.max(kept, 1)));
  }

  /** What the estimate of a residual may be, in the numbers of the transformation. */
  toleranceOf(nu: number): number {
    if (this.#op.cost.solves > 0) {
      const relative = this.margin * this.#problem.tolerance * Math.abs(nu);
      return Math.max(relative, ROUNDINGS * this.#residuals.unit * this.#largest);
    }
    return this.margin * this.#residuals.target(nu, 1, 1);
  }

  step(): EigenStep {
    return { stage: 'iterations', iteration: this.space.steps, converged: this.converged };
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
