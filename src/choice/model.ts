/**
 * Predicts the time of a product from the figures of a format's prospect, of the machine, and of the kernel.
 *
 *     t = compute · share + memory + gathers · share + start
 *
 * `compute`: entries, rows and steps of the kernel, in times of an entry of `csr`; `share` is the part of the busiest thread. `memory`:
 * the bytes of the format at the speed of the cache that holds them, for the threads that have a unit. `gathers`: the waiting time for x, for scattered elements and for
 * those in lines that were replaced in L1. Instructions and transfers could overlap,
 * but the sum of their times fits measured times better than (aᵖ + bᵖ)^(1/p) with p > 1 does.
 *
 * A row whose length differs from that of the row before ends in a mispredicted branch, unless the matrix is so small that
 * the processor remembers all its rows from the last product. All rows count for that, also those of other threads, since a thread need not get the same rows in the next
 * product. On the wrong path the processor does not request further elements of x.
 */
import type { CostTuning } from '../core/tuning.js';
import { DTYPE_TYPES, type Dtype, vectorArray } from '../core/types.js';
import { type Features, LINE_ELEMENTS } from '../features/features.js';
import { type BlockSums, type Prospect, vectorBytes } from '../formats/format.js';
import { branchesOf, REMEMBERED_BRANCHES } from '../formats/layout/row-loops.js';
import { blockUnits, blockWork, linesOf } from './blocks.js';

/** The work of a kernel on one thread, with all data in the nearest cache, in times of an entry of `csr` there (`CostTuning.entryNs`). */
export interface KernelCost {
  /** Per processed entry, by the type of the sums. */
  readonly f64Entry: number;
  readonly f32Entry: number;
  /** Per row, or per group of rows; see `Prospect`. */
  readonly row: number;
  /** Additional work per row if rows are computed in another order than that of y. */
  readonly permutedRow: number;
  /** Additional work per row or group whose end is mispredicted. */
  readonly misprediction: number;
  /** Per step; see `Prospect`. */
  readonly step: number;
  /** If every row's end is mispredicted, the time of gathers is multiplied by 1 + stall; in block products stall counts for one line of each row of X. */
  readonly stall: number;
  /** The work of the conversion, per stored entry and row. */
  readonly conversion: number;
  /** At least 1: in the ranking its predicted times count so many times, since they are often too low. Default 1. */
  readonly doubt?: number;
}

/** The twelve figures of a machine, which `sparlane tune` measures, and what its kernels do. */
export interface MachineCosts extends Required<CostTuning> {
  /** By `Prospect.kernel`. */
  readonly kernels: Readonly<Record<string, KernelCost>>;
}

/** Nanoseconds for y ← A x on the given number of threads; for blocks of several columns, Y ← A X. */
export function predictNs(
  costs: MachineCosts,
  features: Features,
  prospect: Prospect,
  dtype: Dtype,
  threads: number,
  columns = 1,
  blockSums: BlockSums = 'single',
): number {
  const { rows, nnz, scattered, reread, reach, longestRow } = features;
  const { entries, steps = 0, groups = rows, indivisible = 0, unsteady = features.unsteady } = prospect;
  const units = columns === 1 ? (prospect.units ?? groups) : blockUnits(prospect, rows);
  const bytes = prospect.bytes + (columns - 1) * vectorBytes(features, dtype);
  const kernel = costs.kernels[prospect.kernel]!;
  const even = shareOf(threads, units);
  // Threads never divide a row in a product with a block of vectors.
  const largest = columns === 1 ? indivisible / Math.max(entries + rows, 1) : longestRow / Math.max(nnz, 1);
  const share = Math.max(even, Math.min(1, largest));
  const readers = Math.min(threads, Math.max(units, 1));
  const mispredicted = unsteady * missedShare(branchesOf(unsteady * groups, entries), REMEMBERED_BRANCHES);
  const perRow = kernel.row + kernel.misprediction * mispredicted;
  const perEntry = DTYPE_TYPES[dtype].vectors === 'f32' ? kernel.f32Entry : kernel.f64Entry;
  const permuted = prospect.permuted ? kernel.permutedRow * rows : 0;
  const single = perEntry * entries + perRow * groups + kernel.step * steps + permuted;
  const work = columns === 1 ? single * share : blockWork(prospect, features, dtype, { columns, blockSums }, even);
  const memory = bytes * byteNs(costs, bytes, readers);
  const lines = linesOf(dtype, columns);
  const gathers = (scattered + reread) * (prospect.scattered ?? 1) * nnz * lines;
  const footprint = reach * vectorArray(dtype).BYTES_PER_ELEMENT * columns;
  const near = columns === 1 ? Math.max(0, replacedLines(features, prospect, dtype) - gathers) : 0;
  const waiting =
    gathers * missNs(costs, footprint) * (1 + (kernel.stall * mispredicted) / lines) + near * costs.missNs[0];
  return memory + costs.entryNs * work + waiting * share + costs.startNs + (threads > 1 ? costs.forkJoinNs : 0);
}

