/**
 * Eigenvalues of any square matrix at one end of its spectrum, or nearest to a shift, by Krylov–Schur with restarts.
 *
 * Source: Stewart 2001; Krylov–Schur is Sorensen's implicitly restarted Arnoldi (ARPACK) without its bulges.
 * Differs: converged pairs stay in the basis and are not locked, so that they go on improving. What the decomposition claims is checked by products at the end,
 *   and the search goes on with a smaller tolerance if it was not true. Vectors of (A − σ B)⁻¹ B are multiplied by it once more, which takes ‖A‖ out of
 *   the bound of their residual.
 * Cost: see `krylov-decomposition.ts`.
 */
import { UNIT_ROUNDOFF } from '../core/norms.js';
import { assemble, type Owned } from '../core/owned.js';
import { dtypeOf } from '../core/types.js';
import type { Scalar } from '../memory/scalar.js';
import { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { copyInto } from '../solvers/arguments.js';
import { normalize } from '../solvers/norms.js';
import { Workspace } from '../solvers/workspace.js';
import { type ComplexNumber, complexNorm, complexResidual, imageNorm } from './complex-residual.js';
import type { SchurBlock } from './dense/reorder.js';
import { KrylovDecomposition, type RitzPair } from './krylov-decomposition.js';
import type { EigenReason, EigenStep } from './method.js';
import { drawVector } from './random.js';
import type { Residuals } from './residuals.js';

/** The operator whose eigenvalues θ are at the edge where those of A that are wanted belong. */
export interface SpectralMap {
  /** y ← C x */
  apply(x: Vector, y: Vector): void;
  /** λ of A */
  valueOf(theta: ComplexNumber): ComplexNumber;
  /** Compares two values θ, as the function that `Array.sort` takes. */
  compare(one: ComplexNumber, other: ComplexNumber): number;
  /** Whether C is A itself: estimates of residuals are then those of A. */
  readonly isPlain: boolean;
  /** Whether C = (A − σ B)⁻¹ B. */
  readonly isInverse: boolean;
  /** Products with A of one application. */
  readonly products: number;
}

export interface GeneralSearch {
  readonly A: LinearOperator;
  readonly B: LinearOperator | undefined;
  readonly map: SpectralMap;
  readonly size: number;
  readonly k: number;
  readonly tolerance: number;
  /** Steps at most. */
  readonly limit: number;
  readonly basisSize: number;
  readonly start: VectorInput | undefined;
  readonly isStopped: () => boolean;
  readonly report: (step: EigenStep) => void;
}

/** The end of a search; blocks have a column for each value, and belong to the caller. */
export interface GeneralOutcome {
  readonly reason: Exclude<EigenReason, 'incomplete'>;
  readonly values: { readonly real: Float64Array; readonly imaginary: Float64Array };
  readonly vectors: { readonly real: Vector; readonly imaginary: Vector };
  readonly residualNorms: Float64Array;
  readonly converged: number;
  readonly iterations: number;
  /** Products for residuals. */
  readonly products: number;
}

/** Of the vectors that a restart could keep beside the wanted ones, this share is kept. Chosen: half, as in SLEPc. */
const KEPT = 0.5;
/** The estimate of a residual is at most this share of what the true one may be. Chosen. */
const MARGIN = 0.3;
/** What the share is multiplied by where the true one was larger. Chosen. */
const TIGHTER = 0.05;
/** Estimates know nothing of residuals that are smaller, beside θ. */
const LEAST_MARGIN = 1e-12;

/** A pair of the answer: its vector is in a place of its own. */
interface FoundPair {
  readonly value: ComplexNumber;
  readonly residual: number;
  readonly isSmall: boolean;
}

/** Step by step: a step is an application of the operator. */
export function* krylovSchurSteps(search: GeneralSearch, residuals: Residuals): Generator<EigenStep, GeneralOutcome> {
  using work = new Workspace(search.A);
  using run = new KrylovSchur(search, residuals, work);
  const reason = yield* run.steps();
  return run.end(reason);
}

class KrylovSchur implements Disposable {
  readonly #search: GeneralSearch;
  readonly #residuals: Residuals;
  readonly #space: KrylovDecomposition;
  /** The real and the imaginary part of a vector, and another one to compute with. */
  readonly #x: Vector;
  readonly #y: Vector;
  readonly #z: Vector;
  readonly #scalar: Scalar;
  #margin = MARGIN;
  #draws = 0;
  #iterations = 0;
  #products = 0;
  #pairs: readonly RitzPair[] = [];

  constructor(search: GeneralSearch, residuals: Residuals, work: Workspace) {
    const { A, map, basisSize } = search;
    this.#search = search;
    this.#residuals = residuals;
    [this.#x, this.#y, this.#z] = work.vectors(3) as [Vector, Vector, Vector];
    this.#scalar = work.scalar();
    const spare = work.vectors(2) as [Vector, Vector];
    const draw = (x: Vector) => drawVector(x, this.#draws++);
    this.#space = new KrylovDecomposition(A, basisSize, map.apply, draw, spare);
  }

  *steps(): Generator<EigenStep, GeneralOutcome['reason']> {
    const { start, limit, isStopped, report, k } = this.#search;
    const space = this.#space;
    if (start === undefined) drawVector(this.#x, this.#draws++);
    else copyInto('start', this.#x, start);
    space.begin(this.#x);
    for (let claims = 0; ; ) {
      let reason: GeneralOutcome['reason'] | undefined;
      while (space.size < space.capacity && !space.isWhole && reason === undefined) {
        if (!space.expand()) return 'not-finite';
        this.#iterations++;
        if (this.#iterations >= limit) reason = 'iterations';
        if (isStopped()) reason = 'stopped';
        yield { stage: 'iterations', iteration: this.#iterations, converged: claims };
      }
      this.#decompose();
      const wanted = this.#wanted();
      claims = this.#claims(wanted);
      report({ stage: 'iterations', iteration: this.#iterations, converged: claims });
      const isClaimed = space.isWhole || claims >= Math.min(k, this.#search.size);
      if (isClaimed && this.#holds(wanted)) return 'tolerance';
      if (isClaimed) this.#margin *= TIGHTER;
      if (isStopped()) reason = 'stopped';
      if (space.isWhole || this.#margin < LEAST_MARGIN) reason ??= 'stagnated';
      if (reason !== undefined) return reason;
      this.#restart(wanted);
    }
  }

  /** The best pairs so far, with true residuals. */
  end(reason: GeneralOutcome['reason']): GeneralOutcome {
    return assemble((owned) => this.#end(reason, owned));
  }

  #end(reason: GeneralOutcome['reason'], owned: Owned): GeneralOutcome {
    const { A } = this.#search;
    if (this.#pairs.length === 0 && this.#space.size > 0) this.#decompose();
    const wanted = this.#wanted();
    // A search without a pair, because the first product was not finite, has one of NaN.
    const count = Math.max(1, sizeOf(wanted));
    const values = { real: new Float64Array(count), imaginary: new Float64Array(count) };
    const residualNorms = new Float64Array(count).fill(Number.NaN);
    if (wanted.length === 0) values.real[0] = Number.NaN;
    const block = () => owned.own(new Vector(A.space, A.vectorType, A.cols, undefined, count).fill(0));
    const vectors = { real: block(), imaginary: block() };
    let [at, converged] = [0, 0];
    for (const pair of wanted) {
      const { value, residual, isSmall } = this.#pairOf(pair);
      const positive = value.imaginary < 0 ? -1 : 1;
      for (const sign of pair.width === 1 ? [1] : [positive, -positive]) {
        values.real[at] = value.real;
        values.imaginary[at] = sign * value.imaginary;
        residualNorms[at] = residual;
        vectors.real.setColumn(at, this.#x);
        if (pair.width === 2) vectors.imaginary.setColumn(at, this.#z.axpby(sign, this.#y, 0));
        at++;
        if (isSmall) converged++;
      }
    }
    return {
      reason,
      values,
      vectors,
      residualNorms,
      converged,
      iterations: this.#iterations,
      products: this.#products,
    };
  }

  #decompose(): void {
    const { map } = this.#search;
    this.#pairs = this.#space.decompose((one: SchurBlock, other: SchurBlock) => map.compare(one, other));
    if (!map.isInverse)
      for (const { real, imaginary } of this.#pairs) this.#residuals.raise(Math.hypot(real, imaginary));
  }

  /** Pairs for k values: one value more if the last one is complex. */
  #wanted(): readonly RitzPair[] {
    let count = 0;
    const wanted: RitzPair[] = [];
    for (const pair of this.#pairs) {
      if (count >= this.#search.k) break;
      wanted.push(pair);
      count += pair.width;
    }
    return wanted;
  }

  /** Values that have converged, as the decomposition has it. */
  #claims(wanted: readonly RitzPair[]): number {
    return wanted.reduce((sum, pair) => (pair.estimate <= this.#toleranceOf(pair) ? sum + pair.width : sum), 0);
  }

  #toleranceOf({ real, imaginary }: RitzPair): number {
    const { A, map, tolerance } = this.#search;
    const size = Math.hypot(real, imaginary);
    if (map.isPlain) return this.#margin * this.#residuals.target(size, 1, 1);
    const rounding = UNIT_ROUNDOFF[dtypeOf(A.vectorType) as 'f64' | 'f32'];
    return Math.max(
      this.#margin * tolerance * size,
      rounding * Math.hypot(this.#pairs[0]!.real, this.#pairs[0]!.imaginary),
    );
  }

  #holds(wanted: readonly RitzPair[]): boolean {
    return wanted.every((pair) => this.#pairOf(pair).isSmall);
  }

  /** x + i y ← the vector of a pair, of norm 1, and its true residual. */
  #pairOf(pair: RitzPair): FoundPair {
    const { A, B, map } = this.#search;
    const z = { x: this.#x, y: pair.width === 1 ? undefined : this.#y };
    const parts = z.y === undefined ? [z.x] : [z.x, z.y];
    this.#space.vector(pair, this.#x, this.#y);
    if (map.isInverse) {
      for (const part of parts) this.#space.improve(part);
      const norm = complexNorm(z, this.#scalar);
      if (norm > 0 && Number.isFinite(norm)) for (const part of parts) normalize(part, norm);
    }
    const value = map.valueOf(pair);
    const residual = complexResidual({ A, B }, value, z, this.#z, this.#scalar);
    this.#products += parts.length;
    const image = imageNorm(B, z, this.#z, this.#scalar);
    const isSmall = residual <= this.#residuals.target(Math.hypot(value.real, value.imaginary), image, 1);
    return { value, residual, isSmall };
  }

  #restart(wanted: readonly RitzPair[]): void {
    const { size } = this.#space;
    const count = sizeOf(wanted);
    const room = Math.max(size - count, 0);
    this.#space.restart(Math.max(1, Math.min(count + Math.floor(KEPT * room), size - 2)));
  }

  [Symbol.dispose](): void {
    this.#space[Symbol.dispose]();
  }
}

/** Values of these pairs: a complex pair has two. */
function sizeOf(pairs: readonly RitzPair[]): number {
  return pairs.reduce((sum, { width }) => sum + width, 0);
}
