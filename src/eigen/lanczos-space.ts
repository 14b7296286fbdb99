/**
 * A Krylov space with an orthonormal basis V = [locked | active], in the inner product of a transformation: it is expanded by the operator,
 * restarted from Ritz vectors, and begun anew beside vectors that are locked.
 *
 * Source: Wu & Simon 2000 (thick restart). With full orthogonalization, the coefficients of a vector are its column of T = Vᵀ B Op V, so that
 *   what a restart leaves beside the diagonal needs no formula.
 */
import { mismatch } from '../core/errors.js';
import { assemble, type Owned } from '../core/owned.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { VectorInput } from '../operators/operator.js';
import { copyInto } from '../solvers/arguments.js';
import { Workspace } from '../solvers/workspace.js';
import { Basis } from './basis.js';
import { symmetricEigen } from './dense/symmetric.js';
import type { EigenProblem } from './method.js';
import { drawVector } from './random.js';
import type { Transformation, VectorPair } from './transformation.js';

/** Random vectors that depend on V, until V counts as the whole space. */
const DRAWS = 3;

/** The Ritz pairs of the active part. */
export interface RitzPairs {
  readonly values: Float64Array;
  /** Row-major: as many rows and columns as active vectors. Column j belongs to values[j]. */
  readonly vectors: Float64Array;
  /** The residual norms of the transformation, ‖Op x − ν x‖. */
  readonly residuals: Float64Array;
}

export class LanczosSpace implements Disposable {
  readonly capacity: number;
  readonly #problem: EigenProblem;
  readonly #op: Transformation;
  readonly #owned: Owned;
  readonly #V: Basis;
  /** Row-major with `capacity` columns: T of the active part. */
  readonly #T: Float64Array;
  readonly #scalar: Scalar;
  /** The next vector of V, of norm 1; the latest one, and the one before it: with them the next one is nearly orthogonal to all. */
  #next: VectorPair;
  #latest: VectorPair;
  #before: VectorPair;
  /** Whether they are the last columns of V. */
  #hasLatest = false;
  #hasBefore = false;
  /** What the operator times the latest vector has in the direction of the next one. */
  #beta = 0;
  #locked: Float64Array = new Float64Array(0);
  #draws = 0;
  #isComplete = false;
  #isFinite = true;
  /** The operator was applied `steps` times to vectors of V, and `applications` times in all. */
  steps = 0;
  applications = 0;

  /** @throws SparlaneError `heap` */
  constructor(problem: EigenProblem, op: Transformation, capacity: number) {
    const { A } = problem;
    this.capacity = capacity;
    this.#problem = problem;
    this.#op = op;
    this.#T = new Float64Array(capacity * capacity);
    const made = assemble((owned) => {
      const work = owned.own(new Workspace(A));
      const V = owned.own(new Basis(A, capacity));
      const pair = () => ({ w: work.vector(), image: op.B === undefined ? undefined : work.vector() });
      return { owned, V, next: pair(), latest: pair(), before: pair(), scalar: work.scalar() };
    });
    this.#owned = made.owned;
    this.#V = made.V;
    this.#next = made.next;
    this.#latest = made.latest;
    this.#before = made.before;
    this.#scalar = made.scalar;
  }

  /** The ν of the locked vectors. */
  get locked(): Float64Array {
    return this.#locked;
  }

  /** The number of active vectors. */
  get active(): number {
    return this.#V.size - this.#locked.length;
  }

  /** Whether V spans all that there is: its Ritz pairs are exact. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether all numbers were finite. */
  get isFinite(): boolean {
    return this.#isFinite;
  }

  get isFull(): boolean {
    return this.#V.size === this.capacity;
  }

