/**
 * Which plan is next: each one states the time that it expects, and the least wins. A plan is watched while it runs: what it learns (iterations that are left,
 * the spectrum) changes the times, and it is left if another one is expected to end clearly before it. x goes from plan to plan.
 *
 * A Krylov method begins with a few iterations, which cost little and say how many more there will be; a direct method comes first where its time is
 * less than twice what is expected of those. An expectation is never more than some times what was already spent (`FORECASTS`), so factors are made
 * when the iterations have taken an eighth of their time (a thirty-second part, of cg with jacobi), or the spectrum says that they will.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { ErrorCode } from '../core/errors.js';
import type { Prediction } from '../direct/method.js';
import type { ArrangedSystem } from './arranged-system.js';
import type { SystemFacts } from './decide.js';
import { FOR_JUMPS } from './elliptic.js';
import { FactorForecast } from './factor-forecast.js';
import { Forecast, type Remaining } from './forecast.js';
import type { Watch } from './method.js';
import { PlanTimes } from './plan-times.js';
import { planName, type Runner, runnersFor } from './runners.js';
import type { Attempt } from './system.js';
import { sizesInCsr, sizesOf, Times, timeOf } from './times.js';

/**
 * Forecasts are made after `first` iterations, and after each doubling. A spectrum whose ends are not found yet is believed for `trusted` times as many. Its
 * least eigenvalue is approached from above: more iterations follow than it says, but 5 to 10 times fewer if that eigenvalue is alone (layers).
 */
const FORECASTS = { jacobi: { first: 12, trusted: 32 }, other: { first: 24, trusted: 8 } } as const;

/** Nothing is worth thinking about that takes less. */
const QUICK_MS = 5;

/** Factors are preferred up to this many times the time of the first iterations, which may not be the last ones. */
const SURE = 2;

/** A plan is left for one that takes less than this share of the time that it still would. */
const WORTHWHILE = 0.75;

/**
 * A method is expected to take this many times the iterations that follow from a spectrum whose ends are not found yet. Chosen: factors then come before a trial of ic0 on
 * grids, jumps and frames (1.2 to 1.7 times their own time in place of 1.4 to 1.9), and not with a rotated anisotropy, where ic0 takes a third of their time.
 */
const MORE = 1.2;

/** The same where coefficients jump: 8 to 19 times as many were left after 12 to 24 iterations (layers 60³, a checkerboard of 500²). */
const MORE_WITH_JUMPS = 3;

/** Multigrid goes on in place of a trial of incomplete factors if it takes less than this share of the time that they are expected to take. Chosen: 0.82 on 7-point 100³, where it is faster; 0.98 on 70³, where it is not. */
const CLEARLY = 0.9;

/** Made factors may take this many times what they were chosen for. */
const MISJUDGED = 4;

/** Incomplete factors are tried where they and the first iterations take less than this share of what is left without them. */
const TRIAL = 0.4;

/**
 * Checks before a method that makes no progress is left for good, where factors have not solved the system either, or where it was only tried before
 * them. Otherwise as many as rows: cg on a plate stands still for thousands of iterations, and arrives.
 */
const STALL = 384;

/** Factors are made even for a residual of rounding errors, which theirs may be below, if they take at most this. */
const LAST_DIGIT_MS = 100;

/** A plan of which nothing is known is tried first where factors take longer: of 7,000 unknowns at random places 7.9 s, and gmres 0.2 s. */
const LONG_MS = 2000;

export class Race {
  readonly plans: readonly Runner[];
  readonly #times: PlanTimes;
  readonly #failed = new Set<number>();
  /** The time that a plan would still take, when it was left. */
  readonly #left = new Map<number, number>();
  #begin: number | undefined;
  /** Iterations that cg with jacobi still takes. */
  #jacobi: Remaining | undefined;
  readonly #factors: FactorForecast;
  readonly #matrix: CsrMatrix;
  /** Factors come second there: iterations find the shortest x where there are many. */
  readonly #isLeastSquares: boolean;
  readonly #isSymmetric: boolean;
  #isIndefinite = false;
  /** Whether the factors of A do not solve the system. */
  #isSingular = false;
  /** Plans that were left, and whose spectrum is known. */
  readonly #isKnown = new Set<number>();
  /** The plan for which another one was left. */
  #target: number | undefined;

