/** T = Vᵀ B Op V of the active part of a Krylov space, and what its steps were. */

import { symmetricEigen } from '../dense/symmetric.js';
import { greatestPart } from './absence.js';
import type { Transformation } from './transformation.js';

/** A greater part of the next vector would spoil the inner products of Ritz vectors that have not converged. Chosen. */
const MOST_PART = 1e-4;

/** The Ritz pairs of the active part. */
export interface RitzPairs {
  readonly values: Float64Array;
  /** Row-major: as many rows and columns as active vectors. Column j belongs to values[j]. */
  readonly vectors: Float64Array;
  /** The residual norms of the transformation, ‖Op x − ν x‖. */
  readonly residuals: Float64Array;
}

export class Projected {
  /** Row-major with `#stride` columns. */
  readonly #T: Float64Array;
  readonly #stride: number;
  /** What the operator times the latest vector has in the direction of the next one. */
  #beta = 0;
  /** What `greatestPart` needs of the steps since the space was begun: Σ log β, and the Ritz values that restarts left out. */
  #growth = 0;
  #discarded: number[] = [];

  constructor(capacity: number) {
    this.#T = new Float64Array(capacity * capacity);
    this.#stride = capacity;
  }

  /** The last column of T of `active` vectors, and its row, from the coefficients of all of V. */
  addColumn(coefficients: Float64Array, active: number, beta: number): void {
    const column = active - 1;
    for (let i = 0; i < active; i++) {
      const value = coefficients[coefficients.length - active + i]!;
      this.#T[i * this.#stride + column] = value;
      this.#T[column * this.#stride + i] = value;
    }
    this.#beta = beta;
    this.#growth += Math.log(beta);
  }

  /** The Ritz pairs of the active part, after an expansion. */
  ritz(active: number): RitzPairs {
    const T = new Float64Array(active * active);
    for (let i = 0; i < active; i++) T.set(this.#T.subarray(i * this.#stride, i * this.#stride + active), i * active);
    const { values, vectors } = symmetricEigen(T, active);
    const last = (active - 1) * active;
    const residuals = Float64Array.from(values, (_, j) => Math.abs(this.#beta * vectors[last + j]!));
    return { values, vectors, residuals };
  }

  /** The part of the next vector in Op x / ν, whose other part is the Ritz vector x of column j. @param isSmall whether a great part counts as none */
  partOfNext({ values, vectors }: RitzPairs, j: number, isSmall: boolean): number {
    const last = vectors.length - values.length;
    const part = (this.#beta * vectors[last + j]!) / values[j]!;
    return !Number.isFinite(part) || (isSmall && Math.abs(part) > MOST_PART) ? 0 : part;
  }

  /** T ← the diagonal matrix of these Ritz values; the next vector stays. */
  keep({ values }: RitzPairs, kept: readonly number[]): void {
    this.#T.fill(0);
    for (const [at, j] of kept.entries()) this.#T[at * (this.#stride + 1)] = values[j]!;
    this.#discarded.push(...values.filter((_, j) => !kept.includes(j)));
  }

  /** Forgets all steps: a new first vector comes. */
  clear(): void {
    this.#T.fill(0);
    this.#beta = 0;
    this.#growth = 0;
    this.#discarded = [];
  }

  /**
   * The logarithm of the part that the first vector has at most in an eigenvector at or before a limit.
   *
   * @param orderOf gives ν or −ν
   * @returns undefined if a Ritz value is at or before the limit
   */
  partBefore(active: number, limit: number, orderOf: Transformation['orderOf']): number | undefined {
    return greatestPart({
      T: { numbers: this.#T, size: active, stride: this.#stride, sign: orderOf(1) },
      growth: this.#growth,
      discarded: this.#discarded.map(orderOf),
      limit,
    });
  }
}
