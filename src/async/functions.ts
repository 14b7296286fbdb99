/** Functions of matrices by the engine's worker: the exponential, smooth functions, traces, diagonals of inverses, determinants. */
import { isArrayLike } from '../core/arrays.js';
import { callback, finite, knownKeys, object } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { ThreadBound } from '../core/thread-bound.js';
import type { FloatArray } from '../core/types.js';
import type { ExponentialAsyncOptions } from '../eigen/functions/exponential.js';
import type { MatrixFunctionOptions } from '../eigen/functions/function-options.js';
import type { TraceOptions } from '../eigen/functions/trace.js';
import { AsyncFactorization, factorInWorker } from './factorization.js';
import type { AsyncExponentialProduct, AsyncTraceEstimate, FunctionInfo } from './function-types.js';
import { type AsyncOperator, sentVector, type VectorSource } from './handles.js';
import type { Link } from './link.js';
import { callWithProgress, checkWatched } from './progress.js';
import type { MatrixSource, PackSystem } from './send-source.js';

/** What each call of a function of matrices may have beside its own options. */
export interface AsyncFunctionOptions {
  /** Ends the call between two products; it rejects with its reason, and nothing stays allocated. */
  readonly signal?: AbortSignal;
  /** Moves the buffers of a matrix's arrays to the worker instead of copying them. The caller's arrays are then empty. */
  readonly transfer?: boolean;
}

const WATCHED: Record<keyof AsyncFunctionOptions, true> = { signal: true, transfer: true };

export interface AsyncExponentialOptions extends ExponentialAsyncOptions, AsyncFunctionOptions {}

export interface AsyncMatrixFunctionOptions extends MatrixFunctionOptions, AsyncFunctionOptions {}

export interface AsyncTraceOptions extends TraceOptions, AsyncFunctionOptions {}

/** What a function is made of: a matrix, or an operator, which must outlive it. */
type Given = MatrixSource | AsyncOperator;

/** The link to the worker, and how matrices are sent. */
export interface Sending {
  readonly link: Link;
  readonly pack: PackSystem;
}

/** Calls with a packed matrix. An operator is packed at once, so that the request comes before its release. */
function packed<T>(
  { pack }: Sending,
  matrix: Given,
  { signal, transfer = false }: AsyncFunctionOptions,
  call: (parcel: Awaited<ReturnType<PackSystem>>) => Promise<T>,
): Promise<T> {
  const parcel = pack(matrix, transfer);
  if (!(parcel instanceof Promise)) return call(parcel);
  return parcel.then((ready) => {
    signal?.throwIfAborted();
    return call(ready);
  });
}

/** The signal, and the options that are the worker's. @throws SparlaneError `argument`; the reason of a signal that is aborted */
function divided<O extends AsyncFunctionOptions>(options: O) {
  const { signal, transfer: _, ...rest } = object('options', options);
  checkWatched(options);
  return { signal, rest };
}

/** @throws SparlaneError as `AsyncEngine.expMultiply` */
export async function expMultiplyInWorker(
  sending: Sending,
  matrix: Given,
  x: VectorSource,
  t: number,
  options: AsyncExponentialOptions,
): Promise<AsyncExponentialProduct> {
  const { signal, rest } = divided(options);
  const { link } = sending;
  const sent = { x: sentVector(link, 'x', x), t: finite('t', t), options: rest };
  return packed(sending, matrix, options, (parcel) => {
    const args = { ...sent, matrix: parcel.matrix };
    return callWithProgress(link, 'expMultiply', args, { signal, transfer: parcel.transfer }).result;
  });
}

/** @throws SparlaneError as `AsyncEngine.exponential` */
export async function exponentialInWorker(
  sending: Sending,
  matrix: Given,
  t: number,
  options: AsyncExponentialOptions,
): Promise<AsyncMatrixFunction> {
  const { signal, rest } = divided(options);
  const { link } = sending;
  return packed(sending, matrix, options, async (parcel) => {
    const args = { matrix: parcel.matrix, t, options: rest };
    const { handle, result } = callWithProgress(link, 'exponential', args, { signal, transfer: parcel.transfer });
    return new AsyncMatrixFunction(link, handle, await result);
  });
}

/** The coefficients of f are computed here, so that f may use what it likes. @throws SparlaneError as `AsyncEngine.matrixFunction` */
export async function matrixFunctionInWorker(
  sending: Sending,
  matrix: Given,
  f: (value: number) => number,
  options: AsyncMatrixFunctionOptions,
): Promise<AsyncMatrixFunction> {
  const { signal, rest } = divided(options);
  callback('f', f);
  const { link } = sending;
  return packed(sending, matrix, options, async (parcel) => {
    const args = { matrix: parcel.matrix, options: rest };
    const { handle, result } = callWithProgress(link, 'matrixFunction', args, { signal, transfer: parcel.transfer });
    const { interval, rtol, ...info } = await result;
    try {
      signal?.throwIfAborted();
      const { chebyshevSeries } = await import('../eigen/functions/chebyshev-series.js');
      const series = chebyshevSeries(f, interval, rtol);
      await link.call('series', { map: handle, series }).result;
      return new AsyncMatrixFunction(link, handle, { ...info, degree: series.coefficients.length - 1 });
    } catch (error) {
      link.release(handle);
      throw error;
    }
  });
}

