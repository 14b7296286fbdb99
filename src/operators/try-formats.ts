/** Trials of formats with products of the whole matrix, or of a slice of its rows if it is large: then the winner meets the predicted format once more. */
import type { Backend } from '../backends/backend.js';
import type { Circumstances, RankedFormat } from '../choice/choose.js';
import { budgetMs } from '../choice/trials.js';
import type { CsrMatrix } from '../core/csr.js';
import type { BlockSums, StoredMatrix } from '../formats/format.js';
import type { Heap } from '../memory/heap.js';
import { createLanes } from './lanes.js';
import { fastestOf, ifItFits, mayPay, type Ranked, type Trials } from './measure.js';
import { sliceFor } from './slice.js';
import { ratioOf } from './turns.js';

/** The winner of trials on a slice and the predicted format take turns in so many rounds, if these are long. Chosen. */
const LAST_ROUNDS = 3;

/** What is tried, and where. */
export interface Tried {
  readonly heap: Heap;
  readonly backend: Backend;
  readonly matrix: CsrMatrix;
  readonly circumstances: Circumstances;
  /** As in `OperatorOptions`. Default `single`. */
  readonly blockSums?: BlockSums;
  readonly storeAs: (matrix: CsrMatrix, spec: string) => StoredMatrix;
  /** Milliseconds that all trials may take, by those of a product. Default: as the products are expected to pay. */
  readonly budgetMs?: (productMs: number) => number;
}

/** The matrix in the fastest format that trials find. @param first it is disposed unless it is returned */
export function tryFormats(first: Ranked, tried: Tried): Ranked {
  const { backend, matrix } = tried;
  const whole = trialsOf(tried, matrix);
  if (backend.onDevice || !mayPay(first.ranking, whole)) return fastestOf(first, whole);
  try {
    const ranking = triedOnSlice(first, tried);
    if (ranking !== undefined) return confirmed(first, ranking, whole);
  } catch (error) {
    first.stored[Symbol.dispose]();
    throw error;
  }
  return fastestOf(first, whole);
}

function trialsOf(tried: Tried, matrix: CsrMatrix, share = 1): Trials {
  const { backend, circumstances, blockSums = 'single', storeAs } = tried;
  const { dtype, products, columns = 1 } = circumstances;
  return {
    ...{ products, share },
    store: ({ spec }) => storeAs(matrix, spec),
    // On a device a product is fast beside a conversion, and formats differ more: all trials are made that pay.
    budgetMs: tried.budgetMs ?? ((ms) => (backend.onDevice ? Number.POSITIVE_INFINITY : budgetMs(ms, products))),
    makeLanes: () => createLanes(backend, matrix, dtype, { columns, share, blockSums }),
  };
}

/** The ranking after trials on a slice, of which nothing stays in the heap. Undefined if the matrix has no slice. */
function triedOnSlice(first: Ranked, tried: Tried): readonly RankedFormat[] | undefined {
  using scope = tried.heap.scope();
  const slice = ifItFits(() => sliceFor(scope, tried.matrix, first.ranking, tried.circumstances));
  if (slice === undefined) return undefined;
  const { matrix, share, ranking } = slice;
  const trials = trialsOf(tried, matrix, share);
  const stored = ifItFits(() => trials.store(ranking[0]!));
  if (stored === undefined) return first.ranking;
  const best = fastestOf({ stored, ranking }, trials);
  best.stored[Symbol.dispose]();
  const measured = best.ranking.filter(({ measuredMs }) => measuredMs !== undefined);
  const specs = new Set(measured.map(({ spec }) => spec));
  return [...measured, ...first.ranking.filter(({ spec }) => !specs.has(spec))];
}

/** The winner of a ranking, if it is not slower than the predicted format with the whole matrix, else that one. */
function confirmed(first: Ranked, ranking: readonly RankedFormat[], { store, makeLanes }: Trials): Ranked {
  const [winner, ...others] = ranking as [RankedFormat, ...RankedFormat[]];
  const predicted = ranking.find(({ spec }) => spec === first.ranking[0]!.spec)!;
  if (winner === predicted) return { stored: first.stored, ranking };
  const rest = others.filter((format) => format !== predicted);
  const stored = ifItFits(() => store(winner));
  const ratio = stored && ratioOfWhole(first.stored, predicted, stored, winner, makeLanes);
  if (stored !== undefined && ratio !== undefined && ratio < 1) {
    first.stored[Symbol.dispose]();
    return { stored, ranking };
  }
  stored?.[Symbol.dispose]();
  const slower = { ...winner, measuredMs: (ratio ?? 1) * predicted.measuredMs! };
  return { stored: first.stored, ranking: [predicted, slower, ...rest] };
}

/** The time of a product of `stored` relative to one of `before`. Undefined if the vectors do not fit. Frees `stored` after an error. */
function ratioOfWhole(
  before: StoredMatrix,
  predicted: RankedFormat,
  stored: StoredMatrix,
  winner: RankedFormat,
  makeLanes: Trials['makeLanes'],
): number | undefined {
  try {
    using lanes = ifItFits(makeLanes);
    if (lanes === undefined) return undefined;
    const [best, rival] = [lanes.product(before, predicted), lanes.product(stored, winner)].map((product) => {
      return { product, leastMs: Number.POSITIVE_INFINITY };
    });
    const expected = winner.measuredMs! / predicted.measuredMs!;
    return ratioOf(best!, rival!, expected, false, LAST_ROUNDS).ratio;
  } catch (error) {
    stored[Symbol.dispose]();
    throw error;
  }
}
