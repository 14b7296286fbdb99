/** Factors in the engine's worker, as the caller holds them. */
import { asFloats, type NumberArray } from '../core/arrays.js';
import { knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { ThreadBound } from '../core/thread-bound.js';
import type { FloatArray } from '../core/types.js';
import type { DirectName, FactorStep } from '../direct/method.js';
import type { FactorOptions } from '../preconditioners/factor.js';
import type { Factorization, FactorProgressOptions } from '../preconditioners/factorization.js';
import type { FactorizationReport } from '../preconditioners/factorization-report.js';
import { type AsyncOperator, sentVector, type VectorSource } from './handles.js';
import type { Link } from './link.js';
import { callWithProgress, checkWatched } from './progress.js';
import type { FactorSolution, FactorsInfo } from './protocol.js';
import { type MatrixSource, type PackSystem, trimmed } from './send-source.js';

/** `AsyncEngine.factor` takes these options. */
export interface AsyncFactorOptions extends FactorOptions, FactorProgressOptions {
  /** Moves the buffers of a matrix's arrays to the worker instead of copying them. The caller's arrays are then empty. */
  readonly transfer?: boolean;
}

const PROGRESS_OPTIONS: Record<keyof FactorProgressOptions, true> = { signal: true, onProgress: true };

const FACTOR_OPTIONS: Record<keyof AsyncFactorOptions, true> = {
  ...PROGRESS_OPTIONS,
  method: true,
  order: true,
  dtype: true,
  transfer: true,
};

/** @throws SparlaneError as `AsyncEngine.factor` */
export async function factorInWorker(
  link: Link,
  pack: PackSystem,
  matrix: MatrixSource | AsyncOperator,
  options: AsyncFactorOptions,
): Promise<AsyncFactorization> {
  knownKeys<AsyncFactorOptions>('options', options, FACTOR_OPTIONS);
  const { transfer: mayMove = false, signal, onProgress, ...rest } = options;
  checkWatched(options);
  const packed = pack(matrix, mayMove);
  const parcel = packed instanceof Promise ? await packed : packed;
  signal?.throwIfAborted();
  const args = { matrix: parcel.matrix, options: rest };
  const { handle, result } = callWithProgress<'factor', FactorStep>(link, 'factor', args, {
    signal,
    onProgress,
    transfer: parcel.transfer,
  });
  return new AsyncFactorization(link, handle, await result);
}

/** The factors of a matrix in the worker: made once, for many right-hand sides. */
export class AsyncFactorization extends ThreadBound implements Disposable {
  readonly rows: number;
  /** Time of reading the matrix and of the first factorization. */
  readonly setupMs: number;
  readonly #link: Link;
  readonly #handle: number;
  #info: FactorsInfo;

  /** Made by `engine.factor`. */
  constructor(link: Link, handle: number, info: FactorsInfo) {
    super('factorization');
    this.#link = link;
    this.#handle = handle;
    this.#info = info;
    this.rows = info.rows;
    this.setupMs = info.sourceMs + info.report.setupMs;
  }

  /** The method that was taken. */
  get method(): DirectName {
    return this.#info.report.method;
  }

  /** Memory of the factors. */
  get bytes(): number {
    return this.#info.report.bytes;
  }

  /** log |det A| and the sign of det A, of the latest values whose update has ended. */
  get logDeterminant(): Factorization['logDeterminant'] {
    return this.#info.logDeterminant;
  }

  /** As of `Factorization`. */
  get inertia(): Factorization['inertia'] {
    return this.#info.inertia;
  }

  /** What was chosen, and what it took. */
  explain(): FactorizationReport {
    return structuredClone(this.#info.report);
  }

  /**
   * X of A X = B, with iterative refinement. Columns share the worker with other requests.
   *
   * @param b length `rows`, or several columns: of a typed array one after the other; or a block of vectors of the engine
   * @param options.signal rejects with its reason
   * @returns x in an array of the type of b, several columns one after the other, and how good it is, the worst of its columns
   * @throws SparlaneError as `Factorization.solve`; the signal's reason
   */
  async solve<A extends FloatArray>(
    b: A | VectorSource,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<FactorSolution<A>> {
    knownKeys('options', options, { signal: true });
    const { signal } = options;
    checkWatched(options);
    const args = { factors: this.#handle, b: sentVector(this.#link, 'b', b) };
    const { result } = callWithProgress(this.#link, 'factorSolve', args, { signal });
    return (await result) as FactorSolution<A>;
  }

  /**
   * Other numbers in the same pattern, as `Factorization.update`, after all earlier solves and before all later ones.
   *
   * @param values copied; length nnz, in the order of the matrix's rows with ascending columns
   * @throws SparlaneError as `Factorization.update`; the signal's reason. Then there are no factors before another update
   */
  async update(values: NumberArray, options: FactorProgressOptions = {}): Promise<void> {
    knownKeys<FactorProgressOptions>('options', options, PROGRESS_OPTIONS);
    const { signal, onProgress } = options;
    checkWatched(options);
    const args = { factors: this.#handle, values: trimmed(asFloats('values', values)) };
    this.#info = await callWithProgress<'refactor', FactorStep>(this.#link, 'refactor', args, { signal, onProgress })
      .result;
  }

  /** @internal Its handle for the worker. @throws SparlaneError `argument` for the worker of another engine */
  sentTo(link: Link, name: string): { readonly handle: number } {
    if (link === this.#link) return { handle: this.#handle };
    throw mismatch('argument', name, 'factors of the same engine', 'those of another');
  }

  /** Frees all memory after all earlier requests. A second call has no effect. */
  dispose(): void {
    this.#link.release(this.#handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
