/**
 * The time of a product on a GPU: its bytes at memory speed, times a factor of the kernel, or, if a kernel is bound by
 * its work per entry, its entries; scattered gathers are added. Constants: kernels of `cuda/` on an NVIDIA H200 (132
 * multiprocessors, 4.34 TB/s read of 256 MiB), November 2026, cold L2, by `bench/cuda`. Other GPUs are assumed to
 * differ only in memory speed.
 */
import type { Features } from '../formats/features.js';
import type { Prospect } from '../formats/format.js';

export interface DeviceKernelCost {
  /** Time, divided by the time of its bytes at memory speed. */
  readonly factor: number;
  /** Least picoseconds per processed entry. */
  readonly entryPs: number;
}

export interface DeviceCosts {
  /** Read bandwidth of its memory, in GB/s. */
  readonly readGbps: number;
  /** Gathers per nanosecond of scattered elements of x, each from a different cache line. */
  readonly gathersPerNs: number;
  /** Picoseconds per row for kernels that compute rows in a permuted order. */
  readonly permutedRowPs: number;
  /** Nanoseconds to start and end a kernel. */
  readonly startNs: number;
  /** Bandwidth of the upload of a matrix, in GB/s. */
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
