/**
 * Runs a method to the tolerance. A method is a generator over iterations: it starts from the x that it gets, changes x in
 * place, and yields the norm of the residual as its recurrence has it. This file has all that methods share: stopping, and
 * the true residual. A recurrence may differ from b − A x by rounding errors, so the true residual is computed before a
 * solve ends; if it is above the tolerance, the method starts again from x. A solve that fails returns the best x that it has had.
 */
import { drain } from '../core/drain.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { type Checked, checkSolve, copyInto, startingVector } from './arguments.js';
import { BestIterate } from './best-iterate.js';
import { Goal } from './goal.js';
import { Meters } from './metered.js';
import { IMPROVEMENT, type Method, type Norms, type Progress, type System, type Watch } from './method.js';
import type { Reason, Solution, SolveOptions, Step } from './solution.js';
import { Workspace } from './workspace.js';

function nameOf({ spec, name }: Method): string {
  return spec ?? name.replace(/Steps$/, '');
}

/** Solves A x = b. @throws SparlaneError `argument` or `shape` for a wrong argument; `heap`; errors of products */
export function solveWith(
  method: Method,
  A: LinearOperator,
  b: VectorInput,
  options: SolveOptions = {},
  At?: LinearOperator,
): Solution {
  return drain(iterate(method, A, b, options, At));
}

/**
 * The same step by step: the caller may do other work between two of them, or end the solve by `return()`.
 *
 * @param At for a method of least squares: A may then have any shape, and a solution is an x with Aᵀ (b − A x) = 0, too
 * @param watch may end the solve, with the reason `stopped`
 */
export function* iterate(
  method: Method,
  A: LinearOperator,
  b: VectorInput,
  options: SolveOptions,
  At?: LinearOperator,
  watch?: Watch,
): Generator<Step, Solution> {
  const checked = checkSolve(A, At === undefined ? 'square' : 'any', options, nameOf(method));
  using work = new Workspace(A);
  const right = work.vector('b');
  copyInto('b', right, b);
  const x = startingVector(A, options.x0);
  let finished = false;
  try {
    const begin = performance.now();
    const goal = new Goal({ A, At, b: right, x, x0: options.x0 }, checked, work);
    const meters = checked.timing ? new Meters(A, At, checked.M) : undefined;
    const system = {
      A,
      complex: A.complexMaps,
      At,
      M: checked.M,
      ...meters?.operators,
      b: right,
      x,
      every: checked.every,
    };
    const course = new Course(goal, x, checked, work, watch);
    const end = course.inUnitsOfCaller(course.atBest(yield* course.run(method, system)));
    finished = true;
    const { residualNorm } = end.norms;
    const solveMs = performance.now() - begin;
    return {
      x,
      ...{ converged: end.reason === 'tolerance', reason: end.reason, ...course.report() },
      relativeResidual: goal.bNorm === 0 ? residualNorm / goal.scale : residualNorm / goal.bNorm,
      ...{ setupMs: 0, solveMs, ...(meters && { timing: meters.split(solveMs) }) },
    };
  } finally {
    if (!finished) x.dispose();
  }
}

/** Where a solve ends. */
interface End {
  readonly reason: Reason;
  /** The true norms of x. */
  readonly norms: Norms;
}

/** The way of x from its first value to the last one, in the scale of the goal. */
class Course {
  readonly #goal: Goal;
  readonly #x: Vector;
  readonly #checked: Checked;
  readonly #watch: Watch | undefined;
  readonly #trail: Trail;
  readonly #best: BestIterate;
  /** Of the first x, and of the x from which the method has started last. */
  #first: Norms | undefined;
  #start: Norms | undefined;

