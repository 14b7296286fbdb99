/** Options of `engine.operator`, and their check. */
import type { PlanOptions } from '../backends/backend.js';
import type { Products } from '../choice/choose.js';
import { boolean, integer, knownKeys, oneOf } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { Groups } from '../core/groups.js';
import { DTYPES, type Dtype } from '../core/types.js';
import type { BlockSums } from '../formats/format.js';
import type { Distribution } from './row-partition.js';

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
   * if that is more), for a quarter of a second or some 150 products in all on the CPU; of a large matrix on a slice of its rows. At most two formats
   * are in the heap at a time. The choice then depends on measured times, so the last bits of y may differ from run to run. Default: true
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

export interface OperatorOptions extends PlanOptions, ChoiceOptions {
  /**
   * A format and its parameters: `csr`, `csrk?k=3&superRowSize=64`. Default `auto`: the format expected to be fastest.
   */
  format?: string;
  /** For `csrk`: its super-rows, as computed by `bandk`. Default: super-rows of equal length. */
  groups?: Groups;
  /** Default `f64`. */
  dtype?: Dtype;
  /**
   * Whether the layout may contain padding: zeros that are multiplied by elements of x that their row does not use. If
   * such an element is NaN or infinite, the row of y becomes NaN. With `false`, a row of y depends only on the entries
   * of the row: `auto` then selects only formats without padding, and a named format that needs padding is refused
   * (`fill-in`). Default true.
   */
  padding?: boolean;
  /**
   * The sums of products with blocks of vectors on a CPU. `single`: every column has the bits of its product alone. `fast`: every column is that product up
   * to rounding, and `csr` with values in full takes 0.5 to 0.9 of the time from 8 columns on; all else computes as with `single`. The bits depend
   * on neither threads nor parts. Default `single`.
   */
  blockSums?: BlockSums;
  /**
   * Where products are computed, if not where the engine computes. `cpu`: on the team, or on the caller's thread if that is
   * faster. `cuda`: on the engine's GPUs. `hybrid`: on both. `reference`: in plain TypeScript, for verification.
   */
  device?: OperatorDevice;
  /** With several GPUs: the partition of the rows (`row-partition.ts`). Default `block`. */
  distribution?: Distribution;
  /**
   * On the CPU: memories that hold the rows, 1 to 64. Each may be as large as the engine's first one, and x is copied to each with every product. More than
   * one need Node; Deno and Bun only with an engine of one thread. Default: 1, or as many as needed if the matrix would not fit into a memory of 4 GiB.
   */
  memories?: number;
}

/** Where an engine computes. `hybrid`: on its GPU and on the CPU at once. */
export type Device = 'cpu' | 'cuda' | 'hybrid';

/** Where the products of an operator are computed. */
export type OperatorDevice = Device | 'reference';

/** The format is selected for each matrix. */
export const AUTO = 'auto';

const DEVICES: readonly OperatorDevice[] = ['cpu', 'cuda', 'hybrid', 'reference'];
const CHOICE_OPTIONS = { products: true, tune: true, allowPermutation: true, columns: true } satisfies Record<
  keyof ChoiceOptions,
  true
>;
const OPERATOR_OPTIONS = {
  format: true,
  groups: true,
  dtype: true,
  device: true,
  method: true,
  distribution: true,
  memories: true,
  parts: true,
  patient: true,
  padding: true,
  blockSums: true,
  ...CHOICE_OPTIONS,
} satisfies Record<keyof OperatorOptions, true>;

/** A format that is named. */
export interface NamedFormat {
  readonly format: string;
  readonly groups: Groups | undefined;
}

/** What a choice of the format needs to know. */
export type FormatChoice = Required<ChoiceOptions>;

/** The options of an operator after they were checked, with the defaults of those that the caller left out. */
export interface OperatorRequest extends Pick<PlanOptions, 'method' | 'parts'> {
  readonly layout: NamedFormat | FormatChoice;
  readonly dtype: Dtype;
  readonly device: OperatorDevice;
  /** Undefined unless several GPUs share the rows. */
  readonly distribution: Distribution | undefined;
  /** Undefined: as many as needed. */
  readonly memories: number | undefined;
  readonly padding: boolean;
  readonly blockSums: BlockSums;
  readonly patient: boolean;
}

