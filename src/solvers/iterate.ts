/**
 * Runs a method to the tolerance. A method is a generator over iterations: it starts from the x that it gets, changes x in
 * place, and yields the norm of the residual as its recurrence has it. This file has all that methods share: stopping, and
 * the true residual. A recurrence may differ from b − A x by rounding errors, so the true residual is computed before a
 * solve ends; if it is above the tolerance, the method starts again from x. A solve that fails returns the best x that it has had.
 */
import { drain } from '../core/drain.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import { type Checked, checkSolve, copyInto, setStart, startingVector } from './arguments.js';
import { BestIterate } from './best-iterate.js';
import { MeteredOperator } from './metered.js';
import { readNorm } from './norms.js';
import { scaleOf } from './scale.js';
import type { Reason, Solution, SolveOptions, SolveTiming, Step } from './solution.js';
import { Workspace } from './workspace.js';

/** A x = b, with the preconditioner z ← M⁻¹ r. */
export interface System {
  readonly A: LinearOperator;
  /** Aᵀ, for methods of least squares. */
  readonly At: LinearOperator | undefined;
  readonly b: Vector;
  readonly x: Vector;
  readonly M: LinearOperator | undefined;
  readonly work: Workspace;
  /** Iterations between two yields. */
  readonly every: number;
}

/** The state after `iterations` more iterations and `products` more products; the first is that of the given x. */
export interface Progress extends Norms {
  readonly iterations: number;
  /** With A or Aᵀ. */
  readonly products: number;
  /** Whether x gets this norm only when the generator ends or begins another cycle. */
  readonly isAhead?: boolean;
  /** α and β of the step, of cg in the heap: the matrix of Lanczos. */
  readonly coefficients?: readonly [alpha: number, beta: number];
}

/** Sees each check of a method, with the norm that the residual, or the gradient of least squares, must reach. @returns whether the method is to be left */
export type Watch = (progress: Progress, tolerance: number) => boolean;

/** How far x is from a solution. */
export interface Norms {
  /** ‖b − A x‖₂ */
  readonly residualNorm: number;
  /** ‖Aᵀ (b − A x)‖₂, of methods of least squares. */
  readonly gradientNorm?: number;
}

/** Returns a reason, or undefined if the solution is found as far as it can tell. `spec`: its name and parameters; default: that of the function. */
export type Method = ((system: System) => Generator<Progress, Reason | undefined>) & { readonly spec?: string };

/** After a restart from x, a true norm must have become this much smaller; otherwise rounding errors prevail. */
export const IMPROVEMENT = 0.5;

/**
 * Added to divisors: 0 / 0 becomes 0, and no other quotient changes. So a step after the exact solution, which a device runs before it is
 * asked for the residual, changes nothing.
 */
export const TINY: number = Number.MIN_VALUE;

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
    const scale = scaleSystem(right, x, options.x0, work);
    const { measure, bNorm, hasArrived, watched } = goalOf(A, At, right, checked, work, scale);
    // With b = 0 and atol = 0 only x = 0 is within the tolerance, which a method would not reach.
    const isKnown = bNorm === 0 && checked.atol === 0;
    if (isKnown) x.fill(0);
    const toStart = (of: Vector) => void (isKnown ? of.fill(0) : multiply(setStart(of, options.x0), scale));
    const trail = new Trail(scale);
    const best = new BestIterate(work, toStart);
    let first: Norms | undefined;
    let start: Norms | undefined;
    const observe = (progress: Progress): boolean => {
      first ??= progress;
      start ??= progress;
      if (progress.isAhead !== true) best.offer(x, progress.residualNorm);
      return watch?.(...watched(progress)) === true;
    };
    const measureTrue = (of: Vector) => {
      trail.products += At === undefined ? 1 : 2;
      return measure(of);
    };
    const meters = checked.timing ? new Meters(A, At, checked.M) : undefined;
    let reason: Reason | undefined;
    let now: Norms;
    // A first claim to have arrived may be a little wrong, close to the tolerance.
    for (let share = 1; ; share = IMPROVEMENT) {
      using ownWork = new Workspace(A, !checked.timing);
      const system = { A, At, M: checked.M, ...meters?.operators, b: right, x, work: ownWork, every: checked.every };
      reason = yield* run(method(system), hasArrived, trail, observe, checked);
      now = measureTrue(x);
      if (hasArrived(now)) reason = 'tolerance';
      else if (reason === undefined && !hasImproved(now, start!, share)) reason = 'stagnated';
      if (reason !== undefined) break;
      best.restart(x);
      start = now;
    }
    if (reason !== 'tolerance') {
      now = best.restore(x, now, start!, measureTrue);
      if (hasArrived(now)) reason = 'tolerance';
    }
    if (scale !== 1) {
      // The x of the caller: its elements may have lost bits, or overflow.
      now = measureTrue(x.scale(1 / scale).scale(scale));
      if (hasArrived(now)) reason = 'tolerance';
      else if (reason === 'tolerance') reason = Number.isFinite(now.residualNorm) ? 'stagnated' : 'not-finite';
      if (!(now.residualNorm <= first!.residualNorm)) {
        toStart(x);
        now = first!;
      }
      x.scale(1 / scale);
    }
    finished = true;
    const { residualNorm } = now;
    const solveMs = performance.now() - begin;
    return {
      x,
      ...{ converged: reason === 'tolerance', reason, ...trail.report() },
      relativeResidual: bNorm === 0 ? residualNorm / scale : residualNorm / bNorm,
      ...{ setupMs: 0, solveMs, ...(meters && { timing: meters.split(solveMs) }) },
    };
  } finally {
    if (!finished) x.dispose();
  }
}

