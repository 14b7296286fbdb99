/**
 * `format: 'auto'`: features of the matrix are computed, the formats are ranked, and the first format that accepts the
 * matrix is used. With `tune`, formats whose predicted times are close are tried, and the fastest is kept.
 */
import type { Backend } from '../backends/backend.js';
import type { TeamContext } from '../backends/team/backend.js';
import { type Circumstances, type Decision, decide, type RankedFormat, rank } from '../choice/choose.js';
import type { MachineCosts } from '../choice/model.js';
import { reorder } from '../choice/reorder.js';
import { learned } from '../choice/trials.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import type { Hint } from '../core/hints.js';
import type { Tuning } from '../core/tuning.js';
import { examine } from '../features/features.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { RunLoop } from '../formats/layout/loop.js';
import { rowFigures } from '../formats/layout/row-loops.js';
import type { Ordering } from '../reorder/permutation.js';
import type { FormatChoice, OperatorRequest } from './operator-options.js';
import { tryFormats } from './try-formats.js';

/** A matrix that was checked, and what the engine knows when it lays one out. */
export interface LayoutSource {
  readonly matrix: CsrMatrix;
  /** Arrays of the matrix that its layout may keep. */
  readonly keepable: Keepable | undefined;
  readonly context: TeamContext;
  readonly tuning: Tuning | undefined;
  readonly costs: MachineCosts;
  /** Runs the loops of conversions. */
  readonly runLoop: RunLoop;
  readonly onHint: (hint: Hint) => void;
  /** The choice for the matrix of which this one is the transpose, after trials: if they are akin, this one has none of its own. */
  readonly akin?: Decision | undefined;
  /** Formats whose layouts are predicted to have more bytes are left out, because other memories have room for them. Default: none is. */
  readonly mostBytes?: number | undefined;
}

/** Stores a matrix in the format of a spec. */
export type StoreLayout = (matrix: CsrMatrix, spec: string, groups?: Groups) => StoredMatrix;

export interface Best {
  readonly stored: StoredMatrix;
  readonly decision: Decision;
  /** Defined if rows and columns were reordered. */
  readonly ordering?: Ordering | undefined;
}

export function storeBest(
  { matrix: given, context, costs, runLoop, onHint, akin, mostBytes }: LayoutSource,
  backend: Backend,
  { dtype, padding, blockSums, patient }: OperatorRequest,
  { products, tune, allowPermutation, columns }: FormatChoice,
  storeAs: StoreLayout,
): Best {
  const threads = context.team.size;
  const circumstances: Circumstances = {
    ...{ dtype, threads, products, costs, padding, columns, blockSums, patient },
    device: backend.model,
  };
  const start = performance.now();
  const examineRows = (matrix: CsrMatrix) => examine(matrix, rowFigures(context.heap, matrix, runLoop));
  const first = examineRows(given);
  const better = allowPermutation ? reorder(first, circumstances) : undefined;
  const matrix = better?.matrix ?? given;
  const examined = better === undefined ? first : examineRows(matrix);
  const seen = performance.now();
  const all = rank(examined, circumstances);
  const ranked = mostBytes === undefined ? all : noneLarger(all, mostBytes);
  const known = akin && learned(ranked, akin.ranking, products);
  const chooseMs = performance.now() - seen;
  const store = (format: RankedFormat) => storeAs(matrix, format.spec);
  const predicted = firstThatFits(known ?? ranked, store, ({ spec }, { message }) =>
    onHint({ name: 'fill-in', message: `${spec} was expected to be best, but: ${message}` }),
  );
  const stop = performance.now();
  const isTried = tune && known === undefined;
  const best = isTried
    ? tryFormats(predicted, { heap: context.heap, backend, matrix, circumstances, blockSums, storeAs })
    : predicted;
  const tuneMs = isTried ? performance.now() - stop : 0;
  const { stored } = best;
  const outcome = { examineMs: seen - start, chooseMs, tuneMs, multipliesPadding: stored.multipliesPadding ?? false };
  return { stored, decision: decide(examined, circumstances, best.ranking, outcome), ordering: better?.ordering };
}

/** The formats whose products move no more bytes. @throws SparlaneError `heap` if there is none */
function noneLarger(ranking: readonly RankedFormat[], mostBytes: number): readonly RankedFormat[] {
  const small = ranking.filter(({ bytes }) => bytes <= mostBytes);
  if (small.length > 0) return small;
  const least = Math.min(...ranking.map(({ bytes }) => bytes));
  throw mismatch('heap', 'matrix', `a layout of at most ${mostBytes} bytes`, least);
}

/**
 * Stores a matrix in the first format of a ranking that does not refuse it.
 *
 * @param onRefusal is told of each format that does, unless it is the last
 * @returns what is stored, and the ranking from that format on @throws as `store`
 */
export function firstThatFits<S>(
  ranking: readonly RankedFormat[],
  store: (format: RankedFormat) => S,
  onRefusal: (format: RankedFormat, error: Error) => void = () => {},
): { readonly stored: S; readonly ranking: readonly RankedFormat[] } {
  const [first, ...others] = ranking;
  try {
    return { stored: store(first!), ranking };
  } catch (error) {
    if (!isRefusal(error) || others.length === 0) throw error;
    onRefusal(first!, error);
    return firstThatFits(others, store, onRefusal);
  }
}