/** x ↦ f(A) x in the worker, planned once. Made by `engine.exponential` and `engine.matrixFunction`. */
export class AsyncMatrixFunction extends ThreadBound implements Disposable {
  readonly rows: number;
  readonly method: FunctionInfo['method'];
  /** The degree of the polynomials in A. */
  readonly degree: number;
  /** How many times a polynomial is applied. */
  readonly stages: number;
  /** Time of reading the matrix, of its operator, and of the plan. */
  readonly setupMs: number;
  readonly #link: Link;
  readonly #handle: number;

  constructor(link: Link, handle: number, { rows, method, degree, stages, setupMs }: FunctionInfo) {
    super('operator');
    this.#link = link;
    this.#handle = handle;
    this.rows = rows;
    this.method = method;
    this.degree = degree;
    this.stages = stages;
    this.setupMs = setupMs;
  }

  /**
   * f(A) x. It shares the worker in slices.
   *
   * @param x length `rows`; or a block of vectors of the engine
   * @param options.signal rejects with its reason, between two products
   * @returns a new array, row by row if x is a block
   * @throws SparlaneError `argument` or `shape` for a wrong x; errors of products; the signal's reason
   */
  async apply(x: VectorSource, options: { readonly signal?: AbortSignal } = {}): Promise<FloatArray> {
    knownKeys('options', options, { signal: true });
    const { signal } = options;
    checkWatched(options);
    const args = { map: this.#handle, x: sentVector(this.#link, 'x', x) };
    return callWithProgress(this.#link, 'evaluate', args, { signal }).result;
  }

  /** @internal Its handle for the worker. @throws SparlaneError `argument` for the worker of another engine */
  sentTo(link: Link, name: string): { readonly handle: number } {
    if (link === this.#link) return { handle: this.#handle };
    throw mismatch('argument', name, 'an operator of the same engine', 'one of another');
  }

  /** Frees all memory after all earlier requests. A second call has no effect. */
  dispose(): void {
    this.#link.release(this.#handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** @throws SparlaneError as `AsyncEngine.trace` */
export async function traceInWorker(
  sending: Sending,
  A: Given | AsyncMatrixFunction | AsyncFactorization,
  options: AsyncTraceOptions,
): Promise<AsyncTraceEstimate> {
  const { signal, rest } = divided(options);
  const { link } = sending;
  const call = ({ matrix, transfer }: Awaited<ReturnType<PackSystem>>) =>
    callWithProgress(link, 'trace', { matrix, options: rest }, { signal, transfer }).result;
  if (A instanceof AsyncMatrixFunction || A instanceof AsyncFactorization)
    return call({ matrix: A.sentTo(link, 'A'), transfer: [] });
  return packed(sending, A, options, call);
}

/** @throws SparlaneError as `AsyncEngine.inverseDiagonal` */
export async function inverseDiagonalInWorker(
  sending: Sending,
  A: Given | AsyncFactorization,
  places: ArrayLike<number> | undefined,
  options: AsyncFunctionOptions,
): Promise<Float64Array> {
  knownKeys<AsyncFunctionOptions>('options', options, WATCHED);
  const { signal } = options;
  const { link } = sending;
  checkWatched(options);
  if (places !== undefined && !isArrayLike(places))
    throw mismatch('argument', 'places', 'an array of row numbers', places);
  const rows = places && Array.from(places);
  const call = (factors: AsyncFactorization) => {
    const args = { factors: factors.sentTo(link, 'A').handle, ...(rows && { places: rows }) };
    return callWithProgress(link, 'inverseDiagonal', args, { signal }).result;
  };
  if (A instanceof AsyncFactorization) return call(A);
  using factors = await factorInWorker(link, sending.pack, A, options);
  return await call(factors);
}

/** @throws SparlaneError as `AsyncEngine.logDeterminant` */
export async function logDeterminantInWorker(
  { link, pack }: Sending,
  A: Given | AsyncFactorization,
  options: AsyncFunctionOptions,
): Promise<AsyncFactorization['logDeterminant']> {
  knownKeys<AsyncFunctionOptions>('options', options, WATCHED);
  checkWatched(options);
  if (A instanceof AsyncFactorization) return A.logDeterminant;
  using factors = await factorInWorker(link, pack, A, options);
  return factors.logDeterminant;
}