  /** The first vector: that of the caller, or a random one. @throws SparlaneError `argument` or `shape` for a wrong one */
  begin(start: VectorInput | undefined): void {
    if (start === undefined) this.#draw();
    else {
      copyInto('start', this.#next.w, start);
      this.#op.B?.apply(this.#next.w, this.#next.image!);
      if (!this.#take(this.#next)) throw mismatch('argument', 'start', 'a vector that is not 0', 'one of norm 0');
    }
  }

  /** Adds the next vector to V, and computes the one after it. Not for a full or complete space. */
  expand(): void {
    this.#V.append(this.#next.w);
    [this.#next, this.#latest, this.#before] = [this.#before, this.#next, this.#latest];
    [this.#hasLatest, this.#hasBefore] = [true, this.#hasLatest];
    this.#op.apply(this.#latest, this.#next);
    this.steps++;
    this.applications++;
    const [ofLatest, ofBefore] = [
      this.#withoutPart(this.#latest),
      this.#hasBefore ? this.#withoutPart(this.#before) : 0,
    ];
    // Computed anew: of what is left, the product before has too few digits.
    this.#op.B?.apply(this.#next.w, this.#next.image!);
    const { coefficients, norm } = this.#V.orthogonalize(
      this.#next.w,
      this.#inner(this.#next),
      Math.hypot(ofLatest, ofBefore),
    );
    const { size } = this.#V;
    coefficients[size - 1]! += ofLatest;
    if (this.#hasBefore) coefficients[size - 2]! += ofBefore;
    const column = this.active - 1;
    for (let i = 0; i <= column; i++) {
      const value = coefficients[this.#locked.length + i]!;
      this.#T[i * this.capacity + column] = value;
      this.#T[column * this.capacity + i] = value;
    }
    this.#isFinite = Number.isFinite(norm) && coefficients.every(Number.isFinite);
    if (!this.#isFinite) return;
    this.#beta = norm;
    if (this.#V.size >= this.#problem.size) {
      this.#beta = 0;
      this.#isComplete = true;
    } else if (norm === 0) this.#draw();
  }

  /**
   * Takes the part of a column of V from the next vector. In exact arithmetic the latest two are all there is but after a restart, and one pass over V, which
   * removes rounding errors, is then enough.
   */
  #withoutPart({ w }: VectorPair): number {
    const next = this.#next;
    const part = w.dot(next.image ?? next.w, this.#scalar).value;
    if (!Number.isFinite(part)) return part;
    next.w.axpy(-part, w);
    return part;
  }

  /** The Ritz pairs of the active part, after an expansion. */
  ritz(): RitzPairs {
    const { active, capacity } = this;
    const T = new Float64Array(active * active);
    for (let i = 0; i < active; i++) T.set(this.#T.subarray(i * capacity, i * capacity + active), i * active);
    const { values, vectors } = symmetricEigen(T, active);
    const last = (active - 1) * active;
    const residuals = Float64Array.from(values, (_, j) => Math.abs(this.#beta * vectors[last + j]!));
    return { values, vectors, residuals };
  }

  /** x ← the Ritz vector of column j. */
  copyTo({ vectors }: RitzPairs, j: number, x: Vector): void {
    const { active } = this;
    const c = new Float64Array(this.#V.size);
    for (let i = 0; i < active; i++) c[this.#locked.length + i] = vectors[i * active + j]!;
    this.#V.combination(c, x);
  }

  /** x ← locked vector j. */
  copyLockedTo(j: number, x: Vector): void {
    this.#V.copyTo(j, x);
  }

  /** Keeps these Ritz vectors of the active part; the next vector stays. */
  restart({ values, vectors }: RitzPairs, kept: readonly number[]): void {
    const { active } = this;
    const locked = this.#locked.length;
    const columns = locked + kept.length;
    const Q = new Float64Array((locked + active) * columns);
    for (let i = 0; i < locked; i++) Q[i * columns + i] = 1;
    for (let i = 0; i < active; i++)
      for (const [at, j] of kept.entries()) Q[(locked + i) * columns + locked + at] = vectors[i * active + j]!;
    this.#V.rotate(Q, columns);
    this.#hasLatest = false;
    this.#T.fill(0);
    for (const [at, j] of kept.entries()) this.#T[at * (this.capacity + 1)] = values[j]!;
  }

  /**
   * Locks the best `count` of the locked vectors and of these Ritz vectors, and begins anew with a random vector that is orthogonal to them.
   *
   * @param found columns of the Ritz vectors
   */
  lock(ritz: RitzPairs | undefined, found: readonly number[], count: number): void {
    const { active } = this;
    const before = this.#locked;
    const candidates = [
      ...Array.from(before, (value, i) => ({ value, i, j: -1 })),
      ...found.map((j) => ({ value: ritz!.values[j]!, i: -1, j })),
    ];
    const { orderOf } = this.#op;
    const best = candidates.sort((a, b) => orderOf(a.value) - orderOf(b.value)).slice(0, count);
    const Q = new Float64Array((before.length + active) * best.length);
    for (const [at, { i, j }] of best.entries()) {
      if (j < 0) Q[i * best.length + at] = 1;
      else
        for (let row = 0; row < active; row++)
          Q[(before.length + row) * best.length + at] = ritz!.vectors[row * active + j]!;
    }
    this.#V.rotate(Q, best.length);
    this.#hasLatest = false;
    this.#locked = Float64Array.from(best, ({ value }) => value);
    this.#T.fill(0);
    this.#beta = 0;
  }

  /**
   * Locked vectors ← Ritz vectors of A itself in the space that they span: what rounding errors, and residuals of vectors that were locked before, have
   * mixed comes apart.
   */
  project(): void {
    const { size } = this.#V;
    const H = new Float64Array(size * size);
    const [x, y] = [this.#latest.w, this.#next.w];
    for (let j = 0; j < size; j++) {
      this.#V.copyTo(j, x);
      this.#problem.A.apply(x, y);
      for (const [i, value] of this.#V.project(y).entries()) {
        H[i * size + j]! += value / 2;
        H[j * size + i]! += value / 2;
      }
    }
    if (!H.every(Number.isFinite)) return;
    const { values, vectors } = symmetricEigen(H, size);
    this.#V.rotate(vectors, size);
    this.#locked = values.map(this.#op.nuOf);
  }

  /** Keeps the locked vectors in these places. */
  keep(places: readonly number[]): void {
    const { size } = this.#V;
    const Q = new Float64Array(size * places.length);
    for (const [to, from] of places.entries()) Q[from * places.length + to] = 1;
    this.#V.rotate(Q, places.length);
    this.#locked = Float64Array.from(places, (place) => this.#locked[place]!);
  }

  /** A random vector that is orthogonal to the locked ones, which begins a search beside them. */
  beginBeside(): void {
    this.#isComplete = false;
    this.#draw();
  }

  /** The next vector: random, and orthogonal to V. (A − σ B)⁻¹ B is applied first, which leaves no part in the null space of B; B⁻¹ A is not, since it would leave none in that of A. */
  #draw(): void {
    for (let tried = 0; tried < DRAWS && this.#V.size < this.#problem.size; tried++) {
      const { B, cost } = this.#op;
      const [first, second] = [this.#before, this.#next];
      const isInverse = B !== undefined && cost.products === 0;
      const drawn = isInverse ? first : second;
      drawVector(drawn.w, this.#draws++ % 1000);
      B?.apply(drawn.w, drawn.image!);
      if (isInverse) {
        this.#op.apply(first, second);
        this.applications++;
      }
      if (this.#take(second)) return;
    }
    this.#isComplete = true;
  }

  /** Makes a vector the next one. @returns whether it does not depend on V */
  #take(pair: VectorPair): boolean {
    const { norm } = this.#V.orthogonalize(pair.w, this.#inner(pair));
    this.#isFinite = Number.isFinite(norm);
    return norm !== 0;
  }

  #inner({ image }: VectorPair) {
    const { B } = this.#op;
    return B && { B, image: image! };
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
