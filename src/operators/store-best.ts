/**
 * `format: 'auto'`: features of the matrix are computed, the formats are ranked, and the first format that accepts the
 * matrix is used. With `tune`, formats whose predicted times are close are tried, and the fastest is kept.
 */
import type { Backend } from '../backends/backend.js';
import { type Circumstances, type Decision, decide, type Products, type RankedFormat, rank } from '../choice/choose.js';
import type { MachineCosts } from '../choice/model.js';
import { boolean, integer } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import type { Hint } from '../core/hints.js';
import type { Dtype } from '../core/types.js';
import { examine } from '../features/features.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import type { RunLoop } from '../formats/layout/loop.js';
import { rowFigures } from '../formats/layout/row-loops.js';
import type { Heap } from '../memory/heap.js';
import type { Ordering } from '../reorder/permutation.js';
import type { Extras } from './extras.js';
import type { Ranked } from './measure.js';

/** Options of `format: 'auto'`. */
export interface ChoiceOptions {
  /**
   * Expected number of products of the operator. A conversion that would not pay off within this number is not made.
   * `many`: the time of conversions is ignored. Default 1000.
   */
  products?: Products;
  /**
   * Whether formats are tried whose predicted times are close to the best: the matrix is converted, products are timed, and the fastest is
   * kept, as in librsb. A format is tried if that is expected to pay within `products` (`many`: 10,000, or as many as take 10 seconds
   * if that is more). At most two formats are in the heap at a time. The choice then depends on measured times, so the last bits of y may differ from run to run. Default: true
   * with `products: 'many'` on the CPU or one GPU, if no `method` is given; otherwise false.
   */
  tune?: boolean;
  /**
   * Columns of the blocks of vectors that the operator is mostly applied to. The formats are compared by their block products:
   * the more columns, the less the bytes of the matrix count. Default 1.
   */
  readonly columns?: number;
  /**
   * Whether rows and columns may be reordered. The operator is then P A Pᵀ, and its `ordering` is P (`permuteVector`,
   * `permuted`). Default false.
   */
  allowPermutation?: boolean;
}

export interface Best {
  readonly stored: StoredMatrix;
  readonly decision: Decision;
  /** Defined if rows and columns were reordered. */
  readonly ordering?: Ordering | undefined;
}

const PRODUCTS = 1000;

/** @throws SparlaneError `argument` */
export function checkChoice({
  products = PRODUCTS,
  tune = false,
  allowPermutation = false,
  columns = 1,
}: ChoiceOptions): Checked {
  if (products !== 'many') integer('products', products, 1);
  boolean('tune', tune);
  boolean('allowPermutation', allowPermutation);
  integer('columns', columns, 1);
  return { products, tune, allowPermutation, columns };
}

export type Checked = Required<ChoiceOptions>;

/** The request, and the known data of this machine. */
interface BestRequest extends Checked {
  readonly padding: boolean;
  readonly patient: boolean;
  readonly costs: MachineCosts;
  /** The backend that computes the products. */
  readonly backend: Backend;
  /** Available threads, the caller's included. */
  readonly threads: number;
  readonly heap: Heap;
  /** Runs the loops over the rows. */
  readonly runLoop: RunLoop;
  /** @throws NotLoaded */
  readonly extras: () => Extras;
  /** Stores a matrix in the format of a spec. */
  readonly store: (matrix: CsrMatrix, spec: string) => StoredMatrix;
}

export function storeBest(
  given: CsrMatrix,
  dtype: Dtype,
  {
    products,
    tune,
    allowPermutation,
    columns,
    padding,
    patient,
    costs,
    backend,
    threads,
    heap,
    runLoop,
    extras,
    store: storeAs,
  }: BestRequest,
  onHint: (hint: Hint) => void,
): Best {
  const circumstances: Circumstances = {
    dtype,
    threads,
    products,
    costs,
    padding,
    columns,
    device: backend.model,
    patient,
  };
  const start = performance.now();
  const examineRows = (matrix: CsrMatrix) => examine(matrix, rowFigures(heap, matrix, runLoop));
  const first = examineRows(given);
  const better = allowPermutation ? extras().reorder(first, circumstances) : undefined;
  const matrix = better?.matrix ?? given;
  const examined = better === undefined ? first : examineRows(matrix);
  const seen = performance.now();
  const ranking = rank(examined, circumstances);
  const chooseMs = performance.now() - seen;
  const store = (format: RankedFormat) => storeAs(matrix, format.spec);
  const trials = tune ? extras() : undefined;
  const lanes = () => trials!.createLanes(backend, matrix, dtype, threads, columns);
  const predicted = firstThatFits(ranking, store, onHint);
  const tried = performance.now();
  const best = trials?.fastestOf(predicted, products, store, lanes) ?? predicted;
  const tuneMs = tune ? performance.now() - tried : 0;
  const { stored } = best;
  const outcome = { examineMs: seen - start, chooseMs, tuneMs, multipliesPadding: stored.multipliesPadding ?? false };
  return { stored, decision: decide(examined, circumstances, best.ranking, outcome), ordering: better?.ordering };
}

function firstThatFits(
  ranking: readonly RankedFormat[],
  store: (format: RankedFormat) => StoredMatrix,
  onHint: (hint: Hint) => void,
): Ranked {
  const [first, ...others] = ranking;
  try {
    return { stored: store(first!), ranking };
  } catch (error) {
    if (!isRefusal(error) || others.length === 0) throw error;
    onHint({ name: 'fill-in', message: `${first!.spec} was expected to be best, but: ${error.message}` });
    return firstThatFits(others, store, onHint);
  }
}
