/**
 * How long a product will take, told from what a format says of itself and from constants of the machine.
 *
 *     t = ((compute · share)ᵖ + memoryᵖ)^(1/p) + gathers · share + start
 *
 * `compute`: nanoseconds per entry, row and step of the kernel, of which the busiest thread has its share. `memory`: the
 * bytes of the format at the speed of the cache that holds them. `gathers`: what waits for x. Instructions and transfers overlap,
 * but never fully: p is between the sum (1) and the greater of both (∞).
 *
 * A row that is not as long as the one before ends in a mispredicted branch, unless the matrix is so small that the processor
 * remembers all its rows from the last product; and while it takes the wrong way it does not ask for more of x.
 */
import { type Dtype, vectorArray } from '../core/types.js';
import type { Features } from '../formats/features.js';
import type { Prospect } from '../formats/format.js';

/** What a kernel takes on one thread, in nanoseconds, where everything lies in the nearest cache. */
export interface KernelCost {
  /** Per entry that it steps over, by the type of the sums. */
  readonly f64Entry: number;
  readonly f32Entry: number;
  /** Per row. */
  readonly row: number;
  /** More per row whose end is mispredicted. */
  readonly misprediction: number;
  /** Per step; see `Prospect`. */
  readonly step: number;
  /** Gathers take so many times longer, and once as long, where every row's end is mispredicted. */
  readonly stall: number;
}

export interface MachineCosts {
  /** By `Prospect.kernel`. */
  readonly kernels: Readonly<Record<string, KernelCost>>;
  /** Nanoseconds per byte of a stream on one thread: from L2, from L3, from memory. */
  readonly byteNs: readonly [l2: number, l3: number, memory: number];
  /** Nanoseconds per gather whose cache line of x is scattered: where x lies in L2, in L3, in memory. */
  readonly missNs: readonly [l2: number, l3: number, memory: number];
  /** Bytes up to which a cache serves: L2 of one core, L3 of all. */
  readonly cacheBytes: readonly [l2: number, l3: number];
  /** Unsteady rows whose lengths a core's branch predictor remembers. */
  readonly rememberedRows: number;
  /** GB/s that one thread read from memory when this was fitted. */
  readonly readGbps: number;
  /** How many times as fast as one thread many are at reading memory, at most. */
  readonly busSpeedup: number;
  /** p. */
  readonly overlap: number;
  /** By kernel: nanoseconds of the conversion per stored entry and row. */
  readonly conversionNs: Readonly<Record<string, number>>;
  /** Nanoseconds to start a product, and to start and join several threads. */
  readonly startNs: number;
  readonly forkJoinNs: number;
}

/** Nanoseconds for y ← A x on so many threads. */
export function predictNs(
  costs: MachineCosts,
  features: Features,
  prospect: Prospect,
  dtype: Dtype,
  threads: number,
): number {
  const { rows, nnz, scattered, reach } = features;
  const { entries, steps = 0, indivisible = 0, unsteady = features.unsteady, bytes } = prospect;
  const kernel = costs.kernels[prospect.kernel]!;
  const share = Math.max(1 / threads, Math.min(1, indivisible / Math.max(entries + rows, 1)));
  const mispredicted = unsteady * beyond(unsteady * rows * share, costs.rememberedRows);
  const perRow = kernel.row + kernel.misprediction * mispredicted;
  const perEntry = dtype === 'f32' ? kernel.f32Entry : kernel.f64Entry;
  const compute = perEntry * entries + perRow * rows + kernel.step * steps;
  const memory = bytes * byteNs(costs, bytes, threads);
  const gathers = scattered * (prospect.scattered ?? 1) * nnz;
  const footprint = reach * vectorArray(dtype).BYTES_PER_ELEMENT;
  const waiting = gathers * missNs(costs, footprint) * (1 + kernel.stall * mispredicted);
  const p = costs.overlap;
  const streamed = ((compute * share) ** p + memory ** p) ** (1 / p);
  return streamed + waiting * share + costs.startNs + (threads > 1 ? costs.forkJoinNs : 0);
}

function byteNs({ byteNs: [l2, l3, memory], cacheBytes, busSpeedup }: MachineCosts, bytes: number, threads: number) {
  const beyondL2 = beyond(bytes, cacheBytes[0] * threads);
  const beyondL3 = beyond(bytes, cacheBytes[1]);
  const near = (l2 * (1 - beyondL2) + l3 * beyondL2) / threads;
  return near * (1 - beyondL3) + (memory / Math.min(threads, busSpeedup)) * beyondL3;
}

function missNs({ missNs: [l2, l3, memory], cacheBytes }: MachineCosts, bytes: number) {
  const beyondL2 = beyond(bytes, cacheBytes[0]);
  const beyondL3 = beyond(bytes, cacheBytes[1]);
  return l2 * (1 - beyondL2) + l3 * (beyondL2 - beyondL3) + memory * beyondL3;
}

/** How much of a stream does not come out of a cache of such a size: from 0 to 1, a half where it is just as large. */
function beyond(size: number, cacheSize: number): number {
  const ratio = (size / cacheSize) ** 3;
  return ratio / (1 + ratio);
}

/** Nanoseconds to lay a matrix out that steps over so many entries and rows. */
export function conversionNs({ conversionNs }: MachineCosts, kernel: string, work: number): number {
  return work * conversionNs[kernel]!;
}
