/**
 * `format: 'auto'`: a matrix is looked at, the formats are ranked, and the first one that takes it is laid out. With a budget the
 * first few are laid out and measured instead, and the fastest is kept: librsb's habit.
 */
import type { WasmContext } from '../backends/wasm.js';
import { type Circumstances, type Decision, decide, type Products, type RankedFormat, rank } from '../choice/choose.js';
import { costsFor } from '../choice/costs.js';
import { H200 } from '../choice/device.js';
import { reorder } from '../choice/reorder.js';
import { boolean, integer, knownKeys, within } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import type { Hint } from '../core/hints.js';
import type { Tuning } from '../core/tuning.js';
import type { Dtype } from '../core/types.js';
import { examine } from '../formats/features.js';
import { isRefusal, type StoredMatrix } from '../formats/format.js';
import type { Ordering } from '../reorder/permutation.js';
import type { Gpus } from './gpus.js';
import { fastestOf, type Measured, teamLanes } from './measure.js';

/** What `format: 'auto'` may be told. */
export interface ChoiceOptions {
  /**
   * Products expected of the operator: a conversion that would not pay within as many is not made. `many`: conversions do not
   * count. Default 1000.
   */
  products?: Products;
  /**
   * Measures the best few formats, for so many milliseconds, instead of trusting the prediction. They lie in the heap side by
   * side: one that finds no room there is not measured, and where not even two do the prediction is trusted.
   */
  tune?: { budgetMs: number };
  /**
   * Whether rows and columns may be put in a better order: the operator is then P A Pᵀ, and its `ordering` says which P
   * (`permuteVector`, `permuted`). Default false.
   */
  allowPermutation?: boolean;
}

export interface Best {
  readonly stored: StoredMatrix;
  readonly decision: Decision;
  /** Where rows and columns were put in another order. */
  readonly ordering?: Ordering | undefined;
}

const PRODUCTS = 1000;
const LONGEST_MS = 3_600_000;

/** @throws SparlaneError `argument` */
export function checkChoice({ products = PRODUCTS, tune, allowPermutation = false }: ChoiceOptions): Checked {
  if (products !== 'many') integer('products', products, 1);
  boolean('allowPermutation', allowPermutation);
  if (tune === undefined) return { products, allowPermutation };
  knownKeys('tune', tune, ['budgetMs']);
  return { products, allowPermutation, budgetMs: within('tune.budgetMs', tune.budgetMs, 0, LONGEST_MS) };
}

interface Checked {
  readonly products: Products;
  readonly allowPermutation: boolean;
  readonly budgetMs?: number;
}

/** What is asked for, and what is known of this machine. */
interface Request extends Checked {
  readonly padding: boolean;
  readonly tuning: Tuning | undefined;
  /** The GPUs that compute, where any do. */
  readonly gpus: Gpus | undefined;
  /** Lays a matrix out as a spec says. */
  readonly store: (matrix: CsrMatrix, spec: string) => StoredMatrix;
}

export function storeBest(
  context: WasmContext,
  given: CsrMatrix,
  dtype: Dtype,
  { products, budgetMs, allowPermutation, padding, tuning, gpus, store: storeAs }: Request,
  onHint: (hint: Hint) => void,
): Best {
  const costs = costsFor(tuning);
  const threads = context.team.size;
  const circumstances: Circumstances = { dtype, threads, products, costs, padding, device: gpus && H200 };
  const start = performance.now();
  const first = examine(given);
  const better = allowPermutation ? reorder(first, circumstances) : undefined;
  const matrix = better?.matrix ?? given;
  const examined = better === undefined ? first : examine(matrix);
  const seen = performance.now();
  const ranking = rank(examined, circumstances);
  const chooseMs = performance.now() - seen;
  const store = (format: RankedFormat) => storeAs(matrix, format.spec);
  const makeLanes = () =>
    gpus === undefined ? teamLanes(context, matrix, dtype) : gpus.lanes(context.heap, matrix, dtype);
  const measured = budgetMs === undefined ? undefined : fastestOf(ranking, store, makeLanes, { budgetMs, products });
  const best = measured ?? firstThatFits(ranking, store, onHint);
  const { stored } = best;
  const outcome = { examineMs: seen - start, chooseMs, multipliesPadding: stored.multipliesPadding ?? false };
  return { stored, decision: decide(examined, circumstances, best.ranking, outcome), ordering: better?.ordering };
}

function firstThatFits(
  ranking: readonly RankedFormat[],
  store: (format: RankedFormat) => StoredMatrix,
  onHint: (hint: Hint) => void,
): Measured {
  const [first, ...others] = ranking;
  try {
    return { stored: store(first!), ranking };
  } catch (error) {
    if (!isRefusal(error) || others.length === 0) throw error;
    onHint({ name: 'fill-in', message: `${first!.spec} was expected to be best, but: ${error.message}` });
    return firstThatFits(others, store, onHint);
  }
}
