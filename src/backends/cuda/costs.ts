/**
 * Costs of the kernels of `cuda/` on an NVIDIA H200 (132 multiprocessors, 4.34 TB/s read of 256 MiB), November 2026, cold L2,
 * by `bench/cuda`. Other GPUs are assumed to differ only in memory speed.
 */
import type { DeviceCosts } from '../backend.js';

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
