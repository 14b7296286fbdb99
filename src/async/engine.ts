/** The asynchronous engine: the same engine in a worker, where it may take its time, behind promises. */
import type { ComplexDtype, ComplexOperatorOptions } from '../complex/options.js';
import { isArrayLike } from '../core/arrays.js';
import { abortSignal, knownKeys, object } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Dtype, FloatArray, VectorOf } from '../core/types.js';
import type { VectorOptions } from '../engine/create-vector.js';
import type { KernelBinary } from '../kernels/abi.js';
import type { OperatorOptions } from '../operators/operator-options.js';
import type { OpenChannel } from './channel.js';
import { EngineFunctions } from './engine-functions.js';
import { type AsyncFactorization, type AsyncFactorOptions, factorInWorker } from './factorization.js';
import type { Sending } from './functions.js';
import { AsyncOperator, AsyncVector, type VectorSource } from './handles.js';
import type { Link } from './link.js';
import type { EngineInfo, EngineStatus } from './protocol.js';
import { type RunOptions, runInWorker, type Task, type TaskArguments, type TaskResult } from './run.js';
import {
  type AsyncEigsGeneralOptions,
  type AsyncEigsOptions,
  type AsyncSvdsOptions,
  searchInWorker,
} from './search.js';
import type { AsyncEigenSolution, AsyncGeneralEigenSolution, AsyncSvdsSolution } from './search-types.js';
import { type MatrixSource, type PackSystem, packSource, trimmed } from './send-source.js';
import { type AsyncSolution, type AsyncSolveOptions, solveInWorker } from './solve.js';
import { type AsyncSolver, type AsyncSolverOptions, solverInWorker } from './solver.js';

export interface AsyncOperatorOptions<D extends Dtype = Dtype> extends OperatorOptions {
  dtype?: D;
  /** Moves the buffers of a matrix's arrays to the worker instead of copying them. The caller's arrays are then empty. */
  transfer?: boolean;
  /** Aborts the call, also during a download. */
  signal?: AbortSignal;
}

/** `AsyncEngine.complexOperator` takes these options. */
export interface AsyncComplexOperatorOptions<D extends ComplexDtype = ComplexDtype>
  extends ComplexOperatorOptions,
    Pick<AsyncOperatorOptions, 'transfer' | 'signal'> {
  readonly dtype?: D;
}

/** `AsyncEngine.vector` takes these options. */
export type AsyncVectorOptions<D extends Dtype = Dtype> = Omit<VectorOptions<D>, 'device'>;

const VECTOR_OPTIONS = { dtype: true, columns: true, order: true } satisfies Record<keyof AsyncVectorOptions, true>;

/** The differences between Node and a page, on the caller's side. */
export interface CallerPlatform {
  readonly openChannel: OpenChannel;
  /** The URL of an option as the worker understands it. @throws SparlaneError `argument`, naming the option */
  readonly absolute: (option: string, url: URL | string) => string;
  /** The place of a file as the worker understands it. */
  readonly locate: (file: URL | string) => string;
}

/** An asynchronous engine runs in a worker of its own, so that no call blocks the caller: every method returns a promise. `createAsyncEngine` makes one. */
export class AsyncEngine extends EngineFunctions implements AsyncDisposable {
  /** Number of compute threads, without the caller's own thread. */
  readonly threads: number;
  readonly binary: KernelBinary;
  /** Whether the caller and the threads share the memory of this engine's vectors: always in Node. */
  readonly shared: boolean;
  readonly #link: Link;
  readonly #platform: CallerPlatform;

  /** Made by `createAsyncEngine`. */
  constructor(
    link: Link,
    { threads, binary, shared }: EngineInfo,
    platform: CallerPlatform,
    signal: AbortSignal | undefined,
  ) {
    super();
    this.#link = link;
    this.#platform = platform;
    this.threads = threads;
    this.binary = binary;
    this.shared = shared;
    signal?.addEventListener('abort', () => void this.dispose(), { once: true });
    if (signal?.aborted) void this.dispose();
  }