/**
 * Returns the lines of x that are read from L2 although a row before has read them: where rows read more lines than L1 holds, in the mean over all entries, these have been
 * replaced. Rows that are computed side by side read them once. 400 rows of 2,000 entries in 16,000 columns take 1.33 times as long per entry as in 3,000, in chunks of 8 rows
 * 1.03 times (f64, Intel Xeon, November 2026).
 */
function replacedLines(features: Features, { together = 1 }: Prospect, dtype: Dtype): number {
  const { rows, nnz, newLines, lengthVariance } = features;
  const mean = nnz / Math.max(rows, 1);
  const length = mean === 0 ? 0 : mean + lengthVariance / mean;
  const bytes = newLines * length * LINE_ELEMENTS * vectorArray(dtype).BYTES_PER_ELEMENT;
  return (newLines * nnz * missedShare(bytes, CORE_L1_BYTES)) / together;
}

/** Processors of today have 32 or 48 KiB for each core. Chosen. */
const CORE_L1_BYTES = 40_000;

/**
 * The part of the busiest thread when threads take units of equal work from a list: that of all, and at the end that of one unit which begins when the
 * others end (R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969, gives it as an upper bound). Panels of 16 slices on 16 threads
 * take 1.75 times as long, beside csr, as 1/16 would say, on 8 threads 1.25 times (Intel Xeon of 16 cores, November 2026); this says 1.9 and 1.4.
 */
function shareOf(threads: number, units: number): number {
  return 1 / threads + (1 - 1 / threads) / Math.max(units, 1);
}

function byteNs({ byteNs: [l2, l3, memory], cacheBytes, busSpeedup }: MachineCosts, bytes: number, threads: number) {
  const beyondL2 = missedShare(bytes, cacheBytes[0] * threads);
  const beyondL3 = missedShare(bytes, cacheBytes[1]);
  const near = (l2 * (1 - beyondL2) + l3 * beyondL2) / threads;
  return near * (1 - beyondL3) + (memory / Math.min(threads, busSpeedup)) * beyondL3;
}

function missNs({ missNs: [l2, l3, memory], cacheBytes }: MachineCosts, bytes: number) {
  const beyondL2 = missedShare(bytes, cacheBytes[0]);
  const beyondL3 = missedShare(bytes, cacheBytes[1]);
  return l2 * (1 - beyondL2) + l3 * (beyondL2 - beyondL3) + memory * beyondL3;
}

/** The share of a stream that misses a cache of the given size, from 0 to 1: one half if both have the same size. */
export function missedShare(size: number, cacheSize: number): number {
  const ratio = (size / cacheSize) ** 3;
  return ratio / (1 + ratio);
}

/** Nanoseconds of the conversion, for `work` stored entries and rows. */
export function conversionNs({ entryNs, kernels }: MachineCosts, kernel: string, work: number): number {
  return entryNs * kernels[kernel]!.conversion * work;
}
