/** What a block product costs in addition to the model of a product: only layouts with a kernel for blocks are here. */
import { DTYPE_TYPES, type Dtype, vectorArray } from '../core/types.js';
import type { Features } from '../features/features.js';
import type { BlockSums, Prospect } from '../formats/format.js';
import { familyOf } from './kernels.js';

/** Bytes of a vector register, and of a cache line. */
const REGISTER_BYTES = 16;
const LINE_BYTES = 64;

/** For sums of f64 and of f32. */
type PerDtype = readonly [f64: number, f32: number];

/** Per register of columns, in times of an entry of a single product of `csr` in f64 (`CostTuning.entryNs`). */
interface BlockCost {
  /** An entry that is processed takes so long. */
  readonly entry: PerDtype;
  readonly row: PerDtype;
  /** A step, which `Prospect.steps` counts, takes so long. Default: 0. */
  readonly step?: number;
}

interface LayoutCost {
  /** With fewer than `MANY_VECTORS` registers of columns. */
  readonly few: BlockCost;
  /** With `MANY_VECTORS` registers of columns and more. */
  readonly many: BlockCost;
  /** Entries whose values are in a table take so many times as long. Default: 1. */
  readonly table?: number;
}

/**
 * With so many registers of columns or more, kernels compute all columns of a unit before the next unit; with fewer, several units go through each pass together. The rows of X of
 * 16 units would not stay in L1 (27-point 40³, f64, 64 columns: 1.57 × as fast one by one, QCD 8⁴ 1.29, R-MAT 2¹⁶ 1.03; AMD EPYC Zen 4, Node 20, November 2026).
 */
export const MANY_VECTORS = 16;

/** What `components` takes for pieces of rows. `panels`, which computes them tile by tile, takes 0.94 to 0.99 times as long for an entry where all is in the cache. Measured as `COSTS`. */
const PIECES: LayoutCost = {
  few: { entry: [0.69, 1.17], row: [0.71, 1.01], step: 1.66 },
  many: { entry: [0.62, 0.91], row: [0.92, 1.05], step: 1.62 },
};

/**
 * By layout, for fewer than `MANY_VECTORS` registers of columns, and for more; `csr_fast` is `csr` with `blockSums: 'fast'`. These are what `npx bench fit-blocks` measured on
 * one core of an Intel Xeon (Emerald Rapids), the mean of Node 20 and 24 (which fuses multiplication and addition), November 2026. But a step of `sell`, an entry of its rest,
 * costs 0.8, between an entry of `csr` and the 0.5 to 2.4 that were measured in short rows. Chosen.
 * Tables: 4 to 16 columns of three grids in the cache, the same machine; `dia` takes 0.98 of the time.
 */
const COSTS: Readonly<Record<string, LayoutCost>> = {
  csr: {
    few: { entry: [0.6, 0.84], row: [3.35, 6.25] },
    many: { entry: [0.56, 0.65], row: [3.9, 6.4] },
    table: 1.06,
  },
  csr_fast: {
    few: { entry: [0.48, 0.58], row: [0.98, 1.24] },
    many: { entry: [0.46, 0.45], row: [2.25, 2.3] },
  },
  sell: {
    few: { entry: [0.52, 0.62], row: [1.65, 2.1], step: 0.8 },
    many: { entry: [0.44, 0.43], row: [1.51, 1.5], step: 0.8 },
    table: 1.09,
  },
  dia: {
    few: { entry: [0.51, 0.62], row: [1.09, 1.15] },
    many: { entry: [0.45, 0.44], row: [1.06, 1.02] },
  },
  inode: {
    few: { entry: [0.41, 0.84], row: [9.45, 6.13] },
    many: { entry: [0.42, 0.9], row: [8.79, 3.18] },
  },
  components: PIECES,
  panels: PIECES,
  bsr: {
    few: { entry: [0.54, 0.81], row: [4.11, 2.22] },
    many: { entry: [0.55, 0.75], row: [2.09, 0] },
  },
};

/** The fast kernel of `csr` adds passes of at least so many registers in order; it computes the remaining registers as the kernel of single sums does. */
export const FAST_FROM_F64 = 4;
export const FAST_FROM_F32 = 2;
const FAST_FROM: PerDtype = [FAST_FROM_F64, FAST_FROM_F32];

/** Returns the name of a kernel's layout, without what its name says of the sizes of blocks or of how columns and values are stored: `bsr` for `bsr_wide`. */
export function baseOf(kernel: string): string {
  return familyOf(kernel).replace(/(2|_unrolled|_wide)$/, '');
}

/** Returns the number of units that threads take whole. Kernels for blocks go over all rows, not over a list of those that have entries. */
export function blockUnits({ kernel, groups, units = groups }: Prospect, rows: number): number {
  return units === undefined || baseOf(kernel) === 'csr' ? rows : units;
}

/** Whether a layout, as in `Prospect.kernel`, has a kernel for blocks of vectors. */
export function multipliesBlocks(kernel: string): boolean {
  return baseOf(kernel) in COSTS;
}

/**
 * Returns the work of the busiest thread for all columns, with all data in the nearest cache, in times of an entry of a single product of `csr`. The thread has its share of all
 * rows, or the longest row, which no kernel divides. A rest is computed when the chunks have ended.
 *
 * @param share of the busiest thread where no row is long
 */
export function blockWork(
  { kernel, entries, steps = 0, indivisible = 0, afterwards = 0 }: Prospect,
  { rows, longestRow }: Features,
  dtype: Dtype,
  { columns, blockSums }: { readonly columns: number; readonly blockSums: BlockSums },
  share: number,
): number {
  const type = DTYPE_TYPES[dtype].vectors === 'f32' ? 1 : 0;
  const registers = registersOf(dtype, columns);
  const costs = COSTS[baseOf(kernel)]!;
  const times = kernel.endsWith('_table') ? (costs.table ?? 1) : 1;
  const workOf = ({ entry, row, step = 0 }: BlockCost) => {
    const ofEntry = times * entry[type];
    const ofRows = ofEntry * entries + row[type] * rows + step * (steps - afterwards);
    const longest = afterwards > 0 ? 0 : Math.max(indivisible, longestRow);
    const first = Math.max(share * ofRows, ofEntry * longest + row[type]);
    return first + step * Math.max(share * afterwards, Math.min(longestRow, afterwards));
  };
  const inOrder = blockSums === 'fast' && kernel === 'csr' ? registers - (registers % FAST_FROM[type]) : 0;
  const count = registers < MANY_VECTORS ? 'few' : 'many';
  return inOrder * workOf(COSTS.csr_fast![count]) + (registers - inOrder) * workOf(costs[count]);
}

/** Returns the number of registers that a row of Y fills. */
export function registersOf(dtype: Dtype, columns: number): number {
  return Math.ceil((columns * vectorArray(dtype).BYTES_PER_ELEMENT) / REGISTER_BYTES);
}

/** Cache lines of a row of X. */
export function linesOf(dtype: Dtype, columns: number): number {
  return Math.max(1, (columns * vectorArray(dtype).BYTES_PER_ELEMENT) / LINE_BYTES);
}