  constructor(goal: Goal, x: Vector, checked: Checked, work: Workspace, watch: Watch | undefined) {
    [this.#goal, this.#x, this.#checked, this.#watch] = [goal, x, checked, watch];
    this.#trail = new Trail(goal.scale);
    this.#best = new BestIterate(work, (of) => goal.toStart(of));
  }

  /** Runs a method, again from its last x as long as the true residual is above the tolerance, and became smaller. */
  *run(method: Method, system: Omit<System, 'work'>): Generator<Step, End> {
    // A first claim to have arrived may be a little wrong, close to the tolerance.
    for (let share = 1; ; share = IMPROVEMENT) {
      using work = new Workspace(system.A, !this.#checked.timing);
      const claimed = yield* this.#once(method({ ...system, work }));
      const norms = this.#goal.measure(this.#x);
      if (this.#goal.isReached(norms)) return { reason: 'tolerance', norms };
      if (claimed !== undefined) return { reason: claimed, norms };
      if (!hasImproved(norms, this.#start!, share)) return { reason: 'stagnated', norms };
      this.#best.restart(this.#x);
      this.#start = norms;
    }
  }

  /** @returns undefined if the method claims to have arrived */
  *#once(steps: ReturnType<Method>): Generator<Step, Reason | undefined> {
    const { limit, onStep, signal } = this.#checked;
    try {
      for (;;) {
        const { done, value } = steps.next();
        if (done) return value;
        const step = this.#trail.add(value);
        const isLeft = this.#observe(value);
        const goesOn = onStep?.(step) !== false && !signal?.aborted && !isLeft;
        if (!Number.isFinite(value.residualNorm)) return 'not-finite';
        if (this.#goal.isReached(value)) return undefined;
        if (step.iteration >= limit) return 'iterations';
        if (!goesOn) return 'stopped';
        yield step;
      }
    } finally {
      steps.return(undefined);
    }
  }

  /** @returns whether the watch wants to leave the method */
  #observe(progress: Progress): boolean {
    this.#first ??= progress;
    this.#start ??= progress;
    if (progress.isAhead !== true) this.#best.offer(this.#x, progress.residualNorm);
    return this.#watch?.(...this.#goal.watched(progress)) === true;
  }

  /** x ← the best x that it has been, if the solve has failed. */
  atBest({ reason, norms }: End): End {
    if (reason === 'tolerance') return { reason, norms };
    const best = this.#best.restore(this.#x, norms, this.#start!, (of) => this.#goal.measure(of));
    return { reason: this.#goal.isReached(best) ? 'tolerance' : reason, norms: best };
  }

  /** x ← x in the units of the caller, where elements may have lost bits, or overflow. */
  inUnitsOfCaller(end: End): End {
    const { scale } = this.#goal;
    if (scale === 1) return end;
    const x = this.#x;
    let { reason } = end;
    let norms = this.#goal.measure(x.scale(1 / scale).scale(scale));
    if (this.#goal.isReached(norms)) reason = 'tolerance';
    else if (reason === 'tolerance') reason = Number.isFinite(norms.residualNorm) ? 'stagnated' : 'not-finite';
    if (!(norms.residualNorm <= this.#first!.residualNorm)) {
      this.#goal.toStart(x);
      norms = this.#first!;
    }
    x.scale(1 / scale);
    return { reason, norms };
  }

  report(): Pick<Solution, 'iterations' | 'products' | 'residualNorms' | 'checkEvery'> {
    return this.#trail.report(this.#goal.products);
  }
}

/** @param share of a norm before that a norm must be below */
function hasImproved(now: Norms, before: Norms, share: number): boolean {
  const isLess = (a: number | undefined, b = Number.POSITIVE_INFINITY) => a !== undefined && a < share * b;
  return isLess(now.residualNorm, before.residualNorm) || isLess(now.gradientNorm, before.gradientNorm);
}

/** What a solve has done so far, in the units of the caller. */
class Trail {
  readonly #scale: number;
  readonly #norms: number[] = [];
  #iteration = 0;
  #every = 1;
  #products = 0;

  constructor(scale: number) {
    this.#scale = scale;
  }

  /** @param progress of the scaled system */
  add({ iterations, products, residualNorm: scaledNorm }: Progress): Step {
    const residualNorm = scaledNorm / this.#scale;
    this.#iteration += iterations;
    this.#products += products;
    if (iterations > 0) this.#every = iterations;
    // A restart repeats the norm of its first x.
    if (iterations > 0 || this.#norms.length === 0) this.#norms.push(residualNorm);
    return { iteration: this.#iteration, residualNorm };
  }

  /** @param measured products for true norms */
  report(measured: number): Pick<Solution, 'iterations' | 'products' | 'residualNorms' | 'checkEvery'> {
    const [iterations, products] = [this.#iteration, this.#products + measured];
    return { iterations, products, residualNorms: Float64Array.from(this.#norms), checkEvery: this.#every };
  }
}
