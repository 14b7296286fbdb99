/**
 * The search for the k most wanted pairs of a transformation, by thick-restart Lanczos in rounds. The first round finds k pairs. A Krylov space has one vector of
 * each eigenvalue, whatever its multiplicity, so they are locked, and another round begins with a random vector that is orthogonal to them. Rounds follow until one finds nothing.
 *
 * Source: Wu & Simon 2000; Parlett, The Symmetric Eigenvalue Problem, 1998, chapter 13.
 * Differs from block methods, which find as many copies at once as a block has columns, and miss the others: a round costs about the steps of one
 *   eigenvalue, and there are as many rounds as copies, and one. Ritz vectors are locked between rounds only, so that those of a round improve until its end.
 *   The last round, of A itself, ends before anything has converged (`probe.ts`).
 * Cost: a step is a product, or a solve, and orthogonalization: 4 m n operations with m vectors, mostly in one pass.
 */
import { assemble, type Owned } from '../../core/owned.js';
import type { Vector } from '../../memory/vector.js';
import { Workspace } from '../../solvers/workspace.js';
import type { EigenProblem, EigenReason, EigenStep } from '../method.js';
import type { TakenPairs } from '../outcome.js';
import type { PairResidual, Residuals } from '../residuals.js';
import { Expansion, type ExpansionEnd, MARGIN, ROUNDINGS } from './expansion.js';
import { bestOf, type Found, insideOf } from './found.js';
import type { LanczosSpace } from './lanczos-space.js';
import { type Beside, besideOf, NONE_BESIDE, probe } from './probe.js';
import type { RitzPairs } from './projected.js';
import type { Transformation, VectorPair } from './transformation.js';

/** Where the true residual is above the tolerance, the estimate must be smaller by the same factor, with the margin, and by this one at least. */
const TIGHTER = 0.1;

/** Where estimates of products that are so much smaller did not do, more steps do not help. Chosen. */
const LEAST_MARGIN = 1e-3;

/** Times that good vectors are kept, and others are looked for again. Chosen. */
const MOST_MENDS = 3;

/** A search looks for the end of its first round after so many steps at least, and then as often as if residuals fell by so many decades a step. Chosen: by inversion they fall by one. */
const FIRST_LOOK = 10;
const DECADES = 2;

/** Rounds that may follow the first one, beside those for k. */
const MORE_ROUNDS = 10;

/** How a round ended. */
type RoundEnd = 'done' | ExpansionEnd;

export class Search implements Disposable {
  readonly #problem: EigenProblem;
  readonly #op: Transformation;
  readonly #residuals: Residuals;
  readonly #expansion: Expansion;
  readonly #space: LanczosSpace;
  readonly #owned: Owned;
  readonly #x: Vector;
  readonly #from: VectorPair | undefined;
  readonly #to: VectorPair | undefined;
  /** Whether `take` solves. */
  isPolished = false;
  #polishes = 0;
  #missing = 0;
  #mends = 0;
  /** Residuals of the locked vectors, as far as they were computed. */
  #pairs: (PairResidual | undefined)[] = [];
  #beside = NONE_BESIDE;
  /** What is active, for pairs of a search that is stopped. */
  #ritz: RitzPairs | undefined;

  /** @throws SparlaneError `heap` */
  constructor(problem: EigenProblem, op: Transformation, residuals: Residuals) {
    this.#problem = problem;
    this.#op = op;
    this.#residuals = residuals;
    const made = assemble((owned) => {
      const expansion = owned.own(new Expansion(problem, op, residuals));
      const work = owned.own(new Workspace(problem.A));
      const isInverse = op.B !== undefined && op.cost.products === 0;
      const pair = () => (isInverse ? { w: work.vector(), image: work.vector() } : undefined);
      return { owned, expansion, x: work.vector(), from: pair(), to: pair() };
    });
    this.#owned = made.owned;
    this.#expansion = made.expansion;
    this.#space = made.expansion.space;
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
    return isCounted && this.#space.locked.length >= this.#problem.k ? 'tolerance' : yield* this.more(0);
  }