  /**
   * A vector that products use without copying: zeros of a given length, or a copy of numbers. It is in the shared heap.
   *
   * With `columns`, a block of vectors, as of `Engine.vector`: the length is its number of rows, and a source has rows × columns numbers.
   *
   * @throws SparlaneError `shape` if a source is not whole columns; `heap` if it does not fit
   */
  async vector<D extends Dtype = 'f64'>(
    source: number | ArrayLike<number>,
    options: AsyncVectorOptions<D> = {},
  ): Promise<AsyncVector<VectorOf<D>>> {
    knownKeys<AsyncVectorOptions>('options', options, VECTOR_OPTIONS);
    if (typeof source !== 'number' && !isArrayLike(source))
      throw mismatch('argument', 'source', 'a length or an array of numbers', source);
    const { handle, result } = this.#link.call('vector', { source: trimmed(source), options });
    return new AsyncVector(this.#link, handle, (await result) as VectorOf<D>, this.shared, options.columns ?? 1);
  }

  /**
   * Creates the operator x ↦ A x: reads the matrix, validates it, converts it and plans its products, all in the
   * worker.
   *
   * @throws SparlaneError as `engine.operator` and, for files, `parse`; the signal's reason on abort
   */
  async operator<D extends Dtype = 'f64'>(
    matrix: MatrixSource,
    options: AsyncOperatorOptions<D> = {},
  ): Promise<AsyncOperator<VectorOf<D>>> {
    return this.#operate('operator', matrix, options);
  }

  /**
   * The same for a complex matrix, as `complexOperator`: x and y are pairs (re, im). A real matrix gets imaginary parts 0.
   *
   * @throws SparlaneError as `complexOperator`, `backend` for an engine without `complex: true`, and, for files, `parse`; the signal's reason on abort
   */
  async complexOperator<D extends ComplexDtype = 'c128'>(
    matrix: MatrixSource,
    options: AsyncComplexOperatorOptions<D> = {},
  ): Promise<AsyncOperator<D extends 'c64' ? Float32Array : Float64Array>> {
    return this.#operate('complexOperator', matrix, options);
  }

  async #operate<A extends FloatArray>(
    kind: 'operator' | 'complexOperator',
    matrix: MatrixSource,
    options: AsyncOperatorOptions | AsyncComplexOperatorOptions,
  ): Promise<AsyncOperator<A>> {
    const { transfer: mayMove = false, signal, ...rest } = object('options', options);
    if (signal !== undefined) abortSignal('signal', signal);
    const parcel = await this.#pack(matrix, mayMove);
    const args = { matrix: parcel.matrix, options: rest as object };
    const { handle, result } = this.#link.call(kind, args, { transfer: parcel.transfer, signal });
    return new AsyncOperator(this.#link, handle, await result);
  }

  /**
   * Solves A x = b in the worker, the whole loop there. No option is needed. Several solves share the worker in slices of
   * some 5 ms, and products run between them, also in the set-up of multigrid and factors.
   *
   * @param matrix a source, which is read anew; or an operator of the engine
   * @param options.onProgress called about every 50 ms
   * @param options.signal ends the solve with the reason `stopped`, and x as it is; before the first step it rejects
   * @throws SparlaneError as `solve` and, for files, `parse`; the signal's reason
   */
  solve(
    matrix: MatrixSource | AsyncOperator,
    b: VectorSource,
    options: AsyncSolveOptions = {},
  ): Promise<AsyncSolution> {
    return solveInWorker(this.#link, this.#packSystem, matrix, b, options);
  }

  /**
   * Prepares a solver in the worker for many right-hand sides: `solver.solve(b)`. No option is needed.
   *
   * @param matrix a source; or an operator of the engine, which must outlive the solver
   * @param options those of `solve`; tolerances and limits are defaults of each solve
   * @param options.onProgress called about every 50 ms of the set-up
   * @param options.signal rejects with its reason, and nothing stays allocated
   * @throws SparlaneError as `solve`; the signal's reason
   */
  solver(matrix: MatrixSource | AsyncOperator, options: AsyncSolverOptions = {}): Promise<AsyncSolver> {
    return solverInWorker(this.#link, this.#packSystem, matrix, options);
  }

  /**
   * Makes the factors of a matrix in the worker, as `factor`: for many right-hand sides, `factors.solve(b)`. It shares the worker in slices.
   *
   * @param matrix a source; or an operator of the engine
   * @param options.onProgress called about every 50 ms
   * @param options.signal rejects with its reason, and nothing stays allocated
   * @throws SparlaneError as `factor` and, for files, `parse`; the signal's reason
   */
  factor(matrix: MatrixSource | AsyncOperator, options: AsyncFactorOptions = {}): Promise<AsyncFactorization> {
    return factorInWorker(this.#link, this.#packSystem, matrix, options);
  }

  /**
   * Finds k eigenvalues and eigenvectors of a symmetric A in the worker, as `eigs`. It shares the worker in slices.
   *
   * @param matrix a source, which is read anew; or an operator of the engine
   * @param options.onProgress called about every 50 ms
   * @param options.signal ends the search with the reason `stopped` and the best pairs so far; before there are any it rejects
   * @throws SparlaneError as `eigs` and, for files, `parse`; the signal's reason
   */
  eigs(matrix: MatrixSource | AsyncOperator, k: number, options: AsyncEigsOptions = {}): Promise<AsyncEigenSolution> {
    return searchInWorker(this.#link, this.#packSystem, 'eigs', matrix, k, options);
  }

  /**
   * Finds k eigenvalues and eigenvectors of a square A in the worker, as `eigsGeneral`. It shares the worker in slices.
   *
   * @param options.onProgress as of `eigs`
   * @param options.signal as of `eigs`
   * @throws SparlaneError as `eigsGeneral` and, for files, `parse`; the signal's reason
   */
  eigsGeneral(
    matrix: MatrixSource | AsyncOperator,
    k: number,
    options: AsyncEigsGeneralOptions = {},
  ): Promise<AsyncGeneralEigenSolution> {
    return searchInWorker(this.#link, this.#packSystem, 'eigsGeneral', matrix, k, options);
  }

  /**
   * Finds k singular values and vectors of A in the worker, as `svds`. It shares the worker in slices.
   *
   * @param options.onProgress as of `eigs`
   * @param options.signal as of `eigs`, with triplets
   * @throws SparlaneError as `svds` and, for files, `parse`; the signal's reason
   */
  svds(matrix: MatrixSource | AsyncOperator, k: number, options: AsyncSvdsOptions = {}): Promise<AsyncSvdsSolution> {
    return searchInWorker(this.#link, this.#packSystem, 'svds', matrix, k, options);
  }

  /**
   * Calls a function in the worker, with the synchronous engine and these arguments: loops of many products without a
   * message for each.
   *
   * @param task the URL of a module, whose default export is called, or the export that the URL's fragment names; or a function, which is
   *   sent as its text, and uses nothing but its arguments and globals. A generator function shares the worker with other requests
   * @param args copied by structured clone; vectors and operators of this engine arrive as those of the synchronous one. Without shared
   *   memory, a vector's numbers are sent there, and not back
   * @returns a copy of what the function returns
   * @throws SparlaneError `argument` for a task that cannot be loaded; the error of the function; the signal's reason on abort
   */
  run<P extends unknown[], R>(
    task: Task<P, R>,
    args: NoInfer<TaskArguments<P>>,
    options?: RunOptions,
  ): Promise<TaskResult<R>>;
  run<T = unknown>(task: URL | string, args?: readonly unknown[], options?: RunOptions): Promise<T>;
  run(task: Task | URL | string, args: readonly unknown[] = [], options: RunOptions = {}): Promise<unknown> {
    return runInWorker(this.#link, task, args, options, this.#platform.absolute);
  }

  /** The memory of the engine, how many of its threads stand by, and how many requests run and wait. Never refused as `busy`. */
  async status(): Promise<EngineStatus> {
    const { open, waiting } = this.#link;
    return { ...(await this.#link.call('status', {}).result), open, waiting };
  }

  /**
   * Ends threads and worker after all earlier products; what has not ended then rejects. Vectors and operators are
   * disposed too. A second call has no effect.
   */
  dispose(): Promise<void> {
    return this.#link.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  readonly #packSystem: PackSystem = (matrix, mayMove) =>
    matrix instanceof AsyncOperator
      ? { matrix: matrix.sentTo(this.#link, 'matrix'), transfer: [] }
      : this.#pack(matrix, mayMove);

  /** @internal */
  protected override get sending(): Sending {
    return { link: this.#link, pack: this.#packSystem };
  }

  #pack(matrix: MatrixSource, mayMove: boolean): ReturnType<typeof packSource> {
    return packSource(matrix, mayMove, this.#platform.locate);
  }
}
