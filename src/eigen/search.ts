/**
 * The search for the k most wanted pairs of a transformation, by thick-restart Lanczos in rounds. The first round finds k pairs. A Krylov space has one vector of
 * each eigenvalue, whatever its multiplicity, so they are locked, and another round begins with a random vector that is orthogonal to them. It
 * ends when the best of what it finds is known not to be in the range of the k, and rounds follow until one finds nothing.
 *
 * Source: Wu & Simon 2000; Parlett, The Symmetric Eigenvalue Problem, 1998, chapter 13.
 * Differs from block methods, which find as many copies at once as a block has columns, and miss the others: a round costs about the steps of one
 *   eigenvalue, and there are as many rounds as copies, and one. Ritz vectors are locked between rounds only, so that those of a round improve until its end.
 * Cost: a step is a product, or a solve, and orthogonalization: 4 m n operations with m vectors, mostly in one pass.
 */
import { assemble, type Owned } from '../core/owned.js';
import type { Vector } from '../memory/vector.js';
import { Workspace } from '../solvers/workspace.js';
import { bestOf, type Found, insideOf } from './found.js';
import { LanczosSpace, type RitzPairs } from './lanczos-space.js';
import type { EigenProblem, EigenReason, EigenStep } from './method.js';
import type { PairResidual, Residuals } from './residuals.js';
import type { Transformation, VectorPair } from './transformation.js';

/** Of the vectors that a restart could keep beside the wanted ones, this share is kept. Chosen. */
const KEPT = 0.4;

/** The estimate of a residual is at most this share of the tolerance, so that the true one meets it mostly. */
const MARGIN = 0.3;

/** Where the true residual is above the tolerance, the estimate must be smaller by the same factor, with the margin, and by this one at least. */
const TIGHTER = 0.1;

/** Where estimates of products that are so much smaller did not do, more steps do not help. Chosen. */
const LEAST_MARGIN = 1e-3;

/** An estimate of solves is never smaller than so many units of rounding of the largest ν. Chosen. */
const ROUNDINGS = 10;

/** Times that good vectors are kept, and others are looked for again. Chosen. */
const MOST_MENDS = 3;

/** Vectors of a whole space up to here: a smaller basis would cost more. */
const WHOLE = 64;

/** Rounds that may follow the first one, beside those for k. */
const MORE_ROUNDS = 10;

/** How a round ended. */
type RoundEnd = 'done' | Exclude<EigenReason, 'tolerance' | 'incomplete'>;

export class Search implements Disposable {
  readonly #problem: EigenProblem;
  readonly #op: Transformation;
  readonly #residuals: Residuals;
  readonly #space: LanczosSpace;
  readonly #owned: Owned;
  readonly #x: Vector;
  readonly #from: VectorPair | undefined;
  readonly #to: VectorPair | undefined;
  /** The tolerance of estimates over that of residuals. */
  #margin = MARGIN;
  /** The greatest modulus of a Ritz value. */
  #largest = 0;
  #converged = 0;
  #isStrict = false;
  #polishes = 0;
  #mends = 0;
  /** What is active, for pairs of a search that is stopped. */
  #ritz: RitzPairs | undefined;

  /** @throws SparlaneError `heap` */
  constructor(problem: EigenProblem, op: Transformation, residuals: Residuals) {
    const { A, size, basisSize } = problem;
    const { B, cost } = op;
    this.#problem = problem;
    this.#op = op;
    this.#residuals = residuals;
    const isPolished = B !== undefined && cost.products === 0;
    const capacity = Math.max(basisSize, WHOLE) >= size ? size : basisSize;
    const made = assemble((owned) => {
      const space = owned.own(new LanczosSpace(problem, op, capacity));
      const work = owned.own(new Workspace(A));
      const pair = () => (isPolished ? { w: work.vector(), image: work.vector() } : undefined);
      return { owned, space, x: work.vector(), from: pair(), to: pair() };
    });
    this.#owned = made.owned;
    this.#space = made.space;
    this.#x = made.x;
    this.#from = made.from;
    this.#to = made.to;
  }