  /** @param matrix in any order; times are those of `csr` until `measure` is called */
  constructor(facts: SystemFacts, matrix: CsrMatrix) {
    this.#isLeastSquares = facts.rows !== facts.cols;
    this.#isSymmetric = facts.symmetric || this.#isLeastSquares;
    const times = new Times(sizesInCsr(matrix), matrix, this.#isSymmetric);
    this.#matrix = matrix;
    this.#factors = new FactorForecast(times, matrix, facts);
    this.plans = runnersFor(facts, matrix, () => this.#factors.isOfMesh);
    this.#times = new PlanTimes(this.plans, times);
  }

  /** Takes the times of A as it is stored. */
  measure({ A, csr }: ArrangedSystem): void {
    this.#times.measure(new Times(sizesOf(A), csr, this.#isSymmetric));
  }

  /** Other values: everything may be tried again. */
  reset(): void {
    this.#failed.clear();
    this.#left.clear();
    this.#isKnown.clear();
    this.#begin = undefined;
    this.#jacobi = undefined;
    this.#isIndefinite = false;
    this.#isSingular = false;
    this.#factors.reset();
  }

  /** The plan that solves begin with: one that has come to a solution. */
  get first(): number {
    return this.#begin ?? this.next()!;
  }

  won(place: number): void {
    this.#begin = place;
  }

  /** @param why the reason of the end, or the code of the error with which a plan was refused */
  fail(place: number, why: Attempt['reason'] | ErrorCode): void {
    this.#failed.add(place);
    if (this.#begin === place) this.#begin = undefined;
    if (this.plans[place]!.role === 'direct') this.#isSingular = why !== 'heap' && why !== 'backend';
    if (why !== 'not-definite') return;
    this.#isIndefinite = true;
    for (const [other, { method }] of this.plans.entries()) if (method === 'cg') this.#failed.add(other);
  }

  /** The plan of the least expected time that has not failed. */
  next(): number | undefined {
    const open = this.#open();
    if (open.length === 0) return undefined;
    const target = this.#target;
    this.#target = undefined;
    if (target !== undefined && open.includes(target)) return target;
    const direct = open.find((place) => this.plans[place]!.role === 'direct');
    const unknown = open.find((place) => place !== direct && this.#isUnknown(place));
    if (this.#isLeastSquares && unknown !== undefined) return unknown;
    const [least, ms] = this.#leastOf(open);
    if (direct === undefined) return least;
    const bound = this.#isUnknown(least) ? SURE * ms : ms;
    return this.#factors.isWithin(Math.max(QUICK_MS, bound)) ? direct : least;
  }

  /** Makes factors the next plan after that in `place`, if they take next to no time. */
  turnToFactors(place: number): boolean {
    const direct = this.#open().find((other) => other !== place && this.plans[other]!.role === 'direct');
    if (direct === undefined || !this.#factors.isWithin(LAST_DIGIT_MS)) return false;
    this.#target = direct;
    return true;
  }

  /** Whether no iteration has said anything of the time of a plan. */
  #isUnknown(place: number): boolean {
    const { role } = this.plans[place]!;
    const isExpected = (role === 'incomplete' || role === 'multigrid') && this.#jacobi !== undefined;
    return !this.#left.has(place) && !isExpected && !this.#isOfConvection(place);
  }

  /** Whether it is multigrid of a matrix that is not symmetric. Its iterations are known before any are run: 1 to 26 were seen. */
  #isOfConvection(place: number): boolean {
    return !this.#isSymmetric && this.plans[place]!.role === 'multigrid';
  }

  #open(): number[] {
    return [...this.plans.keys()].filter((place) => !this.#failed.has(place));
  }

  /** Of a plan from now on, on one thread. @param withinMs of interest */
  expectedMs(place: number, withinMs = 0): number {
    const { role } = this.plans[place]!;
    const left = this.#left.get(place);
    // Of a spectrum that was not known, only a bound from below was left: incomplete factors are expected to be better.
    if (left !== undefined && role === 'jacobi' && !this.#isKnown.has(place)) return Number.POSITIVE_INFINITY;
    if (left !== undefined) return left;
    if (role === 'direct') return this.#factors.ms(withinMs);
    const isTried = this.#isIndefinite || (!this.#isSymmetric && this.#factors.isKnownAbove(LONG_MS));
    if (role === 'last' && !isTried) return Number.POSITIVE_INFINITY;
    return this.#times.wholeMs(place, this.#jacobi);
  }

  /** Finds the plan of the least expected time; of equal ones the first. @param boundMs factors whose analysis takes more are passed over */
  #leastOf(places: readonly number[], boundMs = Number.POSITIVE_INFINITY): readonly [place: number, ms: number] {
    let least: readonly [number, number] = [places[0] ?? 0, Number.POSITIVE_INFINITY];
    for (const place of places) {
      const isDirect = this.plans[place]!.role === 'direct';
      if (isDirect && (this.#factors.leastMs > boundMs || !this.#factors.isWithin(least[1]))) continue;
      const ms = this.expectedMs(place, least[1]);
      if (ms < least[1]) least = [place, ms];
    }
    return least;
  }

  /**
   * Whether factors are worth making after all.
   *
   * @returns why not
   */
  refuse(prediction: Prediction, place: number): string | undefined {
    const { ms, restMs } = this.#factors.take(prediction);
    const [other, rest] = this.#leastOf(this.#open().filter((one) => one !== place));
    const bound = (this.#isUnknown(other) ? MISJUDGED * SURE : 1) * rest;
    if (!Number.isFinite(rest) || restMs <= Math.max(QUICK_MS, bound)) return undefined;
    return `${prediction.flops.toExponential(1)} operations, ${timeOf(ms)}, where ${planName(this.plans[other]!)} is expected to take ${timeOf(rest)}`;
  }

  /** Watches a plan while it runs. @param say why it is left */
  watch(place: number, say: (why: string) => void): Watch | undefined {
    const { role } = this.plans[place]!;
    if (role === 'direct') return undefined;
    const { first, trusted } = role === 'jacobi' ? FORECASTS.jacobi : FORECASTS.other;
    const forecast = new Forecast(trusted);
    const stepMs = this.#times.stepMs(place);
    let check: number = first;
    const isFirstTime = !this.#left.has(place);
    return (progress, tolerance) => {
      forecast.add(progress);
      if (forecast.iterations < check) return false;
      check = 2 * forecast.iterations;
      const seen = `not ${planName(this.plans[place]!)} after ${forecast.iterations} iterations:`;
      // Cycles are not left for incomplete factors of which nothing is known: where multigrid suits, they hardly ever come to an end before it.
      const isRival = (other: number) => !this.#isOfConvection(place) || this.plans[other]!.role !== 'probe';
      const rest = this.#open().filter((other) => other !== place && isRival(other));
      // Two plans would leave each other again and again.
      const others = rest.filter((other) => !this.#left.has(other) || (isFirstTime && this.#isKnown.has(other)));
      const remaining = forecast.remaining(tolerance);
      const { iterations, surely, isFound } = remaining;
      const ms = surely * stepMs;
      if (role === 'jacobi') this.#jacobi = remaining;
      // A method of last resort may stand still, and is then left for factors whatever they take.
      const [other, otherMs] = this.#leastOf(others, role === 'last' ? Number.POSITIVE_INFINITY : SURE * ms);
      const isStalled =
        role === 'last' && Number.isFinite(otherMs)
          ? forecast.isStalled(STALL)
          : !Number.isFinite(otherMs) && forecast.isStalled(this.#patience);
      if (isStalled) {
        say(`${seen} the residual does not become smaller`);
        this.#failed.add(place);
        return true;
      }
      const target = otherMs < WORTHWHILE * ms ? other : this.#probe(others, ms, isFound);
      if (target === undefined) return false;
      this.#left.set(place, iterations * stepMs);
      if (isFound) this.#isKnown.add(place);
      this.#target = target;
      const more = `${Math.ceil(surely)} more are expected to take ${timeOf(ms)}`;
      say(`${seen} ${more}, ${planName(this.plans[target]!)} ${timeOf(Math.min(this.expectedMs(target, ms), ms))}`);
      return true;
    };
  }

  /** Finds what surely takes less time than the iterations probably will: factors, or multigrid; or else incomplete factors that are worth a trial. */
  #probe(others: readonly number[], surelyMs: number, isFound: boolean): number | undefined {
    const direct = others.find((other) => this.plans[other]!.role === 'direct');
    const multigrid = others.find((other) => this.plans[other]!.role === 'multigrid');
    const trial = others.find((other) => this.#trialMs(other) < TRIAL * surelyMs);
    const multigridMs = multigrid === undefined ? Number.POSITIVE_INFINITY : this.expectedMs(multigrid);
    // Multigrid needs no trial, and where it is better than what would be tried, it is awaited.
    const isBetter = trial !== undefined && multigridMs < CLEARLY * this.expectedMs(trial);
    const hasJumps = multigrid !== undefined && this.plans[multigrid]!.preconditioners[0] === FOR_JUMPS;
    const isNext = hasJumps ? !isFound && multigridMs < MORE_WITH_JUMPS * surelyMs : isBetter && multigridMs < surelyMs;
    const probableMs = Math.min(isFound ? surelyMs : MORE * surelyMs, isNext ? multigridMs : Number.POSITIVE_INFINITY);
    if (direct !== undefined && this.#factors.isSurelyWithin(probableMs)) return direct;
    if (isNext) return multigrid;
    return isBetter ? undefined : trial;
  }

  get #patience(): number {
    return this.#isSingular ? STALL : Math.max(STALL, this.#matrix.rows);
  }

  /** Of a trial of incomplete factors. */
  #trialMs(place: number): number {
    if (this.plans[place]!.role !== 'incomplete' || this.#left.has(place)) return Number.POSITIVE_INFINITY;
    return this.#times.trialMs(place);
  }
}
