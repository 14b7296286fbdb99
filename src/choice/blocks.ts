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
  /** Per processed entry. */
  readonly entry: PerDtype;
  readonly row: PerDtype;
  /** Per step; see `Prospect`. */
  readonly step: number;
}

/**
 * By layout. Two shared cores of an Intel Xeon, one thread, blocks of 8 and 16 columns, the mean of Node 20 and 24 (which fuses multiplication
 * and addition), November 2026: 27-point Laplacian of 8³ nodes of three unknowns, 5-point and 9-point Laplacian of 60², in the cache, the
 * fastest of some hundred products of each format in turn; scaled so that `csr` has the entry cost measured from memory before.
 */
const COSTS: Readonly<Record<string, BlockCost>> = {
  csr: { entry: [0.6, 0.85], row: [3, 5.2], step: 0 },
  sell: { entry: [0.5, 0.5], row: [0.65, 0.55], step: 0.8 },
  dia: { entry: [0.47, 0.45], row: [0.65, 0.65], step: 0 },
  inode: { entry: [0.56, 0.85], row: [4, 5.6], step: 0 },
  components: { entry: [0.75, 0.75], row: [0, 0], step: 2.5 },
  bsr: { entry: [0.55, 0.8], row: [3, 3], step: 0 },
};

/**
 * With so many registers of columns or more, kernels compute all columns of a unit before the next unit; with fewer, several units go through each pass together. The rows of X of
 * 16 units would not stay in L1 (27-point 40³, f64, 64 columns: 1.57 × as fast one by one, QCD 8⁴ 1.29, R-MAT 2¹⁶ 1.03; AMD EPYC Zen 4, Node 20, November 2026).
 */
export const MANY_VECTORS = 16;

/**
 * The costs of `csr` with `blockSums: 'fast'` and values in full, on one thread, measured in November 2026 with the matrices and columns of `COSTS`. `many` is for
 * `MANY_VECTORS` registers and more, where it predicts 64 columns better than `few`: it was measured on an AMD EPYC Zen 4 (Node 20, both binaries) and scaled like `csr`
 * in `COSTS`. `few` was measured on an Intel Xeon (the mean of Node 20 and 24), on a road network, a geometric graph and a Stokes problem in the cache, too, and
 * scaled by `sell`, whose entries take 1.07 × and rows 1.45 × as long there.
 */
const FAST_CSR: { readonly few: BlockCost; readonly many: BlockCost } = {
  few: { entry: [0.47, 0.47], row: [0.45, 0.4], step: 0 },
  many: { entry: [0.43, 0.43], row: [1.3, 1.6], step: 0 },
};

/** The fast kernel of `csr` adds passes of at least so many registers in order; it computes the remaining registers as the kernel of single sums does. */
export const FAST_FROM_F64 = 4;
export const FAST_FROM_F32 = 2;
const FAST_FROM: PerDtype = [FAST_FROM_F64, FAST_FROM_F32];

/** Returns the name of a kernel's layout, without what its name says of the sizes of blocks or of how columns and values are stored: `bsr` for `bsr_wide`. */
function baseOf(kernel: string): string {
  return familyOf(kernel).replace(/(2|_unrolled|_wide)$/, '');
}

/** Whether a layout, as in `Prospect.kernel`, has a kernel for blocks of vectors. */
export function multipliesBlocks(kernel: string): boolean {
  return baseOf(kernel) in COSTS;
}

/**
 * The work of the busiest thread for all columns, with all data in the nearest cache, in times of an entry of a single product of `csr`: its share of all
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
  const registers = Math.ceil((columns * vectorArray(dtype).BYTES_PER_ELEMENT) / REGISTER_BYTES);
  const workOf = ({ entry, row, step }: BlockCost) => {
    const ofRows = entry[type] * entries + row[type] * rows + step * (steps - afterwards);
    const longest = afterwards > 0 ? 0 : Math.max(indivisible, longestRow);
    const first = Math.max(share * ofRows, entry[type] * longest + row[type]);
    return first + step * Math.max(share * afterwards, Math.min(longestRow, afterwards));
  };
  const inOrder = blockSums === 'fast' && kernel === 'csr' ? registers - (registers % FAST_FROM[type]) : 0;
  return (
    inOrder * workOf(FAST_CSR[registers < MANY_VECTORS ? 'few' : 'many']) +
    (registers - inOrder) * workOf(COSTS[baseOf(kernel)]!)
  );
}

/** Cache lines of a row of X. */
export function linesOf(dtype: Dtype, columns: number): number {
  return Math.max(1, (columns * vectorArray(dtype).BYTES_PER_ELEMENT) / LINE_BYTES);
}
