/** The part of the host that is loaded with functions of matrices: each a sequence of steps, which ends between two products if it is aborted. */
import type { MatrixInput } from '../core/csr.js';
import { untilAborted } from '../core/drain.js';
import type { FloatArray } from '../core/types.js';
import {
  type ExponentialOptions,
  expMultiplySteps,
  exponentialOf,
  type PlannedExponential,
} from '../eigen/functions/exponential.js';
import type { MatrixFunctionOptions } from '../eigen/functions/function-options.js';
import { inverseDiagonalSteps } from '../eigen/functions/inverse.js';
import { functionOn, SeriesOperator } from '../eigen/functions/matrix-function.js';
import { type TraceOptions, traceSteps } from '../eigen/functions/trace.js';
import type { MovingOperator } from '../eigen/moving.js';
import { Operand } from '../eigen/operand.js';
import type { Engine } from '../engine/engine.js';
import { Vector } from '../memory/vector.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator, type VectorInput } from '../operators/operator.js';
import type { Factorization } from '../preconditioners/factorization.js';
import { copyInto } from '../solvers/arguments.js';
import type { AsyncExponentialProduct, AsyncTraceEstimate, FunctionInfo, FunctionRequests } from './function-types.js';

type Matrix = MatrixInput | MatrixOperator;

/** A matrix that was read, and the time that it took. */
interface Read<M = Matrix> {
  readonly matrix: M;
  readonly sourceMs: number;
}

export function* productOf(
  engine: Engine,
  { matrix, sourceMs }: Read,
  xOf: () => VectorInput,
  t: number,
  options: ExponentialOptions,
  signal: AbortSignal,
): Generator<void, AsyncExponentialProduct> {
  const { y, ...product } = yield* untilAborted(expMultiplySteps(engine, matrix, xOf(), t, options), signal);
  using vector = y;
  return { ...product, y: vector.toArray(), sourceMs };
}

export function exponentialIn(
  engine: Engine,
  { matrix, sourceMs }: Read,
  t: number,
  options: ExponentialOptions,
  keep: (made: PlannedExponential) => void,
): FunctionInfo {
  const made = exponentialOf(engine, matrix, t, options, 1);
  keep(made);
  const { rows, method, degree, stages, setupMs } = made;
  return { rows, method, degree, stages, setupMs: setupMs + sourceMs };
}

export function functionIn(
  engine: Engine,
  { matrix, sourceMs }: Read,
  options: MatrixFunctionOptions,
  keep: (made: SeriesOperator) => void,
): FunctionRequests['matrixFunction']['result'] {
  const begin = performance.now();
  const made = functionOn(engine, matrix, options);
  keep(made);
  const { rows, interval, rtol } = made;
  const setupMs = sourceMs + performance.now() - begin;
  return { rows, method: 'chebyshev', stages: 1, interval, rtol, setupMs };
}

export function giveSeries(map: MovingOperator, series: FunctionRequests['series']['args']['series']): undefined {
  if (map instanceof SeriesOperator) map.take(series);
}

/** Computes f(A) x, row by row. */
export function* evaluation(
  map: MovingOperator,
  xOf: () => VectorInput,
  signal: AbortSignal,
): Generator<void, FloatArray> {
  const x = xOf();
  using y = new Vector(map.space, map.vectorType, map.rows, undefined, x instanceof Vector ? x.columns : 1);
  copyInto('x', y, x);
  yield* untilAborted(map.moveSteps(y), signal);
  return y.toArray();
}

export function* traceOf(
  engine: Engine,
  { matrix, sourceMs }: Read<Matrix | LinearOperator>,
  options: TraceOptions,
  signal: AbortSignal,
): Generator<void, AsyncTraceEstimate> {
  if (matrix instanceof LinearOperator)
    return { ...(yield* untilAborted(traceSteps(matrix, options), signal)), sourceMs };
  using operand = new Operand(engine, matrix);
  return { ...(yield* untilAborted(traceSteps(operand.A, options), signal)), sourceMs };
}

export function inverseDiagonalOf(
  factors: Factorization,
  places: readonly number[] | undefined,
  signal: AbortSignal,
): Generator<unknown, Float64Array> {
  return untilAborted(inverseDiagonalSteps(factors, places), signal);
}
