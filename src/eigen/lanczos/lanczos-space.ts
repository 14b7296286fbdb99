/**
 * A Krylov space with an orthonormal basis V = [locked | beside | active], in the inner product of a transformation: it is expanded by the operator, restarted from Ritz vectors, and
 * begun anew beside vectors that are locked. Those in `beside` have not converged, and are kept out of the active part until `dropBeside`.
 *
 * Source: Wu & Simon 2000 (thick restart). With full orthogonalization, the coefficients of a vector are its column of T = Vᵀ B Op V, so that
 *   what a restart leaves beside the diagonal needs no formula.
 */
import { mismatch } from '../../core/errors.js';
import { assemble, type Owned } from '../../core/owned.js';
import type { Scalar } from '../../memory/scalar.js';
import type { Vector } from '../../memory/vector.js';
import type { VectorInput } from '../../operators/operator.js';
import { copyInto } from '../../solvers/arguments.js';
import { Workspace } from '../../solvers/workspace.js';
import { Basis, type Orthogonalized } from '../basis/basis.js';
import type { EigenProblem } from '../method.js';
import { drawVector } from '../random.js';
import { Projected, type RitzPairs } from './projected.js';
import { rayleighRitz } from './rayleigh-ritz.js';
import { bestPlaces, Rotation } from './rotation.js';
import type { Transformation, VectorPair } from './transformation.js';

/** Random vectors that depend on V, until V counts as the whole space. */
const DRAWS = 3;

