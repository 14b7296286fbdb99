/** `eigs`, `eigsGeneral` and `svds`: the whole search runs in the engine's worker, and the caller hears of its progress. */
import { object } from '../core/checks.js';
import type { EigsGeneralOptions } from '../eigen/general/eigs-general.js';
import type { EigenStep, EigsOptions } from '../eigen/method.js';
import type { SvdsOptions, SvdsStep } from '../eigen/singular/singular.js';
import { type AsyncOperator, sentVector, type VectorSource } from './handles.js';
import type { Link } from './link.js';
import { callWithProgress, checkWatched } from './progress.js';
import type { SearchName, SearchTypes } from './search-types.js';
import type { MatrixSource, PackSystem } from './send-source.js';

/** `AsyncEngine.eigs` takes these options. */
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

/** `AsyncEngine.eigsGeneral` takes these options. */
export interface AsyncEigsGeneralOptions
  extends Omit<EigsGeneralOptions, 'B' | 'start' | 'onProgress'>,
    Pick<AsyncEigsOptions, 'B' | 'start' | 'onProgress' | 'transfer'> {}

/** `AsyncEngine.svds` takes these options. */
export interface AsyncSvdsOptions extends Omit<SvdsOptions, 'onProgress'>, Pick<AsyncEigsOptions, 'transfer'> {
  /** Called about every 50 ms with the latest step. */
  readonly onProgress?: (step: SvdsStep) => unknown;
}

/** The options that are not sent as they are. */
interface Apart extends Pick<AsyncEigsOptions, 'B' | 'start' | 'signal' | 'transfer'> {
  readonly onProgress?: (step: never) => unknown;
}

/** The options of each search. */
interface SearchOptions {
  eigs: AsyncEigsOptions;
  eigsGeneral: AsyncEigsGeneralOptions;
  svds: AsyncSvdsOptions;
}

/** @throws SparlaneError as the method of `AsyncEngine` */
export async function searchInWorker<N extends SearchName>(
  link: Link,
  pack: PackSystem,
  name: N,
  matrix: MatrixSource | AsyncOperator,
  k: number,
  options: SearchOptions[N],
): Promise<SearchTypes[N]['result']> {
  const given: Apart = object('options', options);
  const { transfer: mayMove = false, signal, onProgress, B, start, ...rest } = given;
  checkWatched(given);
  const packed = [pack(matrix, mayMove), ...(B === undefined ? [] : [pack(B, mayMove)])];
  const sent = start === undefined ? {} : { start: sentVector(link, 'start', start) };
  // Operators are packed at once, so that the request comes before their release.
  const parcels = packed.some((parcel) => parcel instanceof Promise) ? await Promise.all(packed) : packed;
  signal?.throwIfAborted();
  const [own, mass] = parcels as Awaited<(typeof packed)[number]>[];
  const args = { name, matrix: own!.matrix, ...(mass && { mass: mass.matrix }), ...sent, k, options: rest };
  const transfer = [...own!.transfer, ...(mass?.transfer ?? [])];
  return callWithProgress(link, 'search', args, { signal, onProgress, transfer }).result as Promise<
    SearchTypes[N]['result']
  >;
}
