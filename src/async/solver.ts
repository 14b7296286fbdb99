/** A prepared solver in the engine's worker, as the caller holds it. */
import { asFloats, type NumberArray } from '../core/arrays.js';
import { object } from '../core/checks.js';
import { ThreadBound } from '../core/thread-bound.js';
import type { SetupStep } from '../preconditioners/preconditioner.js';
import type { SolverOptions, SolverSolveAsyncOptions } from '../solvers/solver.js';
import type { SolveDecision } from '../solvers/system.js';
import type { AsyncOperator, VectorSource } from './handles.js';
import type { Link } from './link.js';
import { callWithProgress, checkWatched } from './progress.js';
import type { SolverInfo } from './protocol.js';
import { type MatrixSource, type PackSystem, trimmed } from './send-source.js';
import { type AsyncSolution, sentSides } from './solve.js';

/** `AsyncEngine.solver` takes these options. */
export interface AsyncSolverOptions extends Omit<SolverOptions, 'preconditioner'> {
  /** A preconditioner by name, or `none`. Default `auto`: chosen for the matrix. */
  readonly preconditioner?: string;
  /** Moves the buffers of a matrix's arrays to the worker instead of copying them. The caller's arrays are then empty. */
  readonly transfer?: boolean;
  /** Aborts the call, also during a download and between two steps of the set-up. */
  readonly signal?: AbortSignal;
  /** Called about every 50 ms of the set-up. */
  readonly onProgress?: (step: SetupStep) => unknown;
}

/** What holds for one right-hand side. */
export interface AsyncSolverSolveOptions extends Omit<SolverSolveAsyncOptions, 'x0'> {
  /** The first x. Default: zeros. It is not changed. */
  readonly x0?: VectorSource;
}

/** @throws SparlaneError as `AsyncEngine.solver` */
export async function solverInWorker(
  link: Link,
  pack: PackSystem,
  matrix: MatrixSource | AsyncOperator,
  options: AsyncSolverOptions,
): Promise<AsyncSolver> {
  const { transfer: mayMove = false, signal, onProgress, ...rest } = object('options', options);
  checkWatched(options);
  const packed = pack(matrix, mayMove);
  const parcel = packed instanceof Promise ? await packed : packed;
  signal?.throwIfAborted();
  const args = { matrix: parcel.matrix, options: rest };
  const { handle, result } = callWithProgress<'solver', SetupStep>(link, 'solver', args, {
    signal,
    onProgress,
    transfer: parcel.transfer,
  });
  return new AsyncSolver(link, handle, await result);
}

/** Solves A x = b for many right-hand sides in the worker: the operator, the order and the preconditioner are made once. */
export class AsyncSolver extends ThreadBound implements Disposable {
  readonly rows: number;
  readonly cols: number;
  /** What was chosen, and why. */
  readonly decision: SolveDecision;
  /** The format of the matrix. */
  readonly format: string;
  /** Time of reading the matrix and of the set-up. */
  readonly setupMs: number;
  readonly #link: Link;
  readonly #handle: number;

  /** Made by `engine.solver`. */
  constructor(link: Link, handle: number, { rows, cols, decision, format, setupMs, sourceMs }: SolverInfo) {
    super('solver');
    this.#link = link;
    this.#handle = handle;
    this.rows = rows;
    this.cols = cols;
    this.decision = decision;
    this.format = format;
    this.setupMs = sourceMs + setupMs;
  }

  /**
   * Solves share the worker as those of `engine.solve` do; each has its own vectors.
   *
   * @param b length `rows`
   * @param options.onProgress called about every 50 ms
   * @param options.signal ends the solve with the reason `stopped`, and x as it is; before the first step it rejects
   * @throws SparlaneError as `Solver.solve`; the signal's reason
   */
  async solve(b: VectorSource, options: AsyncSolverSolveOptions = {}): Promise<AsyncSolution> {
    const { signal, onProgress, x0, ...limits } = object('options', options);
    checkWatched(options);
    const args = { ...sentSides(this.#link, b, x0), matrix: { solver: this.#handle }, options: limits };
    return callWithProgress(this.#link, 'solve', args, { signal, onProgress }).result;
  }

  /**
   * Other numbers in the same pattern, as `Solver.update`, after all earlier solves and before all later ones.
   *
   * @param values copied; length nnz, in the order of the matrix's rows with ascending columns
   * @throws SparlaneError as `Solver.update`
   */
  async update(values: NumberArray): Promise<void> {
    const sent = trimmed(asFloats('values', values));
    await this.#link.call('update', { solver: this.#handle, values: sent }).result;
  }

  /** Frees all memory after all earlier solves. A second call has no effect. */
  dispose(): void {
    this.#link.release(this.#handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
