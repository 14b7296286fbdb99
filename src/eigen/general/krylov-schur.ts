/**
 * Eigenvalues of any square matrix at one end of its spectrum, or nearest to a shift, by Krylov–Schur with restarts.
 *
 * Source: Stewart 2001; Krylov–Schur is Sorensen's implicitly restarted Arnoldi (ARPACK) without its bulges.
 * Differs: converged pairs stay in the basis and are not locked, so that they go on improving. What the decomposition claims is checked by products at the end,
 *   and the search goes on with a smaller tolerance if it was not true. Vectors of (A − σ B)⁻¹ B are multiplied by it once more, which takes ‖A‖ out of
 *   the bound of their residual.
 * Cost: see `krylov-decomposition.ts`.
 */
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { assemble, type Owned } from '../../core/owned.js';
import { dtypeOf } from '../../core/types.js';
import type { Scalar } from '../../memory/scalar.js';
import { Vector } from '../../memory/vector.js';
import { copyInto } from '../../solvers/arguments.js';
import { normalize } from '../../solvers/norms.js';
import { Workspace } from '../../solvers/workspace.js';
import type { SchurBlock } from '../dense/reorder.js';
import type { EigenStep } from '../method.js';
import { drawVector } from '../random.js';
import type { Residuals } from '../residuals.js';
import { type ComplexNumber, complexNorm, complexResidual, imageNorm } from './complex-residual.js';
import type { RitzValue } from './complex-shift.js';
import type { GeneralOutcome, GeneralSearch } from './general-search.js';
import { KrylovDecomposition, type RitzPair } from './krylov-decomposition.js';

/** Of the vectors that a restart could keep beside the wanted ones, this share is kept. Chosen: half, as in SLEPc. */
const KEPT = 0.5;
/** The estimate of a residual is at most this share of what the true one may be. Chosen. */
const MARGIN = 0.3;
/** What the share is multiplied by where the true one was larger. Chosen. */
const TIGHTER = 0.05;
/** Estimates know nothing of residuals that are smaller, beside θ. */
const LEAST_MARGIN = 1e-12;

/** What a search looks for at present. */
interface Wanted {
  readonly values: readonly RitzValue[];
  /** Vectors of the basis. */
  readonly columns: number;
}

/** A pair of the answer: its vector is in a place of its own. */
interface FoundPair {
  readonly value: ComplexNumber;
  readonly residual: number;
  readonly isSmall: boolean;
}

