/**
 * What kernels do, written by `npx bench fit --write bench/results/2026-11-27-fit.jsonl.gz` on 2026-11-27: times of 242 matrices
 * (`bench/matrices/kinds`, even seeds), f64 and f32, 1, 2 threads, on AMD EPYC.
 */
import type { CommonCosts, FamilyCost } from './kernels.js';

export const FAMILIES: Readonly<Record<string, FamilyCost>> = {
  bsr: { entry: 0.212, row: 2.22, step: 0.556, conversion: 30.6 },
  bsr2: { entry: 0.0625, row: 5.88, step: 0.768, conversion: 61.4 },
  bsr_unrolled: { entry: 0.0329, row: 8.35, step: 0.479, conversion: 30.1 },
  bsr_wide: { entry: 0.099, row: 4.35, step: 0.513, conversion: 23.2 },
  components: { entry: 0.886, row: 0.616, step: 0.724, conversion: 23 },
  csr: { entry: 0.717, row: 3.99, step: 0, conversion: 8.72 },
  csr_merge: { entry: 0.772, row: 4.48, step: 0, conversion: 5.56 },
  dia: { entry: 0.34, row: 0.246, step: 0.172, conversion: 24.5 },
  inode: { entry: 0.236, row: 10.1, step: 0.279, conversion: 17.3 },
  panels: { entry: 0.794, row: 2.66, step: 1.45, conversion: 63.4 },
  pkt: { entry: 1.38, row: 4.97, step: 2.02, conversion: 204 },
  sell: { entry: 0.7, row: 11, step: 1.18, conversion: 24.4 },
  sellFour: { entry: 0.736, row: 8.18, step: 0.847, conversion: 23.3 },
  sss: { entry: 1.79, row: 9.35, step: 1.81, conversion: 67 },
};

export const COMMON: CommonCosts = {
  index16: 1.12,
  pattern: 0.942,
  table: 1.79,
  f32Gathered: 0.895,
  f32Adjacent: 0.43,
  misprediction: 4.22,
  permutedRow: 4.34,
  stall: 0.788,
  tableConversion: 26.6,
};
