/** `eigs`: the whole search runs in the engine's worker, and the caller hears of its progress. */
import { object } from '../core/checks.js';
import type { EigenSolution, EigenStep, EigsOptions } from '../eigen/method.js';
import { type AsyncOperator, sentVector, type VectorSource } from './handles.js';
import type { Link } from './link.js';
import { callWithProgress, checkWatched } from './progress.js';
import type { MatrixSource, PackSystem } from './send-source.js';

export interface AsyncEigsOptions extends Omit<EigsOptions, 'B' | 'start' | 'preconditioner' | 'onProgress'> {
  /** B of A x = λ B x: a source, or an operator of the engine. Default: the identity. */
  readonly B?: MatrixSource | AsyncOperator;
  /** The first vector. Default: seeded random numbers. It is not changed. */
  readonly start?: VectorSource;
  /** A preconditioner by name, or `none`. Default: chosen by the method. */
  readonly preconditioner?: string;
  /** Called about every 50 ms with the latest step. */
  readonly onProgress?: (step: EigenStep) => unknown;
  /** Moves the buffers of the arrays of A and B to the worker instead of copying them. The caller's arrays are then empty. */
  readonly transfer?: boolean;
}

export interface AsyncEigenSolution extends Omit<EigenSolution, 'vectors'> {
  /** In the caller's own memory: one vector after the other, in the order of `values`. */
  readonly vectors: Float64Array;
  /** Time of reading or generating the matrices. */
  readonly sourceMs: number;
}

/** @throws SparlaneError as `AsyncEngine.eigs` */
export async function eigsInWorker(
  link: Link,
  pack: PackSystem,
  matrix: MatrixSource | AsyncOperator,
  k: number,
  options: AsyncEigsOptions,
): Promise<AsyncEigenSolution> {
  const { transfer: mayMove = false, signal, onProgress, B, start, ...rest } = object('options', options);
  checkWatched(options);
  const packed = [pack(matrix, mayMove), ...(B === undefined ? [] : [pack(B, mayMove)])];
  const sent = start === undefined ? {} : { start: sentVector(link, 'start', start) };
  // Operators are packed at once, so that the request comes before their release.
  const parcels = packed.some((parcel) => parcel instanceof Promise) ? await Promise.all(packed) : packed;
  signal?.throwIfAborted();
  const [own, mass] = parcels as Awaited<(typeof packed)[number]>[];
  const args = { matrix: own!.matrix, ...(mass && { mass: mass.matrix }), ...sent, k, options: rest };
  const transfer = [...own!.transfer, ...(mass?.transfer ?? [])];
  return callWithProgress<'eigs', EigenStep>(link, 'eigs', args, { signal, onProgress, transfer }).result;
}