  get iterations(): number {
    return this.#space.steps;
  }

  /** Whether all that there is was seen. */
  get isComplete(): boolean {
    return this.#space.isComplete;
  }

  /** The number of times that the transformation was applied. */
  get applications(): number {
    return this.#space.applications + this.#polishes;
  }

  /**
   * All rounds, or where a count follows only those that find k pairs.
   *
   * @returns the reason for the end
   */
  *run(isCounted = false): Generator<EigenStep, EigenReason> {
    this.#space.begin(this.#problem.start);
    const first = yield* this.#round(true);
    if (first !== 'done') return first;
    return isCounted && this.#space.locked.length >= this.#problem.k ? 'tolerance' : yield* this.more(false);
  }

  /**
   * Rounds until one finds nothing.
   *
   * @param isStrict whether a round ends only with a converged pair out of range: where a count says that something is missing
   */
  *more(isStrict: boolean): Generator<EigenStep, EigenReason> {
    this.#isStrict = isStrict;
    for (let round = 0; round < this.#problem.k + MORE_ROUNDS; round++) {
      // All of the space has been seen.
      if (this.#space.isComplete && this.#space.locked.length >= this.#problem.k) return 'tolerance';
      const before = this.#space.locked.slice();
      this.#space.beginBeside();
      if (this.#space.isComplete) return 'tolerance';
      const end = yield* this.#round(false);
      if (end !== 'done') return end;
      const after = this.#space.locked;
      if (after.length === before.length && after.every((value, j) => value === before[j])) return 'tolerance';
    }
    return 'stagnated';
  }

  /** The pairs at the end: those that are locked, or the best so far. */
  take(): { readonly values: Float64Array; copyTo(j: number, x: Vector): void } {
    const space = this.#space;
    if (space.active > 0) {
      const ritz = this.#ritz ?? space.ritz();
      space.lock(ritz, this.#order(ritz), this.#problem.k);
    }
    const copyTo = (j: number, x: Vector) => {
      space.copyLockedTo(j, x);
      this.#polish(x, space.locked[j]!);
    };
    return { values: space.locked.map((nu) => this.#op.valueOf(nu)), copyTo };
  }

  /** The values that are locked, the best first. */
  get values(): Float64Array {
    return this.#space.locked.map((nu) => this.#op.valueOf(nu));
  }

  /**
   * x ← Op x / ν: the same, without what rounding errors leave in the null space of B, which no inner product by B sees.
   *
   * Source: Nour-Omid, Parlett, Ericsson & Jensen 1987 (purification).
   */
  #polish(x: Vector, nu: number): void {
    const [from, to] = [this.#from, this.#to];
    if (from === undefined || to === undefined || nu === 0) return;
    from.w.copyFrom(x);
    this.#op.B!.apply(x, from.image!);
    this.#op.apply(from, to);
    this.#polishes++;
    x.copyFrom(to.w).scale(1 / nu);
  }

  /** Whether there are pairs to take: not where the first product was not finite. */
  get hasPairs(): boolean {
    return this.#space.active + this.#space.locked.length > 0;
  }

  *#round(isFirst: boolean): Generator<EigenStep, RoundEnd> {
    const space = this.#space;
    const problem = this.#problem;
    const { limit } = problem;
    for (;;) {
      this.#ritz = undefined;
      while (!space.isFull && !space.isComplete) {
        if (space.active > 0 && space.steps >= limit) return 'iterations';
        if (space.active > 0 && problem.isStopped()) return 'stopped';
        if (!space.isFinite) return 'not-finite';
        space.expand();
        if (!space.isFinite) return 'not-finite';
        yield this.#step();
      }
      const ritz = space.ritz();
      this.#ritz = ritz;
      for (const value of ritz.values) this.#largest = Math.max(this.#largest, Math.abs(value));
      this.#raise();
      const order = this.#order(ritz);
      const { found, isDone } = this.#foundIn(ritz, order, isFirst);
      this.#converged = space.locked.length + found.length;
      problem.report(this.#step());
      const end = isDone ? this.#lock(ritz, found) : undefined;
      if (end !== undefined) return end;
      this.#restart(ritz, order, isFirst ? problem.k : found.length + 1);
    }
  }

  /** The k best, as far as they have converged; after the first round those that are better than the worst of the k that are known. */
  #foundIn(ritz: RitzPairs, order: readonly number[], isFirst: boolean): Found {
    const { isComplete, locked } = this.#space;
    const { k } = this.#problem;
    const { orderOf } = this.#op;
    const toleranceOf = (nu: number) => this.#toleranceOf(nu);
    if (isFirst) return bestOf(ritz, order.slice(0, k), toleranceOf, isComplete);
    return insideOf(ritz, order, { k, locked, orderOf, toleranceOf, isComplete, isStrict: this.#isStrict });
  }

  /** What the estimate of a residual may be, in the numbers of the transformation. */
  #toleranceOf(nu: number): number {
    if (this.#op.cost.solves > 0) {
      const relative = this.#margin * this.#problem.tolerance * Math.abs(nu);
      return Math.max(relative, ROUNDINGS * this.#residuals.unit * this.#largest);
    }
    return this.#margin * this.#residuals.target(nu, 1, 1);
  }

  /**
   * Locks what was found, if the true residuals meet the tolerance. If not, those of estimates become smaller, until that does not help any more.
   *
   * @returns undefined if the round goes on
   */
  #lock(ritz: RitzPairs, found: readonly number[]): RoundEnd | undefined {
    const space = this.#space;
    let tighter = 1;
    for (const j of found) {
      space.copyTo(ritz, j, this.#x);
      const { isSmall, norm, target } = this.#residualOf(ritz.values[j]!);
      if (!isSmall) tighter = Math.min(tighter, MARGIN * (target / norm || 0), TIGHTER);
    }
    this.#margin *= tighter;
    if (tighter < 1 && !space.isComplete && !this.#isExhausted) return undefined;
    this.#ritz = undefined;
    space.lock(ritz, found, this.#problem.k);
    return tighter === 1 || this.#isMended() ? 'done' : 'stagnated';
  }

  /**
   * Projects what is locked: what is left of a residual may be that of a vector which was locked before. Beside a very large |ν| the vectors of all others have
   * its rounding errors; as long as something is good, it stays locked, and the next rounds find the others.
   *
   * @returns whether rounds can go on
   */
  #isMended(): boolean {
    const space = this.#space;
    this.#margin = MARGIN;
    space.project();
    this.#residuals.products += space.locked.length;
    const good = Array.from(space.locked.keys()).filter((j) => {
      space.copyLockedTo(j, this.#x);
      return this.#residualOf(space.locked[j]!).isSmall;
    });
    if (good.length === space.locked.length) return true;
    if (good.length === 0 || this.#mends++ >= MOST_MENDS) return false;
    space.keep(good);
    return true;
  }

  /** That of `#x`. */
  #residualOf(nu: number): PairResidual {
    this.#polish(this.#x, nu);
    return this.#residuals.of(this.#op.valueOf(nu), this.#x);
  }

  get #isExhausted(): boolean {
    if (this.#op.cost.solves === 0) return this.#margin < LEAST_MARGIN;
    return this.#margin * this.#problem.tolerance < ROUNDINGS * this.#residuals.unit;
  }

  #restart(ritz: RitzPairs, order: readonly number[], wanted: number): void {
    const { active } = this.#space;
    const room = Math.max(active - wanted, 0);
    const kept = Math.min(wanted + Math.floor(KEPT * room), active - 1);
    this.#space.restart(ritz, order.slice(0, Math.max(kept, 1)));
  }

  /** Columns, the most wanted first. */
  #order({ values }: RitzPairs): number[] {
    const { orderOf } = this.#op;
    return Array.from(values.keys()).sort((i, j) => orderOf(values[i]!) - orderOf(values[j]!));
  }

  /** Ritz values of A itself bound its norm from beneath. */
  #raise(): void {
    if (this.#op.cost.solves === 0) this.#residuals.raise(this.#largest);
  }

  #step(): EigenStep {
    return { stage: 'iterations', iteration: this.#space.steps, converged: this.#converged };
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
