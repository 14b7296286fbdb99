/**
 * Singular triplets by Golub and Kahan's bidiagonalization with thick restarts: A V = U T and Aᵀ U = V Tᵀ + β v₊ eᵀ, where T is small; the singular
 * triplets of T are approximate ones of A.
 *
 * Source: Golub & Kahan 1965; Baglama & Reichel 2005, "Augmented implicitly restarted Lanczos bidiagonalization methods", in the form of thick restarts,
 *   with Ritz vectors on either side.
 * Differs: both sides are orthogonalized in full, and T is what the orthogonalization finds, so that no recurrence is relied on. Where a space is exhausted,
 *   a random vector goes on, so that A of any rank, and values of any multiplicity, come to an end. When all triplets have converged, one more round begins
 *   from a random vector: it finds a copy of a multiple value that the first Krylov space could not contain.
 * Cost: a step is a product with A, one with Aᵀ, and two orthogonalizations, some 16 m n operations with m vectors in the bases; 2 m vectors.
 */
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { Owned } from '../../core/owned.js';
import { dtypeOf } from '../../core/types.js';
import { type RandomStream, unit } from '../../gallery/draw.js';
import { Vector } from '../../memory/vector.js';
import { Workspace } from '../../solvers/workspace.js';
import { Basis } from '../basis/basis.js';
import { type DenseSvd, jacobiSvd } from '../dense/jacobi-svd.js';
import { MOST_DRAWS } from '../limits.js';
import { streamIn } from '../random.js';
import { type SingularOutcome, type SingularProblem, type SvdsReason, type SvdsStep, targetOf } from './singular.js';

/** The share of the free places of a basis that a restart fills with triplets beside the wanted ones. Chosen. */
const KEPT = 1 / 3;
/** Estimates of residuals leave room for rounding errors, and for what a random vector leaves out. Chosen. */
const SAFETY = 0.5;

/** Steps until the wanted triplets have converged. */
export function* golubKahan(problem: SingularProblem): Generator<SvdsStep, SingularOutcome> {
  using space = new Bidiagonal(problem);
  const { limit, report, isStopped } = problem;
  const ended = (reason: SvdsReason) => space.outcome(reason);
  for (let isChecked = false, before: readonly number[] = []; ; ) {
    while (space.hasRoom && space.iterations < limit) {
      if (!space.advance()) return ended('not-finite');
      if (isStopped()) return ended('stopped');
    }
    const { values, converged } = space.examine();
    const step = { iteration: space.iterations, converged };
    report(step);
    if (isStopped()) return ended('stopped');
    const isDone = converged === problem.k;
    if (isDone && (space.isComplete || (isChecked && space.isSame(values, before)))) return ended('tolerance');
    if (space.isComplete) return ended('stagnated');
    if (space.iterations >= limit) return ended('iterations');
    space.restart(isDone);
    [isChecked, before] = [isDone, values];
    yield step;
  }
}

class Bidiagonal implements Disposable {
  readonly #problem: SingularProblem;
  readonly #owned = new Owned();
  readonly #U: Basis;
  readonly #V: Basis;
  readonly #u: Vector;
  /** v₊, orthogonal to V, with norm 1. */
  readonly #v: Vector;
  readonly #random: RandomStream;
  readonly #unit: number;
  /** uᵢᵀ A vⱼ, row-major. */
  readonly #T: Float64Array;
  /** The norm of what V leaves of Aᵀ u for the last u. */
  #beta = 0;
  /** For each kept triplet: the part of its residual that is no more in β. */
  #lost: number[] = [];
  #small: DenseSvd | undefined;
  /** The greatest value that was seen. */
  #norm = 0;
  iterations = 0;

