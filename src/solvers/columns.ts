/** Solves for several right-hand sides at once: what they are asked, what they answer, and how far each column is. */
import type { DenseNumbers } from '../memory/dense-rows.js';
import type { Vector } from '../memory/vector.js';
import type { Checked } from './arguments.js';
import { COPY_SHARE } from './best-iterate.js';
import { IMPROVEMENT } from './method.js';
import type { Reason, Solution, SolveOptions } from './solution.js';

/** A block of vectors in A's space, or numbers with rows and columns: `[[1, 2], [3, 4]]`. */
export type BlockInput = Vector | DenseNumbers;

/** `cgMany` and `blockCg` take these options. */
export interface ManyOptions extends Omit<SolveOptions, 'x0' | 'timing'> {
  /** The first block. Default: zeros. It is not changed. */
  readonly x0?: BlockInput;
}

/** The end of one column. */
export type ColumnSolution = Pick<
  Solution,
  'converged' | 'reason' | 'iterations' | 'relativeResidual' | 'residualNorms'
>;

/** `cgMany` and `blockCg` return this. */
export interface ManySolution {
  /** A block in the space of A; the caller disposes it. */
  readonly x: Vector;
  /** Whether all columns did. */
  readonly converged: boolean;
  readonly columns: readonly ColumnSolution[];
  /** Of the slowest column. */
  readonly iterations: number;
  /** Block products, those that compute the true residuals included. */
  readonly products: number;
  readonly solveMs: number;
}

/** How far a column is. Its norms are those of the scaled system. */
export class ColumnState {
  readonly index: number;
  /** By which b and x of the caller are multiplied. */
  readonly scale: number;
  /** ‖b − A x‖₂ as last computed. */
  norm: number = Number.POSITIVE_INFINITY;
  reason: Reason | undefined;
  readonly #checked: Checked;
  readonly #bNorm: number;
  readonly #norms: number[] = [];
  #iterations = 0;
  #trueNorm = Number.POSITIVE_INFINITY;
  #claims = false;
  #restarts = -1;
  #copied = Number.POSITIVE_INFINITY;

  constructor(index: number, bNorm: number, scale: number, checked: Checked) {
    this.index = index;
    this.scale = scale;
    this.#bNorm = bNorm;
    this.#checked = checked;
  }

  get goesOn(): boolean {
    return this.reason === undefined && !this.#claims;
  }

  /** The norm of the first residual. */
  get firstNorm(): number {
    return this.#norms[0]!;
  }

  get #hasArrived(): boolean {
    const { rtol, atol } = this.#checked;
    return Number.isFinite(this.norm) && this.norm <= Math.max(rtol * this.#bNorm, atol * this.scale);
  }

  /** What follows from a true norm: the column ends, or starts again from x. */
  measure(norm: number): void {
    const before = this.#trueNorm;
    this.norm = norm;
    this.#trueNorm = norm;
    this.#claims = false;
    if (this.#norms.length === 0) this.#norms.push(norm);
    // A first claim to have arrived may be a little wrong, close to the tolerance.
    const share = this.#restarts++ < 1 ? 1 : IMPROVEMENT;
    if (this.#hasArrived) this.reason = 'tolerance';
    else if (!Number.isFinite(norm)) this.reason ??= 'not-finite';
    else if (this.#iterations >= this.#checked.limit) this.reason ??= 'iterations';
    else if (!(norm < share * before)) this.reason ??= 'stagnated';
    if (this.reason === undefined) this.#copied = Number.POSITIVE_INFINITY;
  }

  /** Whether the column ends after `steps` more steps, or claims to have converged. @param failure of the method in these steps */
  check(norm: number, steps: number, failure?: Reason): void {
    this.#iterations += steps;
    this.norm = norm;
    this.#norms.push(norm);
    if (this.#hasArrived) this.#claims = true;
    else if (failure !== undefined) this.reason = failure;
    else if (!Number.isFinite(norm)) this.reason = 'not-finite';
    else if (this.#iterations >= this.#checked.limit) this.reason = 'iterations';
  }

  /** Whether x should be copied, now that it is much better than its copy. */
  improves(): boolean {
    const isBetter = this.norm < COPY_SHARE * this.#copied;
    if (isBetter) this.#copied = this.norm;
    return isBetter;
  }

  /** Whether the column failed, and its copy may be better than its x. */
  get mayBeRestored(): boolean {
    return this.reason !== 'tolerance' && Number.isFinite(this.#copied) && !(this.norm <= this.#copied);
  }

  /** x is another one now. */
  restore(norm: number): void {
    this.norm = norm;
    if (this.#hasArrived) this.reason = 'tolerance';
  }

  /** x has been rounded in the units of the caller. */
  round(norm: number): void {
    this.norm = norm;
    if (this.#hasArrived) this.reason = 'tolerance';
    else if (this.reason === 'tolerance') this.reason = Number.isFinite(norm) ? 'stagnated' : 'not-finite';
  }

  /** Ends a column that has not ended. */
  fail(reason: Reason): void {
    if (this.goesOn) this.reason = reason;
  }

  end(): ColumnSolution {
    return {
      converged: this.reason === 'tolerance',
      reason: this.reason!,
      iterations: this.#iterations,
      relativeResidual: this.#bNorm === 0 ? this.norm / this.scale : this.norm / this.#bNorm,
      residualNorms: Float64Array.from(this.#norms, (norm) => norm / this.scale),
    };
  }
}