/** Runs a method once. @returns undefined if it claims to have arrived */
function* run(
  steps: ReturnType<Method>,
  hasArrived: (norms: Norms) => boolean,
  trail: Trail,
  observe: (progress: Progress) => boolean,
  { limit, onStep, signal }: Checked,
): Generator<Step, Reason | undefined> {
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      const step = trail.add(value);
      const isLeft = observe(value);
      const goesOn = onStep?.(step) !== false && !signal?.aborted && !isLeft;
      if (!Number.isFinite(value.residualNorm)) return 'not-finite';
      if (hasArrived(value)) return undefined;
      if (step.iteration >= limit) return 'iterations';
      if (!goesOn) return 'stopped';
      yield step;
    }
  } finally {
    steps.return(undefined);
  }
}

/** b and x by the scale of the solve. @returns the scale */
function scaleSystem(b: Vector, x: Vector, x0: VectorInput | undefined, work: Workspace): number {
  const norm = work.scalar();
  const scale = scaleOf(b.type, readNorm(b, norm), x0 === undefined ? 0 : readNorm(x, norm));
  multiply(b, scale);
  multiply(x, scale);
  return scale;
}

function multiply(x: Vector, scale: number): void {
  if (scale !== 1) x.scale(scale);
}

/** The norms to reach, and the measurement of the true ones; b and x are scaled. */
function goalOf(
  A: LinearOperator,
  At: LinearOperator | undefined,
  b: Vector,
  { rtol, atol }: Checked,
  work: Workspace,
  scale: number,
) {
  const r = work.vector('b');
  const gradient = At && work.vector('x');
  const norm = work.scalar();
  const normOf = (v: Vector) => readNorm(v, norm);
  const gradientNormOf = (v: Vector): Pick<Norms, 'gradientNorm'> => {
    if (At === undefined || gradient === undefined) return {};
    At.apply(v, gradient);
    return { gradientNorm: normOf(gradient) };
  };
  const bNorm = normOf(b);
  const tolerance = Math.max(rtol * bNorm, atol * scale);
  const { gradientNorm: atStart = 0 } = gradientNormOf(b);
  const measure = (x: Vector): Norms => {
    // An x that is not finite has no residual, though a column without entries would hide it. Its norm comes before the product: a rank
    // that stops alone is noticed, since the other ranks' next call is a product.
    if (!Number.isFinite(normOf(x))) return { residualNorm: Number.NaN };
    r.copyFrom(b);
    A.apply(x, r, -1, 1);
    return { residualNorm: normOf(r), ...gradientNormOf(r) };
  };
  // A tolerance relative to an infinite b is reached by nothing.
  const hasArrived = ({ residualNorm, gradientNorm = Number.POSITIVE_INFINITY }: Norms) =>
    Number.isFinite(residualNorm) &&
    (residualNorm <= tolerance || (Number.isFinite(gradientNorm) && gradientNorm <= rtol * atStart));
  // Of least squares, the norm that is nearer to its tolerance.
  const watched = (progress: Progress): Parameters<Watch> => {
    const { residualNorm, gradientNorm } = progress;
    const gradientTolerance = rtol * atStart;
    if (gradientNorm === undefined || gradientNorm * tolerance > residualNorm * gradientTolerance)
      return [progress, tolerance];
    return [{ ...progress, residualNorm: gradientNorm }, gradientTolerance];
  };
  return { measure, bNorm, hasArrived, watched };
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
  products = 0;

  constructor(scale: number) {
    this.#scale = scale;
  }

  /** @param progress of the scaled system */
  add({ iterations, products, residualNorm: scaledNorm }: Progress): Step {
    const residualNorm = scaledNorm / this.#scale;
    this.#iteration += iterations;
    this.products += products;
    if (iterations > 0) this.#every = iterations;
    // A restart repeats the norm of its first x.
    if (iterations > 0 || this.#norms.length === 0) this.#norms.push(residualNorm);
    return { iteration: this.#iteration, residualNorm };
  }

  report(): Pick<Solution, 'iterations' | 'products' | 'residualNorms' | 'checkEvery'> {
    const [iterations, products] = [this.#iteration, this.products];
    return { iterations, products, residualNorms: Float64Array.from(this.#norms), checkEvery: this.#every };
  }
}

/** The operators of a solve, each with its time. */
class Meters {
  readonly operators: Pick<System, 'A' | 'At' | 'M'>;
  readonly #products: readonly MeteredOperator[];
  readonly #M: MeteredOperator | undefined;

  constructor(A: LinearOperator, At: LinearOperator | undefined, M: LinearOperator | undefined) {
    const of = (operator: LinearOperator | undefined) => operator && new MeteredOperator(operator);
    const [meteredA, meteredAt] = [new MeteredOperator(A), of(At)];
    this.#products = meteredAt === undefined ? [meteredA] : [meteredA, meteredAt];
    this.#M = of(M);
    this.operators = { A: meteredA, At: meteredAt, M: this.#M };
  }

  /** The parts of a time. */
  split(totalMs: number): SolveTiming {
    const products = this.#products.reduce((sum, { ms }) => sum + ms, 0);
    const preconditioner = this.#M?.ms ?? 0;
    return { products, preconditioner, vectors: totalMs - products - preconditioner };
  }
}