  constructor(problem: SingularProblem) {
    const { A, basisSize, seed } = problem;
    const { space, vectorType, rows, cols } = A;
    this.#problem = problem;
    this.#T = new Float64Array(basisSize * basisSize);
    this.#U = this.#owned.own(new Basis({ space, vectorType, cols: rows }, basisSize));
    this.#V = this.#owned.own(new Basis({ space, vectorType, cols }, basisSize));
    const work = this.#owned.own(new Workspace(A));
    [this.#u, this.#v] = [work.vector('b'), work.vector('x')];
    this.#random = streamIn(space, seed);
    this.#unit = UNIT_ROUNDOFF[dtypeOf(vectorType)];
    this.#draw(this.#V, this.#v);
  }

  get hasRoom(): boolean {
    return this.#V.size < this.#problem.basisSize;
  }

  /** Whether V is the whole space, so that T has all singular values. */
  get isComplete(): boolean {
    return this.#V.size === this.#problem.size;
  }

  /** One column of U and V more. @returns false if a number is not finite */
  advance(): boolean {
    const { A, At, basisSize } = this.#problem;
    const [U, V, u, v] = [this.#U, this.#V, this.#u, this.#v];
    const j = V.size;
    V.append(v);
    this.#small = undefined;
    A.apply(v, u);
    const left = U.orthogonalize(u);
    left.coefficients.forEach((value, i) => {
      this.#T[i * basisSize + j] = value;
    });
    this.#T[j * basisSize + j] = left.norm;
    if (!Number.isFinite(left.norm)) {
      V.truncate(j);
      return false;
    }
    if (left.norm === 0) this.#draw(U, u);
    U.append(u);
    At.apply(u, v);
    this.#beta = V.orthogonalize(v).norm;
    this.iterations++;
    if (this.#beta === 0 && !this.isComplete) this.#draw(V, v);
    return Number.isFinite(this.#beta);
  }

  /** x ← a random vector of norm 1, orthogonal to a basis that is not full. */
  #draw(basis: Basis, x: Vector): void {
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      x.set(new x.type(x.length).map(() => unit(this.#random) - 0.5));
      if (basis.orthogonalize(x).norm > 0) return;
    }
  }

  /** The singular triplets of T. */
  #triplets(): DenseSvd {
    if (this.#small !== undefined) return this.#small;
    const { basisSize } = this.#problem;
    const size = this.#U.size;
    const T = new Float64Array(size * size);
    for (let i = 0; i < size; i++) T.set(this.#T.subarray(i * basisSize, i * basisSize + size), i * size);
    this.#small = jacobiSvd(T, size, size);
    this.#norm = Math.max(this.#norm, this.#small.values[0] ?? 0);
    return this.#small;
  }

  /** The places of the triplets of T, where the wanted ones come first. */
  #order(): readonly number[] {
    const places = Array.from(this.#triplets().values.keys());
    return this.#problem.which === 'largest' ? places : places.reverse();
  }

  /** The wanted values, and how many triplets have converged, from the first one on. */
  examine(): { readonly values: readonly number[]; readonly converged: number } {
    const { k } = this.#problem;
    const { values } = this.#triplets();
    const wanted = this.#order().slice(0, k);
    const late = wanted.findIndex((place) => !(this.#residual(place) <= SAFETY * this.#target(values[place]!)));
    return { values: wanted.map((place) => values[place]!), converged: late < 0 ? wanted.length : late };
  }

  /** Whether values differ by no more than the tolerance. */
  isSame(values: readonly number[], before: readonly number[]): boolean {
    return values.every((value, i) => Math.abs(value - before[i]!) <= this.#target(value));
  }

  #target(value: number): number {
    const { tolerance, isInverse } = this.#problem;
    return targetOf(value, { norm: this.#norm, unit: this.#unit, tolerance, isInverse });
  }

  /** ‖Aᵀ u − σ v‖ of a triplet of T; A v − σ u is 0. */
  #residual(place: number): number {
    const { U } = this.#triplets();
    const size = this.#U.size;
    let square = (this.#beta * U[(size - 1) * size + place]!) ** 2;
    this.#lost.forEach((lost, i) => {
      square += (lost * U[i * size + place]!) ** 2;
    });
    return Math.sqrt(square);
  }

  /**
   * Keeps the triplets that are wanted, and some more.
   *
   * @param anew goes on from a random vector, with the wanted ones only, which have converged
   */
  restart(anew: boolean): void {
    const { k, basisSize } = this.#problem;
    const more = anew ? 0 : Math.ceil((basisSize - k) * KEPT);
    const kept = this.#order().slice(0, Math.min(k + more, basisSize - 1));
    const { values, U, V } = this.#triplets();
    const residuals = kept.map((place) => this.#residual(place));
    this.#lost = anew ? residuals : kept.map((place) => this.#lostOf(place));
    const size = this.#U.size;
    this.#U.rotate(columnsOf(U, size, kept), kept.length);
    this.#V.rotate(columnsOf(V, size, kept), kept.length);
    this.#T.fill(0);
    kept.forEach((place, i) => {
      this.#T[i * basisSize + i] = values[place]!;
    });
    this.#small = undefined;
    if (anew) this.#draw(this.#V, this.#v);
  }

  #lostOf(place: number): number {
    const { U } = this.#triplets();
    const size = this.#U.size;
    return Math.hypot(...this.#lost.map((lost, i) => lost * U[i * size + place]!));
  }

  /** The wanted triplets, as far as there are some; the bases are theirs afterwards. */
  outcome(reason: SvdsReason): SingularOutcome {
    const { A, k } = this.#problem;
    const { values, U, V } = this.#triplets();
    const kept = this.#order()
      .slice(0, k)
      .sort((a, b) => a - b);
    const size = this.#U.size;
    this.#V.truncate(size);
    const blockOf = (basis: Basis, turn: Float64Array, length: number, x: Vector) => {
      if (kept.length > 0) basis.rotate(columnsOf(turn, size, kept), kept.length);
      const block = new Vector(A.space, A.vectorType, length, undefined, Math.max(1, kept.length));
      if (kept.length === 0) block.fill(0);
      for (let j = 0; j < kept.length; j++) {
        basis.copyTo(j, x);
        block.setColumn(j, x);
      }
      return block;
    };
    const found = kept.length > 0 ? Float64Array.from(kept, (place) => values[place]!) : Float64Array.of(Number.NaN);
    const blocks = {
      U: blockOf(this.#U, U, A.rows, this.#u),
      V: blockOf(this.#V, V, A.cols, this.#v),
    };
    const { iterations } = this;
    return { reason, values: found, ...blocks, norm: this.#norm, iterations, products: 2 * iterations };
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

/** Some columns of a square matrix, row-major. */
function columnsOf(matrix: Float64Array, size: number, places: readonly number[]): Float64Array {
  const columns = new Float64Array(size * places.length);
  for (let i = 0; i < size; i++)
    for (const [j, place] of places.entries()) columns[i * places.length + j] = matrix[i * size + place]!;
  return columns;
}
