/** `solve`: the whole loop runs in the engine's worker, and the caller hears of its progress. */
import { object } from '../core/checks.js';
import type { SolveAsyncOptions } from '../solvers/solve.js';
import type { SystemSolution } from '../solvers/solver.js';
import { type AsyncOperator, sentVector, type VectorSource } from './handles.js';
import type { Link } from './link.js';
import { callWithProgress, checkWatched } from './progress.js';
import type { SentSystem } from './protocol.js';
import type { MatrixSource, PackSystem } from './send-source.js';

/** `AsyncEngine.solve` takes these options. */
export interface AsyncSolveOptions extends Omit<SolveAsyncOptions, 'x0' | 'preconditioner'> {
  /** The first x. Default: zeros. It is not changed. */
  readonly x0?: VectorSource;
  /** A preconditioner by name, or `none`. Default `auto`: chosen for the matrix. */
  readonly preconditioner?: string;
  /** Moves the buffers of a matrix's arrays to the worker instead of copying them. The caller's arrays are then empty. */
  readonly transfer?: boolean;
}

/** `AsyncEngine.solve` returns this: x is in the caller's own memory. */
export interface AsyncSolution extends Omit<SystemSolution, 'x'> {
  /** In the caller's own memory. */
  readonly x: Float64Array;
  /** Time of reading or generating the matrix. */
  readonly sourceMs: number;
}

/** @throws SparlaneError as `AsyncEngine.solve` */
export async function solveInWorker(
  link: Link,
  pack: PackSystem,
  matrix: MatrixSource | AsyncOperator,
  b: VectorSource,
  options: AsyncSolveOptions,
): Promise<AsyncSolution> {
  const { transfer: mayMove = false, signal, onProgress, x0, ...limits } = object('options', options);
  checkWatched(options);
  const packed = pack(matrix, mayMove);
  const parcel = packed instanceof Promise ? await packed : packed;
  signal?.throwIfAborted();
  const args = { ...sentSides(link, b, x0), matrix: parcel.matrix, options: limits };
  return callWithProgress(link, 'solve', args, { signal, onProgress, transfer: parcel.transfer }).result;
}

/** @throws SparlaneError `argument` for vectors of another engine */
export function sentSides(link: Link, b: VectorSource, x0: VectorSource | undefined): Pick<SentSystem, 'b' | 'x0'> {
  return { b: sentVector(link, 'b', b), ...(x0 !== undefined && { x0: sentVector(link, 'x0', x0) }) };
}