export class LanczosSpace implements Disposable {
  readonly capacity: number;
  readonly #problem: EigenProblem;
  readonly #op: Transformation;
  readonly #owned: Owned;
  readonly #V: Basis;
  readonly #T: Projected;
  readonly #scalars: readonly Scalar[];
  /** The next vector of V, of norm 1; the latest one, and the one before it: with them the next one is nearly orthogonal to all. */
  #next: VectorPair;
  #latest: VectorPair;
  #before: VectorPair;
  /** Whether they are the last columns of V. */
  #hasLatest = false;
  #hasBefore = false;
  #locked: Float64Array = new Float64Array(0);
  /** The number of vectors that are kept out of the active part. */
  beside = 0;
  /** Whether Ritz vectors of an inverse get their part of the next one. */
  isPurified = true;
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
    this.#T = new Projected(capacity);
    const made = assemble((owned) => {
      const work = owned.own(new Workspace(A));
      const V = owned.own(new Basis(A, capacity + 1));
      const pair = () => ({ w: work.vector(), image: op.B === undefined ? undefined : work.vector() });
      return { owned, V, next: pair(), latest: pair(), before: pair(), scalars: [work.scalar(), work.scalar()] };
    });
    this.#owned = made.owned;
    this.#V = made.V;
    this.#next = made.next;
    this.#latest = made.latest;
    this.#before = made.before;
    this.#scalars = made.scalars;
  }

  /** The ν of the locked vectors. */
  get locked(): Float64Array {
    return this.#locked;
  }

  /** The number of active vectors. */
  get active(): number {
    return this.#V.size - this.#offset;
  }

  /** The first active column of V. */
  get #offset(): number {
    return this.#locked.length + this.beside;
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
    const parts = this.#withoutParts(this.#hasBefore ? [this.#latest, this.#before] : [this.#latest]);
    this.#op.B?.apply(this.#next.w, this.#next.image!);
    const { coefficients, norm } = this.#orthogonalize(this.#next, Math.hypot(...parts));
    const { size } = this.#V;
    for (const [back, part] of parts.entries()) coefficients[size - 1 - back]! += part;
    this.#isFinite = Number.isFinite(norm) && coefficients.every(Number.isFinite);
    this.#isComplete = size >= this.#problem.size;
    this.#T.addColumn(coefficients, this.active, this.#isComplete ? 0 : norm);
    if (this.#isFinite && !this.#isComplete && norm === 0) this.#draw();
  }

  /** Takes the parts of columns of V from the next vector. In exact arithmetic the latest two are all there is but after a restart, and one pass over V is then enough. */
  #withoutParts(pairs: readonly VectorPair[]): number[] {
    const { w } = this.#next;
    const scalars = this.#scalars.slice(0, pairs.length);
    const images = pairs.map((pair) => pair.image ?? pair.w);
    w.dots(images, scalars);
    const parts = scalars.map(({ value }) => value);
    const [negated, vectors] = [parts.map((part) => -part), pairs.map((pair) => pair.w)];
    if (parts.every(Number.isFinite)) w.axpys(negated, vectors);
    return parts;
  }

  /** The Ritz pairs of the active part, after an expansion. */
  ritz(): RitzPairs {
    return this.#T.ritz(this.active);
  }

  /** Returns what `Projected.partBefore` says of the first vector since the space was begun, where the order is linear. */
  partBefore(limit: number): number | undefined {
    return this.#T.partBefore(this.active, limit, this.#op.orderOf);
  }

  /**
   * x ← the Ritz vector of column j; of an inverse Op x / ν, which is the Ritz vector and a part of the next one. Its residual for A is smaller, and rounding errors in the null
   * space of B, which no inner product by B sees, are not in it.
   *
   * Source: Nour-Omid, Parlett, Ericsson & Jensen 1987 (purification).
   */
  copyTo(ritz: RitzPairs, j: number, x: Vector): void {
    const { active } = this;
    const c = new Float64Array(this.#V.size);
    for (let i = 0; i < active; i++) c[this.#offset + i] = ritz.vectors[i * active + j]!;
    this.#V.combination(c, x);
    const part = this.#partOfNext(ritz, j);
    if (part !== 0) x.axpy(part, this.#next.w);
  }

  #partOfNext(ritz: RitzPairs, j: number): number {
    const { B, cost } = this.#op;
    return cost.products > 0 || !this.isPurified ? 0 : this.#T.partOfNext(ritz, j, B === undefined);
  }

  /** x ← locked vector j. */
  copyLockedTo(j: number, x: Vector): void {
    this.#V.copyTo(j, x);
  }

  /** Keeps these Ritz vectors of the active part; the next vector stays. */
  restart(ritz: RitzPairs, kept: readonly number[]): void {
    const offset = this.#offset;
    const rotation = new Rotation(this.#V.size, offset + kept.length);
    for (let i = 0; i < offset; i++) rotation.keep(i, i);
    for (const [at, j] of kept.entries()) rotation.putRitz(ritz, j, offset, offset + at);
    this.#rotate(rotation);
    this.#T.keep(ritz, kept);
  }

  /**
   * Locks the best `count` of the locked vectors and of these Ritz vectors.
   *
   * @param found columns of the Ritz vectors
   * @param beside columns of others, which stay beside what comes then
   * @returns for each vector that is locked its place before, or −1 − its place in `found`
   */
  lock(ritz: RitzPairs, found: readonly number[], count: number, beside: readonly number[]): number[] {
    const offset = this.#offset;
    const nus = found.map((j) => ritz.values[j]!);
    const best = bestPlaces(this.#locked, nus, count, this.#op.orderOf);
    const parts = found.map((j) => this.#partOfNext(ritz, j));
    if (parts.some((part) => part !== 0)) this.#V.append(this.#next.w);
    const rotation = new Rotation(this.#V.size, best.length + beside.length);
    for (const [at, { from }] of best.entries()) {
      if (from >= 0) rotation.keep(from, at);
      else {
        const part = parts[-1 - from]!;
        rotation.putRitz(ritz, found[-1 - from]!, offset, at);
        if (part !== 0) rotation.addLast(part, at);
      }
    }
    for (const [at, j] of beside.entries()) rotation.putRitz(ritz, j, offset, best.length + at);
    this.#rotate(rotation);
    this.#T.clear();
    this.#locked = Float64Array.from(best, ({ nu }) => nu);
    this.beside = beside.length;
    return best.map(({ from }) => from);
  }

  #rotate({ Q, columns }: Rotation): void {
    this.#V.rotate(Q, columns);
    this.#hasLatest = false;
  }

  /**
   * Locked vectors ← Ritz vectors of A itself in the space that they span: what rounding errors, and residuals of vectors that were locked before, have
   * mixed comes apart. Nothing stays beside them.
   */
  project(): void {
    this.dropOthers();
    const values = rayleighRitz(this.#V, this.#problem.A, this.#latest.w, this.#next.w);
    if (values === undefined) return;
    this.#locked = values.map(this.#op.nuOf);
  }

  /** Keeps the locked vectors in these places. */
  keep(places: readonly number[]): void {
    const rotation = new Rotation(this.#V.size, places.length);
    for (const [to, from] of places.entries()) rotation.keep(from, to);
    this.#rotate(rotation);
    this.#locked = Float64Array.from(places, (place) => this.#locked[place]!);
  }

  /** A random vector that is orthogonal to V, which begins a search beside the locked ones. */
  beginBeside(): void {
    this.#isComplete = false;
    this.#T.clear();
    this.#draw();
  }

  /** Keeps the locked vectors only. */
  dropOthers(): void {
    this.#V.truncate(this.#locked.length);
    this.beside = 0;
    this.#hasLatest = false;
    this.#T.clear();
  }

  /** Begins anew, from a Ritz vector, with the locked vectors only. */
  dropBeside(ritz: RitzPairs, j: number): void {
    this.copyTo(ritz, j, this.#next.w);
    this.dropOthers();
    this.#op.B?.apply(this.#next.w, this.#next.image!);
    if (!this.#take(this.#next)) this.#draw();
  }

  /** The next vector: random, and orthogonal to V. (A − σ B)⁻¹ B is applied first, which leaves no part in the null space of B; B⁻¹ A is not, since it would leave none in that of A. */
  #draw(): void {
    for (let tried = 0; tried < DRAWS && this.#V.size < this.#problem.size; tried++) {
      const { B, cost } = this.#op;
      const [first, second] = [this.#before, this.#next];
      const drawn = B !== undefined && cost.products === 0 ? first : second;
      drawVector(drawn.w, this.#draws++ % 1000);
      B?.apply(drawn.w, drawn.image!);
      if (drawn === first) {
        this.#op.apply(first, second);
        B?.apply(second.w, second.image!);
        this.applications++;
      }
      if (this.#take(second)) return;
    }
    this.#isComplete = true;
  }

  /** Makes a vector the next one. @returns whether it does not depend on V */
  #take(pair: VectorPair): boolean {
    const { norm } = this.#orthogonalize(pair);
    this.#isFinite = Number.isFinite(norm);
    return norm !== 0;
  }

  #orthogonalize({ w, image }: VectorPair, whole?: number): Orthogonalized {
    const { B } = this.#op;
    return this.#V.orthogonalize(w, B && { B, image: image! }, whole);
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
