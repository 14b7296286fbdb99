/**
 * Runs a method to the tolerance. A method is a generator over iterations: it starts from the x that it gets, changes x in
 * place, and yields the norm of the residual as its recurrence has it. This file has all that methods share: arguments,
 * stopping, and the true residual. A recurrence may differ from b − A x by rounding errors, so the true residual is computed before a
 * solve ends; if it is above the tolerance, the method starts again from x.
 */
import { checkAttached } from '../core/arrays.js';
import { abortSignal, callback, integer, knownKeys, within } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { Vector } from '../memory/vector.js';
import { LinearOperator, type VectorLike } from '../operators/operator.js';
import type { Reason, Solution, SolveOptions, Step } from './solution.js';
import { Workspace } from './workspace.js';

/** A x = b, with the preconditioner z ← M⁻¹ r. */
export interface System {
  readonly A: LinearOperator;
  readonly b: Vector;
  readonly x: Vector;
  readonly M: LinearOperator | undefined;
  readonly work: Workspace;
  /** Iterations between two yields. */
  readonly every: number;
}

/** The norm of the residual after `iterations` more iterations; first, after none, that of the given x. */
export interface Progress {
  readonly iterations: number;
  readonly residualNorm: number;
}

export type Method = (system: System) => Generator<Progress, Reason>;

/** After a restart from x, the true residual must have become this much smaller; otherwise rounding errors prevail. */
const IMPROVEMENT = 0.5;

const MIN_ITERATIONS = 1000;
const EVERY = { heap: 1, device: 8 } as const;

/** The options of every method. */
export const SOLVE_OPTIONS: Record<keyof SolveOptions, true> = {
  x0: true,
  rtol: true,
  atol: true,
  maxIterations: true,
  preconditioner: true,
  onStep: true,
  signal: true,
  checkEvery: true,
};

/** Solves A x = b for a square A. @throws SparlaneError `argument` or `shape` for a wrong argument; `heap`; errors of products */
export function solveWith(method: Method, A: LinearOperator, b: VectorLike, options: SolveOptions = {}): Solution {
  const steps = iterate(method, A, b, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same step by step: the caller may do other work between two of them, or end the solve by `return()`. */
export function* iterate(
  method: Method,
  A: LinearOperator,
  b: VectorLike,
  options: SolveOptions,
): Generator<Step, Solution> {
  const { rtol, atol, limit, M, every, onStep, signal } = check(A, options);
  using work = new Workspace(A);
  const [right, r] = work.vectors(2) as [Vector, Vector];
  copyInto('b', right, b);
  const [norm] = work.scalars(1);
  const trueResidual = () => {
    r.copyFrom(right);
    A.apply(x, r, -1, 1);
    return r.norm(norm!).value;
  };
  const x = startingVector(A, options.x0);
  let finished = false;
  try {
    const begin = performance.now();
    const bNorm = right.norm(norm!).value;
    const tolerance = Math.max(rtol * bNorm, atol);
    const history: Step[] = [];
    let iteration = 0;
    let reached = Number.POSITIVE_INFINITY;
    let reason: Reason | undefined;
    while (reason === undefined) {
      using ownWork = new Workspace(A);
      const run = method({ A, b: right, x, M, work: ownWork, every });
      for (let isFirst = true; reason === undefined; isFirst = false) {
        const { done, value } = run.next();
        if (done) {
          reason = value;
          break;
        }
        iteration += value.iterations;
        const step = { iteration, residualNorm: value.residualNorm };
        if (!isFirst || history.length === 0) history.push(step);
        if (!Number.isFinite(value.residualNorm)) reason = 'not-finite';
        else if (value.residualNorm <= tolerance) break;
        else if (iteration >= limit) reason = 'iterations';
        else if (onStep?.(step) === false || signal?.aborted) reason = 'stopped';
        if (reason === undefined) yield step;
      }
      run.return('stopped');
      if (reason !== undefined) break;
      const now = trueResidual();
      if (now <= tolerance) reason = 'tolerance';
      else if (!(now < IMPROVEMENT * reached)) reason = 'stagnated';
      reached = now;
    }
    const residual = trueResidual();
    // A method that ends early, or at its limit, may have arrived all the same.
    if (residual <= tolerance) reason = 'tolerance';
    finished = true;
    return {
      x,
      converged: reason === 'tolerance',
      reason,
      iterations: iteration,
      relativeResidual: bNorm === 0 ? residual : residual / bNorm,
      history,
      solveMs: performance.now() - begin,
    };
  } finally {
    if (!finished) x.dispose();
  }
}

function check(A: LinearOperator, options: SolveOptions) {
  if (!(A instanceof LinearOperator)) throw mismatch('argument', 'A', 'a linear operator', A);
  if (A.rows !== A.cols) throw mismatch('shape', 'A', 'as many rows as columns', `${A.rows} × ${A.cols}`);
  knownKeys('options', options, SOLVE_OPTIONS);
  const { rtol = 1e-8, atol = 0, preconditioner: M, onStep, signal } = options;
  within('rtol', rtol, 0, 1);
  within('atol', atol, 0, Number.MAX_VALUE);
  const limit = integer('maxIterations', options.maxIterations ?? Math.max(MIN_ITERATIONS, 10 * A.rows));
  const every = integer('checkEvery', options.checkEvery ?? EVERY[A.space.heap === undefined ? 'device' : 'heap'], 1);
  if (M !== undefined) {
    if (!(M instanceof LinearOperator)) throw mismatch('argument', 'preconditioner', 'a linear operator', M);
    if (M.rows !== A.rows || M.cols !== A.cols)
      throw mismatch('shape', 'preconditioner', `${A.rows} × ${A.cols}`, `${M.rows} × ${M.cols}`);
    if (M.space !== A.space) throw mismatch('argument', 'preconditioner', 'one in the space of A', 'one in another');
    if (M.vectorType !== A.vectorType)
      throw mismatch('argument', 'preconditioner', `one for ${A.vectorType.name}`, M.vectorType.name);
  }
  if (onStep !== undefined) callback('onStep', onStep);
  if (signal !== undefined) abortSignal('signal', signal);
  return { rtol, atol, limit, M, every, onStep, signal };
}

function startingVector(A: LinearOperator, x0: VectorLike | undefined): Vector {
  const x = new Vector(A.space, A.vectorType, A.cols);
  try {
    if (x0 === undefined) x.fill(0);
    else copyInto('x0', x, x0);
    return x;
  } catch (error) {
    x.dispose();
    throw error;
  }
}

/** target ← source, from any space. */
function copyInto(name: string, target: Vector, source: VectorLike): void {
  if (source?.length !== target.length)
    throw mismatch('shape', name, `length ${target.length}`, source?.length ?? source);
  if (source instanceof Vector) {
    if (source.type !== target.type) throw mismatch('argument', name, `a ${target.type.name}`, source.type.name);
    if (source.space === target.space) target.copyFrom(source);
    else target.set(source.toArray());
    return;
  }
  if (!(source instanceof target.type)) throw mismatch('argument', name, `a ${target.type.name}`, source);
  target.set(checkAttached(name, source));
}
