/** The checks of a solve's arguments, and its first vectors. */
import { checkAttached } from '../core/arrays.js';
import { abortSignal, boolean, callback, integer, knownKeys, within } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { dtypeOf } from '../core/types.js';
import { totalOf } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import { numbersOf } from '../operators/numbers.js';
import { LinearOperator, type VectorInput } from '../operators/operator.js';
import { stepsBetweenChecks } from './check-every.js';
import type { SolveOptions } from './solution.js';

export const DEFAULT_RTOL = 1e-8;
/** Of the default. */
const MIN_ITERATIONS = 1000;
const MAX_ITERATIONS = 0xffff_ffff;

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
  timing: true,
};

/** Options with their defaults. */
export interface Checked {
  readonly rtol: number;
  readonly atol: number;
  readonly limit: number;
  readonly M: LinearOperator | undefined;
  readonly every: number;
  readonly onStep: SolveOptions['onStep'];
  readonly signal: AbortSignal | undefined;
  readonly timing: boolean;
}

/** The greatest number of steps for a matrix of this size, if the caller names none. @param least for a small one */
export function usualLimit(size: number, least: number): number {
  return Math.min(Math.max(least, 10 * size), MAX_ITERATIONS);
}

/**
 * @param shape of A: square, or any
 * @param method its name, with what else decides about its steps: ranks must have the same
 * @throws SparlaneError `argument` or `shape`
 */
export function checkSolve(A: LinearOperator, shape: 'square' | 'any', options: SolveOptions, method: string): Checked {
  checkOperator(A, shape);
  knownKeys('options', options, SOLVE_OPTIONS);
  const { preconditioner: M, onStep, signal } = options;
  const rtol = within('rtol', options.rtol ?? DEFAULT_RTOL, 0, 1);
  const atol = within('atol', options.atol ?? 0, 0, Number.MAX_VALUE);
  const given = options.maxIterations === undefined ? undefined : integer('maxIterations', options.maxIterations);
  if (M !== undefined) checkPreconditioner(M, A, shape);
  const every = integer('checkEvery', options.checkEvery ?? stepsBetweenChecks(A, M), 1);
  if (onStep !== undefined) callback('onStep', onStep);
  if (signal !== undefined) abortSignal('signal', signal);
  const timing = boolean('timing', options.timing ?? false);
  const limits = { rtol, atol, maxIterations: given ?? 'default', checkEvery: every, timing };
  A.space.ranks?.compare('the solve', { method, ...limits, preconditioner: nameOf(M) });
  const longest = () => totalOf(A.space, Math.max(A.rows, A.cols));
  const limit = given ?? usualLimit(longest(), MIN_ITERATIONS);
  return { rtol, atol, limit, M, every, onStep, signal, timing };
}

/** What a preconditioner is, for comparisons. */
function nameOf(M: (LinearOperator & { readonly spec?: string }) | undefined): string {
  return M === undefined ? 'none' : (M.spec ?? M.constructor.name);
}

/** @throws SparlaneError `argument` or `shape` */
export function checkOperator(A: LinearOperator, shape: 'square' | 'any'): void {
  if (!(A instanceof LinearOperator)) throw mismatch('argument', 'A', 'a linear operator', A);
  if (shape === 'square' && A.rows !== A.cols)
    throw mismatch('shape', 'A', 'as many rows as columns', `${A.rows} × ${A.cols}`);
}

/**
 * Checks an operator beside A: a preconditioner, or another one of the same size.
 *
 * @param shape `any`: for least squares, where M is like Aᵀ A
 * @throws SparlaneError `argument` or `shape`
 */
export function checkPreconditioner(
  M: LinearOperator,
  A: LinearOperator,
  shape: 'square' | 'any',
  name = 'preconditioner',
): void {
  if (!(M instanceof LinearOperator)) throw mismatch('argument', name, 'a linear operator', M);
  const { cols } = A;
  if (M.rows !== cols || M.cols !== cols) {
    const expected = `${cols} × ${cols}${shape === 'any' ? ', as many as A has columns' : ''}`;
    throw mismatch('shape', name, expected, `${M.rows} × ${M.cols}`);
  }
  if (M.space !== A.space) throw mismatch('argument', name, 'one in the space of A', 'one in another');
  if (M.vectorType !== A.vectorType)
    throw mismatch('argument', name, `dtype ${dtypeOf(A.vectorType)}, that of A`, dtypeOf(M.vectorType));
}

/** A new vector: x0, or zeros. @throws SparlaneError `argument`, `shape` or `heap` */
export function startingVector(A: LinearOperator, x0: VectorInput | undefined): Vector {
  const x = new Vector(A.space, A.vectorType, A.cols);
  try {
    setStart(x, x0);
    return x;
  } catch (error) {
    x.dispose();
    throw error;
  }
}

/** x ← x0, or zeros. @throws SparlaneError `argument` or `shape` */
export function setStart(x: Vector, x0: VectorInput | undefined): Vector {
  if (x0 === undefined) x.fill(0);
  else copyInto('x0', x, x0);
  return x;
}

/** target ← source, from any space. @throws SparlaneError `argument` or `shape` */
export function copyInto(name: string, target: Vector, given: VectorInput): void {
  const source = numbersOf(name, target.type, given);
  const isVector = source instanceof Vector;
  if (!isVector) checkAttached(name, source);
  const columns = isVector ? source.columns : 1;
  if (source.length !== target.length || columns !== target.columns) {
    const got = columns === 1 ? source.length : `${source.length} × ${columns}`;
    const expected = target.columns === 1 ? `length ${target.length}` : `${target.length} × ${target.columns}`;
    throw mismatch('shape', name, expected, got);
  }
  if (!isVector) target.set(source);
  else if (source.space === target.space) target.copyFrom(source);
  else target.set(source.toArray());
}