/** Chosen: so many memories of 4 GiB were reserved in one process without an error. */
const MAX_MEMORIES = 64;

/** Expected products, where the caller says nothing. */
const PRODUCTS = 1000;

/** @throws SparlaneError `argument` */
export function expectedProducts(products: Products = PRODUCTS): Products {
  return products === 'many' ? products : integer('products', products, 1);
}

/** @throws SparlaneError `argument` for a wrong or unknown option, or one that does not apply */
export function checkOperatorOptions(
  options: OperatorOptions,
  engine: { readonly device: Device; readonly gpus: readonly unknown[] },
): OperatorRequest {
  knownKeys('options', options, OPERATOR_OPTIONS);
  const dtype = oneOf('dtype', options.dtype ?? 'f64', DTYPES);
  const device = oneOf('device', options.device ?? engine.device, DEVICES);
  const isHybrid = device === 'hybrid';
  const isSplit = device === 'cuda' && engine.gpus.length > 1;
  if (device !== 'cpu') onlyFor('memories', options.memories, "device 'cpu'");
  const memories = options.memories === undefined ? undefined : integer('memories', options.memories, 1, MAX_MEMORIES);
  if (device !== 'cuda' && !isHybrid) onlyFor('method', options.method, "device 'cuda' or 'hybrid'");
  if (device !== 'cpu' && !isHybrid) onlyFor('parts', options.parts, "device 'cpu' or 'hybrid'");
  if (isSplit || isHybrid) {
    // Solvers say `tune: false` wherever they compute: there are no trials to refuse.
    onlyFor('tune', options.tune === false ? undefined : options.tune, 'one GPU, or the CPU');
    onlyFor('allowPermutation', options.allowPermutation, 'one GPU, or the CPU');
  }
  if ((memories ?? 1) > 1) {
    onlyFor('allowPermutation', options.allowPermutation, 'one memory');
    onlyFor('groups', options.groups, 'one memory');
  }
  if (!isSplit) onlyFor('distribution', options.distribution, 'several GPUs');
  const distribution = oneOf('distribution', options.distribution ?? 'block', ['block', 'cyclic']);
  const hasTrials = (device === 'cpu' || (device === 'cuda' && !isSplit)) && options.method === undefined;
  return {
    ...{ layout: checkLayout(options, hasTrials), dtype, device, distribution: isSplit ? distribution : undefined },
    memories,
    padding: boolean('padding', options.padding ?? true),
    blockSums: oneOf('blockSums', options.blockSums ?? 'single', ['single', 'fast']),
    patient: boolean('patient', options.patient ?? options.tune ?? options.products === 'many'),
    ...(options.method !== undefined && { method: options.method }),
    ...(options.parts !== undefined && { parts: options.parts }),
  };
}

/** @param hasTrials whether formats are tried by default, where the products are many */
function checkLayout(options: OperatorOptions, hasTrials: boolean): NamedFormat | FormatChoice {
  const { format = AUTO, groups, products } = options;
  if (format !== AUTO) {
    for (const name of Object.keys(CHOICE_OPTIONS) as (keyof ChoiceOptions)[])
      onlyFor(name, options[name], `format '${AUTO}'`);
    return { format, groups };
  }
  onlyFor('groups', groups, "format 'csrk'");
  return {
    products: expectedProducts(products),
    tune: boolean('tune', options.tune ?? (hasTrials && products === 'many')),
    allowPermutation: boolean('allowPermutation', options.allowPermutation ?? false),
    columns: integer('columns', options.columns ?? 1, 1),
  };
}

function onlyFor(name: string, value: unknown, what: string): void {
  if (value !== undefined) throw mismatch('argument', name, `no value (only valid with ${what})`, value);
}
