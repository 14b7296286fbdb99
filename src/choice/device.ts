/**
 * What a product takes on a GPU: its bytes at the speed of the memory, each kernel by its own factor, or its entries where a kernel is bound by
 * what it does with each; and scattered gathers, which come on top. Constants: kernels of `cuda/` on an NVIDIA H200 (132
 * multiprocessors, 4.34 TB/s read of 256 MiB), November 2026, cold L2, by `bench/cuda`; other GPUs are taken to be alike but for the speed of their memory.
 */
import type { Features } from '../formats/features.js';
import type { Prospect } from '../formats/format.js';

export interface DeviceKernelCost {
  /** Time over that of its bytes. */
  readonly factor: number;
  /** Picoseconds per entry stepped over, at least. */
  readonly entryPs: number;
}

export interface DeviceCosts {
  /** What its memory delivers. */
  readonly readGbps: number;
  /** Gathers of scattered elements of x, each from a cache line of its own: so many in a nanosecond. */
  readonly gathersPerNs: number;
  /** Picoseconds per row that is not where its kernel comes by. */
  readonly permutedRowPs: number;
  /** To start a kernel and to end it, in nanoseconds. */
  readonly startNs: number;
  /** What uploads a matrix. */
  readonly uploadGbps: number;
  /** By `Prospect.kernel`. */
  readonly kernels: Readonly<Record<string, DeviceKernelCost>>;
}

export const H200: DeviceCosts = {
  readGbps: 4340,
  gathersPerNs: 178,
  permutedRowPs: 3,
  startNs: 2000,
  uploadGbps: 40,
  kernels: {
    csr: { factor: 1.14, entryPs: 0 },
    csr_table: { factor: 1.14, entryPs: 2.1 },
    csr_pattern: { factor: 1.14, entryPs: 1.6 },
    csrk16: { factor: 1.28, entryPs: 0 },
    csrk16_table: { factor: 1.28, entryPs: 3 },
    csrk16_pattern: { factor: 1.28, entryPs: 1.6 },
    bsr: { factor: 1.18, entryPs: 0 },
    bsr_unrolled: { factor: 1.07, entryPs: 0 },
    components: { factor: 2.05, entryPs: 0 },
    sell: { factor: 1.08, entryPs: 0 },
    sell_table: { factor: 1.1, entryPs: 2 },
    sell16: { factor: 1.11, entryPs: 0 },
    sell16_table: { factor: 1.11, entryPs: 1.86 },
    dia: { factor: 1.07, entryPs: 0 },
    inode: { factor: 1.7, entryPs: 0 },
  },
};

/** Nanoseconds for y ← A x by a kernel that was measured. */
export function predictOnDeviceNs(costs: DeviceCosts, features: Features, prospect: Prospect): number {
  const { nnz, scattered } = features;
  const kernel = costs.kernels[prospect.kernel]!;
  const streamed = Math.max(
    (kernel.factor * prospect.bytes) / costs.readGbps,
    (kernel.entryPs * prospect.entries) / 1000,
  );
  const gathers = (scattered * (prospect.scattered ?? 1) * nnz) / costs.gathersPerNs;
  const permuted = prospect.permuted ? (costs.permutedRowPs * features.rows) / 1000 : 0;
  return costs.startNs + streamed + gathers + permuted;
}
