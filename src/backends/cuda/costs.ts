/**
 * What a GPU takes for the work of kernels, and the factors of the kernels of `cuda/`, written by `bench/fit-device.mjs` from the times of 839 matrices
 * (`bench/judge.mjs`, even seeds), f64 and f32: NVIDIA H100 80GB HBM3, cold caches. Other GPUs are assumed to be equal.
 */
import type { DeviceCosts } from '../backend.js';

export const DEVICE_COSTS: DeviceCosts = {
  threads: 270336,
  uploadGbps: 40,
  conversionNs: { coo: 11.9, coo_table: 26.8, coo_pattern: 16.6, csr5: 15 },
  work: {
    start: 6440,
    byte: 0.000271,
    entry: 0.000577,
    batch: 197,
    permutedRow: 0.00454,
    scattered: 0.00468,
    far: 0.000316,
    launch: 1430,
    empty: 338,
    fill: 818,
    gathers: 2690,
  },
  kernels: {
    bsr: 1.19,
    bsr_unrolled: 0.986,
    coo: 1.06,
    coo_pattern: 1.09,
    coo_table: 1.1,
    csr: 0.928,
    csr5: 1.06,
    csr_merge: 1.03,
    csr_merge_pattern: 1.17,
    csr_pattern: 0.991,
    csr_table: 1.02,
    csrk16: 0.949,
    csrk16_pattern: 1.03,
    csrk16_table: 1.05,
    dia: 0.895,
    inode: 1.18,
    sell: 0.939,
    'sell split': 0.997,
    sell16: 0.962,
    'sell16 split': 1.03,
    sell16_table: 0.982,
    'sell16_table split': 1.14,
    sellFour: 0.96,
    'sellFour split': 1.05,
    sellFour16: 1.01,
    'sellFour16 split': 1.08,
    sell_table: 0.948,
    'sell_table split': 1.04,
  },
};
