/**
 * sparlane for a page: the same engine in a worker, where it may wait for its threads. In the page, every call returns
 * a promise.
 *
 *     const engine = await createPageEngine({ onHint: console.warn });
 *     const A = await engine.operator({ gallery: 'gallery:laplace2d5?nx=1000&ny=1000' });
 *     const x = await engine.vector(A.cols);
 *     x.data.fill(1);
 *     const y = await A.apply(x);
 *
 * With cross-origin isolation (the headers `Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy:
 * require-corp`) the engine uses all cores, and page and threads share the memory of its vectors. Without it, one
 * thread computes, vectors are copied, and a hint says so. Nothing else changes.
 */
import { abortSignal, callback } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Hint } from '../core/hints.js';
import type { Dtype, VectorOf } from '../core/types.js';
import { type Script, startScript } from '../execution/script.browser.js';
import type { KernelBinary } from '../kernels/abi.js';
import type { EngineOptions } from '../operators/create-engine.js';
import type { OperatorOptions } from '../operators/operator-options.js';
import { Link } from './link.js';
import { PageOperator, PageVector, type VectorSource } from './page-operator.js';
import { type PageSolution, type PageSolveOptions, solveInWorker } from './page-solve.js';
import type { EngineInfo, EngineStatus } from './protocol.js';
import { type MatrixSource, packSource, trimmed } from './send-source.js';

export type { CooInput, CscInput, CsrInput, MatrixInput } from '../core/csr.js';
export { SparlaneError } from '../core/errors.js';
export type { Hint } from '../core/hints.js';
export type { VectorOf } from '../core/types.js';
export type { PageOperator, PageVector, VectorSource } from './page-operator.js';
export type { PageSolution, PageSolveOptions } from './page-solve.js';
export type { EngineInfo, EngineStatus, OperatorInfo, Timing } from './protocol.js';
export type { MatrixSource } from './send-source.js';

export interface PageEngineOptions extends EngineOptions {
  /**
   * The URL of the engine worker's script (`sparlane/worker`), or a worker that runs it. For bundlers that do not find
   * it.
   */
  worker?: URL | string | Worker;
}

export interface PageOperatorOptions<D extends Dtype = Dtype> extends OperatorOptions {
  dtype?: D;
  /** Moves the buffers of a matrix's arrays to the worker instead of copying them. The page's arrays are then empty. */
  transfer?: boolean;
  /** Aborts the call, also during a download. */
  signal?: AbortSignal;
}

/**
 * Starts a worker, and an engine in it.
 *
 * @throws SparlaneError `backend` if workers do not start, and as `createEngine`; the signal's reason on abort
 */
export async function createPageEngine(options: PageEngineOptions = {}): Promise<PageEngine> {
  const { worker, member, wasm, signal, onHint = () => {}, ...rest } = options;
  if (signal !== undefined) abortSignal('signal', signal);
  callback('onHint', onHint);
  signal?.throwIfAborted();
  const args = {
    ...rest,
    ...(wasm === undefined ? {} : { wasm: wasm instanceof WebAssembly.Module ? wasm : absolute('wasm', wasm) }),
    ...(member === undefined ? {} : { member: absolute('member', member) }),
  };
  const link = startLink(worker, onHint);
  try {
    const info = await link.call('create', args, { signal }).result;
    link.watch(info.lifeline);
    return new PageEngine(link, info, signal);
  } catch (error) {
    void link.close(error);
    throw error;
  }
}

function startLink(given: PageEngineOptions['worker'], onHint: (hint: Hint) => void): Link {
  if (given instanceof Worker) return new Link(given, { option: 'worker', url: undefined }, onHint);
  const url = given === undefined ? undefined : absolute('worker', given);
  const script: Script = { option: 'worker', url };
  return new Link(
    startScript(script, () => startWorker(url)),
    script,
    onHint,
  );
}

/** Two literal calls, because bundlers search for exactly this expression. */
function startWorker(url: string | undefined): Worker {
  if (url !== undefined) return new Worker(url, { type: 'module' });
  return new Worker(new URL('./page.worker.js', import.meta.url), { type: 'module' });
}

/**
 * Absolute, because a relative URL has another base in the worker. @throws SparlaneError `argument`, naming the option
 */
function absolute(option: string, url: URL | string): string {
  if (URL.canParse(url, document.baseURI)) return new URL(url, document.baseURI).href;
  throw mismatch('argument', option, 'a URL', url);
}

export class PageEngine implements AsyncDisposable {
  /** Number of compute threads, without the page's own thread. */
  readonly threads: number;
  readonly binary: KernelBinary;
  /** Whether the page and the threads share the memory of this engine's vectors. */
  readonly shared: boolean;
  readonly #link: Link;

  /** Made by `createPageEngine`. */
  constructor(link: Link, { threads, binary, shared }: EngineInfo, signal: AbortSignal | undefined) {
    this.#link = link;
    this.threads = threads;
    this.binary = binary;
    this.shared = shared;
    signal?.addEventListener('abort', () => void this.dispose(), { once: true });
    if (signal?.aborted) void this.dispose();
  }

  /**
   * A vector that products use without copying: zeros of a given length, or a copy of numbers.
   *
   * @throws SparlaneError `heap` if it does not fit
   */
  async vector<D extends Dtype = 'f64'>(
    source: number | ArrayLike<number>,
    { dtype }: { readonly dtype?: D } = {},
  ): Promise<PageVector<VectorOf<D>>> {
    const { handle, result } = this.#link.call('vector', { source: trimmed(source), dtype: dtype ?? 'f64' });
    return new PageVector(this.#link, handle, (await result) as VectorOf<D>, this.shared);
  }

  /**
   * Creates the operator x ↦ A x: reads the matrix, validates it, converts it and plans its products, all in the
   * worker.
   *
   * @throws SparlaneError as `engine.operator` and, for files, `parse`; the signal's reason on abort
   */
  async operator<D extends Dtype = 'f64'>(
    matrix: MatrixSource,
    options: PageOperatorOptions<D> = {},
  ): Promise<PageOperator<VectorOf<D>>> {
    const { transfer = false, signal, ...rest } = options;
    if (signal !== undefined) abortSignal('signal', signal);
    const parcel = await packSource(matrix, transfer);
    const args = { matrix: parcel.matrix, options: rest };
    const { handle, result } = this.#link.call('operator', args, { transfer: parcel.transfer, signal });
    return new PageOperator(this.#link, handle, await result);
  }

  /**
   * Solves A x = b in the worker, the whole loop there, whatever the size of the steps. No option is needed.
   *
   * @param matrix a source, which is read anew; or an operator of the engine
   * @param options.onProgress called about every 50 ms
   * @param options.signal ends the solve with the reason `stopped`, and x as it is; while a file is read, it rejects
   * @throws SparlaneError as `solve` and, for files, `parse`
   */
  solve(matrix: MatrixSource | PageOperator, b: VectorSource, options: PageSolveOptions = {}): Promise<PageSolution> {
    return solveInWorker(this.#link, matrix, b, options);
  }

  /** The memory of the engine, and how many of its threads stand by. For tests and diagnosis. */
  status(): Promise<EngineStatus> {
    return this.#link.call('status', {}).result;
  }

  /**
   * Ends threads and worker after all earlier products. Vectors and operators are disposed too. A second call has no
   * effect.
   */
  dispose(): Promise<void> {
    return this.#link.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
