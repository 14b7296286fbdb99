/** What a block product costs in addition to the model of a product: only layouts with a kernel for blocks are here. */
import { type Dtype, vectorArray } from '../core/types.js';
import type { Prospect } from '../formats/format.js';

/** Bytes of a vector register, and of a cache line. */
const REGISTER_BYTES = 16;
const LINE_BYTES = 64;

/** Per register of columns, in times of an entry of a single product of `csr` in f64. */
interface BlockCost {
  /** Per processed entry, for sums of f64 and of f32. */
  readonly entry: readonly [f64: number, f32: number];
  readonly row: number;
  /** Per step; see `Prospect`. */
  readonly step: number;
}

/**
 * By layout. Two shared cores of an Intel Xeon, one thread, Node 20, 27- and 5-point Laplacians, blocks of 8 and 16 columns,
 * November 2026; the machine was busy, so only large ratios count.
 */
const COSTS: Readonly<Record<string, BlockCost>> = {
  csr: { entry: [0.6, 0.5], row: 3, step: 0 },
  csrk: { entry: [0.6, 0.5], row: 3, step: 0 },
  sell: { entry: [0.55, 0.6], row: 2, step: 0 },
  dia: { entry: [0.55, 0.6], row: 2, step: 0 },
  inode: { entry: [0.45, 0.75], row: 9, step: 0 },
  components: { entry: [0.5, 1.4], row: 0, step: 7 },
  bsr_unrolled: { entry: [1.5, 2.8], row: 3, step: 0 },
  bsr: { entry: [1.5, 2.8], row: 3, step: 0 },
};

/** A layout without the storage of its columns and values: `csrk16_table` is `csrk`. */
function baseOf(kernel: string): string {
  return kernel.replace(/(16)?(_table|_pattern)?$/, '');
}

/** Whether a layout, as in `Prospect.kernel`, has a kernel for blocks of vectors. */
export function multipliesBlocks(kernel: string): boolean {
  return baseOf(kernel) in COSTS;
}

/** The kernel's nanoseconds for all columns on one thread, with all data in the nearest cache. */
export function blockComputeNs(
  { kernel, entries, steps = 0 }: Prospect,
  rows: number,
  dtype: Dtype,
  columns: number,
  csrEntryNs: number,
): number {
  const { entry, row, step } = COSTS[baseOf(kernel)]!;
  const registers = Math.ceil((columns * vectorArray(dtype).BYTES_PER_ELEMENT) / REGISTER_BYTES);
  return csrEntryNs * registers * (entry[dtype === 'f32' ? 1 : 0] * entries + row * rows + step * steps);
}

/** Cache lines of a row of X. */
export function linesOf(dtype: Dtype, columns: number): number {
  return Math.max(1, (columns * vectorArray(dtype).BYTES_PER_ELEMENT) / LINE_BYTES);
}