/** Step by step: a step is an application of the operator. */
export function* krylovSchurSteps(search: GeneralSearch, residuals: Residuals): Generator<EigenStep, GeneralOutcome> {
  const { A, map } = search;
  using work = new Workspace(A);
  using workOfMap = new Workspace(map.complex?.operator ?? A);
  using run = new KrylovSchur(search, residuals, work, workOfMap);
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
  /** The first vector is as long as those of the basis. */
  readonly #first: Vector;

  constructor(search: GeneralSearch, residuals: Residuals, work: Workspace, workOfMap: Workspace) {
    const { A, map, basisSize } = search;
    this.#search = search;
    this.#residuals = residuals;
    [this.#x, this.#y, this.#z] = work.vectors(3) as [Vector, Vector, Vector];
    this.#scalar = work.scalar();
    const spare = workOfMap.vectors(2) as [Vector, Vector];
    this.#first = map.complex === undefined ? this.#x : workOfMap.vector();
    const draw = (x: Vector) => drawVector(x, this.#draws++);
    this.#space = new KrylovDecomposition(map.complex?.operator ?? A, basisSize, map.apply, draw, spare);
  }

  *steps(): Generator<EigenStep, GeneralOutcome['reason']> {
    const { start, limit, isStopped, report, k } = this.#search;
    const space = this.#space;
    const first = this.#first;
    if (start === undefined) drawVector(first, this.#draws++);
    else if (first === this.#x) copyInto('start', first, start);
    else {
      copyInto('start', this.#x, start);
      first.fill(0).data.set(this.#x.data);
    }
    space.begin(first);
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
      const isEach = claims === sizeOf(wanted.values) && claims >= Math.min(k, this.#search.size);
      const isClaimed = space.isWhole || isEach;
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
    const count = Math.max(1, sizeOf(wanted.values));
    const values = { real: new Float64Array(count), imaginary: new Float64Array(count) };
    const residualNorms = new Float64Array(count).fill(Number.NaN);
    if (wanted.values.length === 0) values.real[0] = Number.NaN;
    const block = () => owned.own(new Vector(A.space, A.vectorType, A.cols, undefined, count).fill(0));
    const vectors = { real: block(), imaginary: block() };
    let [at, converged] = [0, 0];
    for (const ritz of wanted.values) {
      const { value, residual, isSmall } = this.#pairOf(ritz);
      const positive = value.imaginary < 0 ? -1 : 1;
      for (const sign of ritz.width === 1 ? [1] : [positive, -positive]) {
        values.real[at] = value.real;
        values.imaginary[at] = sign * value.imaginary;
        residualNorms[at] = residual;
        vectors.real.setColumn(at, this.#x);
        if (ritz.width === 2) vectors.imaginary.setColumn(at, this.#z.axpby(sign, this.#y, 0));
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

  /** k values, one more if the last one is complex, and how many vectors of the basis have them. */
  #wanted(): Wanted {
    let [count, columns] = [0, 0];
    const values: RitzValue[] = [];
    for (const pair of this.#pairs) {
      if (count >= this.#search.k) break;
      const found = this.#valuesOf(pair, values);
      values.push(...found);
      count += sizeOf(found);
      columns += pair.width;
    }
    return { values, columns };
  }

  #valuesOf(pair: RitzPair, known: readonly RitzValue[]): RitzValue[] {
    const { map } = this.#search;
    const { complex } = map;
    if (complex === undefined) return [{ pair, value: map.valueOf(pair), width: pair.width, isMirrored: false }];
    const vectorOf = (one: RitzPair) => (real: Vector, imaginary: Vector) => this.#space.vector(one, real, imaginary);
    const values = complex.valuesOf(pair, vectorOf(pair));
    // What has not converged is not known to be something else.
    if (pair.estimate > this.#toleranceOf(pair)) return values;
    return values
      .map((ritz) => (complex.mayBeReal(ritz) ? this.#asReal(ritz, complex.asReal(ritz, vectorOf(pair))) : ritz))
      .filter((ritz) => ritz.width === 1 || !complex.isFarther(ritz, known))
      .filter((ritz) => !complex.isKnown(ritz, known, vectorOf));
  }

  /** The real value, if it has a small residual. */
  #asReal(ritz: RitzValue, real: RitzValue): RitzValue {
    return this.#pairOf(real).isSmall ? real : ritz;
  }

  /** Values that have converged, as the decomposition has it. */
  #claims({ values }: Wanted): number {
    return sizeOf(values.filter(({ pair }) => pair.estimate <= this.#toleranceOf(pair)));
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

  #holds({ values }: Wanted): boolean {
    const { complex } = this.#search.map;
    return values.every((ritz) => !complex?.isDoubtful(ritz) && this.#pairOf(ritz).isSmall);
  }

  /** x + i y ← the vector of a value, of norm 1, and its true residual. */
  #pairOf(ritz: RitzValue): FoundPair {
    const { A, B, map } = this.#search;
    const { value, pair, width } = ritz;
    const z = { x: this.#x, y: width === 1 ? undefined : this.#y };
    const parts = z.y === undefined ? [z.x] : [z.x, z.y];
    const improved = (real: Vector, imaginary: Vector) => {
      this.#space.vector(pair, real, imaginary);
      if (map.isInverse) for (const part of pair.width === 1 ? [real] : [real, imaginary]) this.#space.improve(part);
    };
    if (map.complex === undefined) improved(this.#x, this.#y);
    else map.complex.vectorOf(ritz, improved, this.#x, this.#y);
    if (map.isInverse) {
      const norm = complexNorm(z, this.#scalar);
      if (norm > 0 && Number.isFinite(norm)) for (const part of parts) normalize(part, norm);
    }
    const residual = complexResidual({ A, B }, value, z, this.#z, this.#scalar);
    this.#products += parts.length;
    const image = imageNorm(B, z, this.#z, this.#scalar);
    const isSmall = residual <= this.#residuals.target(Math.hypot(value.real, value.imaginary), image, 1);
    return { value, residual, isSmall };
  }

  #restart({ columns }: Wanted): void {
    const { size } = this.#space;
    const room = Math.max(size - columns, 0);
    this.#space.restart(Math.max(1, Math.min(columns + Math.floor(KEPT * room), size - 2)));
  }

  [Symbol.dispose](): void {
    this.#space[Symbol.dispose]();
  }
}

/** How many values these are: a complex one stands for two. */
function sizeOf(values: readonly RitzValue[]): number {
  return values.reduce((sum, { width }) => sum + width, 0);
}
