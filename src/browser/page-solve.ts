/** `solve` of a page: the whole loop runs in the engine's worker, and the page hears of its progress. */
import { abortSignal, callback } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { SolveAsyncOptions, SystemSolution } from '../solvers/solve.js';
import type { Link } from './link.js';
import { PageOperator, PageVector, type VectorSource } from './page-operator.js';
import type { SentVector } from './protocol.js';
import { type MatrixSource, packSource, trimmed } from './send-source.js';

export interface PageSolveOptions extends Omit<SolveAsyncOptions, 'x0' | 'preconditioner'> {
  /** The first x. Default: zeros. It is not changed. */
  readonly x0?: VectorSource;
  /** A preconditioner by name, or `none`. Default `auto`: chosen for the matrix. */
  readonly preconditioner?: string;
  /** Moves the buffers of a matrix's arrays to the worker instead of copying them. The page's arrays are then empty. */
  readonly transfer?: boolean;
}

export interface PageSolution extends Omit<SystemSolution, 'x'> {
  /** In the page's own memory. */
  readonly x: Float64Array;
  /** Time of reading or generating the matrix. */
  readonly sourceMs: number;
}

/** @throws SparlaneError as `PageEngine.solve` */
export async function solveInWorker(
  link: Link,
  matrix: MatrixSource | PageOperator,
  b: VectorSource,
  options: PageSolveOptions,
): Promise<PageSolution> {
  if (typeof options !== 'object' || options === null) throw mismatch('argument', 'options', 'an object', options);
  const { transfer = false, signal, onProgress, x0, ...limits } = options;
  if (signal !== undefined) abortSignal('signal', signal);
  if (onProgress !== undefined) callback('onProgress', onProgress);
  const isOperator = matrix instanceof PageOperator;
  const parcel = isOperator
    ? { matrix: { operator: matrix.sentTo(link) }, transfer: [] }
    : await packSource(matrix, transfer);
  const args = {
    matrix: parcel.matrix,
    b: sent(link, 'b', b),
    ...(x0 !== undefined && { x0: sent(link, 'x0', x0) }),
    isAborted: signal?.aborted ?? false,
    options: limits,
  };
  let failure: { readonly reason: unknown } | undefined;
  const stop = () => void link.call('stop', { solve: handle }).result.catch(() => {}); // a worker that died has stopped
  const { handle, result } = link.call('solve', args, {
    transfer: parcel.transfer,
    onProgress(step) {
      try {
        if (failure === undefined) onProgress?.(step);
      } catch (reason) {
        failure = { reason };
        stop();
      }
    },
  });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const solution = await result;
    if (failure !== undefined) throw failure.reason;
    return solution;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

function sent(link: Link, name: string, vector: VectorSource): SentVector {
  if (!(vector instanceof PageVector)) return { numbers: trimmed(vector) };
  if (vector.link === link) return vector.sent(true);
  throw mismatch('argument', name, 'a vector of the same engine', 'one of another');
}