  /**
   * Rounds until one finds nothing, or they have found what is missing.
   *
   * @param missing what a count says, or 0 where nothing was counted
   */
  *more(missing: number): Generator<EigenStep, EigenReason> {
    this.#missing = missing;
    for (let round = 0; round < this.#problem.k + MORE_ROUNDS; round++) {
      if (this.#space.isComplete && this.#space.locked.length >= this.#problem.k) return 'tolerance';
      const before = this.#space.locked.slice();
      this.#space.beginBeside();
      if (this.#space.isComplete) return 'tolerance';
      const probed = yield* probe(this.#expansion, this.#problem, this.#op, this.#beside.slack);
      if (probed === 'nothing') return 'tolerance';
      const end = probed ?? (yield* this.#round(false));
      if (end !== 'done') return end;
      if (missing > 0 && this.#missing === 0) return 'tolerance';
      const after = this.#space.locked;
      if (after.length === before.length && after.every((value, j) => value === before[j])) return 'tolerance';
    }
    return 'stagnated';
  }

  /** The pairs at the end: those that are locked, or the best so far. */
  take(): TakenPairs {
    const space = this.#space;
    if (space.active > 0) {
      this.#polishFromNowOn();
      const ritz = this.#ritz ?? space.ritz();
      this.#keep(ritz, this.#expansion.order(ritz), [], NONE_BESIDE);
    }
    const copyTo = (j: number, x: Vector) => {
      space.copyLockedTo(j, x);
      this.#polish(x, space.locked[j]!);
    };
    return { values: this.values, residuals: this.#pairs, copyTo };
  }

  /** The values that are locked, the best first. */
  get values(): Float64Array {
    return this.#space.locked.map((nu) => this.#op.valueOf(nu));
  }

  /** @returns whether there is a B, and an inverse */
  #polishFromNowOn(): boolean {
    this.isPolished = this.#from !== undefined;
    this.#space.isPurified &&= !this.isPolished;
    return this.isPolished;
  }

  /**
   * x ← Op x / ν, by a solve, where the part of the next vector does not do: rounding errors in the null space of a singular B grow from step to step, and vanish here.
   */
  #polish(x: Vector, nu: number): void {
    const [from, to] = [this.#from, this.#to];
    if (!this.isPolished || from === undefined || to === undefined || nu === 0) return;
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
    const [space, expansion] = [this.#space, this.#expansion];
    const { k, report } = this.#problem;
    const isWatched = isFirst || this.#missing > 0;
    let next = isWatched ? space.steps + Math.max(isFirst ? 2 * k : 0, FIRST_LOOK) : Number.POSITIVE_INFINITY;
    for (;;) {
      this.#ritz = undefined;
      while (!space.isFull && !space.isComplete && (space.steps < next || space.active === 0)) {
        const end = yield* expansion.expand();
        if (end !== undefined) return end;
      }
      const ritz = expansion.ritz();
      this.#ritz = ritz;
      const order = expansion.order(ritz);
      const { found, isDone } = this.#foundIn(ritz, order, isFirst);
      expansion.converged = space.locked.length + found.length;
      if (isDone || space.isFull || space.isComplete) report(expansion.step());
      const end = isDone ? this.#lock(ritz, order, found) : undefined;
      if (end !== undefined) return end;
      if (isWatched) next = space.steps + this.#stepsLeft(ritz, order.slice(0, isFirst ? k : found.length + 1));
      if (space.isFull || space.isComplete) expansion.restart(ritz, order, isFirst ? k : found.length + 1);
    }
  }

  /** The number of steps before which the estimates are not expected to meet the tolerance. */
  #stepsLeft({ values, residuals }: RitzPairs, wanted: readonly number[]): number {
    const worst = Math.max(...wanted.map((j) => residuals[j]! / this.#expansion.toleranceOf(values[j]!)));
    return worst > 1 ? Math.max(1, Math.floor(Math.log10(worst) / DECADES)) : 1;
  }

  /** The k best, as far as they have converged; after the first round those that are better than the worst of the k that are known. */
  #foundIn(ritz: RitzPairs, order: readonly number[], isFirst: boolean): Found {
    const { isComplete, locked } = this.#space;
    const { k } = this.#problem;
    const { orderOf } = this.#op;
    const missing = this.#missing;
    const toleranceOf = (nu: number) => this.#expansion.toleranceOf(nu);
    if (isFirst) return bestOf(ritz, order.slice(0, k), toleranceOf, isComplete);
    return insideOf(ritz, order, { k, locked, orderOf, toleranceOf, isComplete, missing });
  }

  /**
   * Locks what was found, if the true residuals meet the tolerance. If not, those of estimates become smaller, until that does not help any more.
   *
   * @returns undefined if the round goes on
   */
  #lock(ritz: RitzPairs, order: readonly number[], found: readonly number[]): RoundEnd | undefined {
    const space = this.#space;
    let pairs = this.#residualsOf(ritz, found);
    if (!this.isPolished && !pairs.every(({ isSmall }) => isSmall) && this.#polishFromNowOn())
      pairs = this.#residualsOf(ritz, found);
    let tighter = 1;
    for (const { isSmall, norm, target } of pairs)
      if (!isSmall) tighter = Math.min(tighter, MARGIN * (target / norm || 0), TIGHTER);
    this.#expansion.margin *= tighter;
    if (tighter < 1 && !space.isComplete && !this.#isExhausted) return undefined;
    this.#ritz = undefined;
    this.#missing = Math.max(this.#missing - found.length, 0);
    const rest = order.filter((j) => !found.includes(j));
    this.#keep(ritz, found, pairs, this.#besideOf(ritz, rest, found));
    return tighter === 1 || this.#isMended() ? 'done' : 'stagnated';
  }

  #residualsOf(ritz: RitzPairs, found: readonly number[]): PairResidual[] {
    return found.map((j) => {
      this.#space.copyTo(ritz, j, this.#x);
      return this.#residualOf(ritz.values[j]!);
    });
  }

  #keep(ritz: RitzPairs, found: readonly number[], pairs: readonly PairResidual[], beside: Beside): void {
    const places = this.#space.lock(ritz, found, this.#problem.k, beside.columns);
    this.#pairs = places.map((place) => (place < 0 ? pairs[-1 - place] : this.#pairs[place]));
    this.#beside = beside;
  }

  #besideOf(ritz: RitzPairs, rest: readonly number[], found: readonly number[]): Beside {
    const { k } = this.#problem;
    const { orderOf, cost } = this.#op;
    const known = [...this.#space.locked, ...found.map((j) => ritz.values[j]!)].map(orderOf).sort((a, b) => a - b);
    if (cost.products === 0 || known.length < k) return NONE_BESIDE;
    return besideOf(ritz, rest, known[k - 1]!, this.#space.capacity - k, orderOf);
  }

  /**
   * Projects what is locked: what is left of a residual may be that of a vector which was locked before. Beside a very large |ν| the vectors of all others have
   * its rounding errors; as long as something is good, it stays locked, and the next rounds find the others.
   *
   * @returns whether rounds can go on
   */
  #isMended(): boolean {
    const space = this.#space;
    this.#expansion.margin = MARGIN;
    space.project();
    this.#residuals.products += space.locked.length;
    this.#beside = NONE_BESIDE;
    this.#pairs = Array.from(space.locked, (nu, j) => {
      space.copyLockedTo(j, this.#x);
      return this.#residualOf(nu);
    });
    const good = Array.from(space.locked.keys()).filter((j) => this.#pairs[j]!.isSmall);
    if (good.length === space.locked.length) return true;
    if (good.length === 0 || this.#mends++ >= MOST_MENDS) return false;
    space.keep(good);
    this.#pairs = good.map((j) => this.#pairs[j]);
    return true;
  }

  /** That of `#x`. */
  #residualOf(nu: number): PairResidual {
    this.#polish(this.#x, nu);
    return this.#residuals.of(this.#op.valueOf(nu), this.#x);
  }

  get #isExhausted(): boolean {
    if (this.#op.cost.solves === 0) return this.#expansion.margin < LEAST_MARGIN;
    return this.#expansion.margin * this.#problem.tolerance < ROUNDINGS * this.#residuals.unit;
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
