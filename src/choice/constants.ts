/**
 * What kernels do, written by `npx bench fit --write bench/results/2026-11-27-fit.jsonl.gz` on 2026-11-27: times of 242 matrices
 * (`bench/matrices/kinds`, even seeds), f64 and f32, 1, 2 threads, on AMD EPYC.
 */
import type { CommonCosts, FamilyCost } from './kernels.js';

export const FAMILIES: Readonly<Record<string, FamilyCost>> = {
  bsr: { entry: 0.211, row: 2.22, step: 0.551, conversion: 30.6 },
  bsr2: { entry: 0.0621, row: 5.72, step: 0.764, conversion: 61.4 },
  bsr_unrolled: { entry: 0.0354, row: 8.24, step: 0.468, conversion: 30.1 },
  bsr_wide: { entry: 0.0973, row: 4.3, step: 0.512, conversion: 23.2 },
  components: { entry: 0.88, row: 0.618, step: 0.725, conversion: 23 },
  csr: { entry: 0.71, row: 3.95, step: 0, conversion: 8.72 },
  csr_merge: { entry: 0.765, row: 4.51, step: 0, conversion: 5.56 },
  dia: { entry: 0.338, row: 0.247, step: 0.171, conversion: 24.5 },
  inode: { entry: 0.234, row: 10.1, step: 0.275, conversion: 17.3 },
  panels: { entry: 0.79, row: 2.65, step: 1.45, conversion: 63.4 },
  pkt: { entry: 1.37, row: 4.99, step: 2.01, conversion: 204 },
  sell: { entry: 0.695, row: 11, step: 1.16, conversion: 24.4 },
  sellFour: { entry: 0.73, row: 8.15, step: 0.835, conversion: 23.3 },
  sss: { entry: 1.77, row: 9.31, step: 1.82, conversion: 67 },
};

export const COMMON: CommonCosts = {
  index16: 1.12,
  pattern: 0.94,
  table: 1.79,
  f32Gathered: 0.894,
  f32Adjacent: 0.43,
  misprediction: 3.84,
  permutedRow: 4.36,
  stall: 0.838,
  tableConversion: 26.6,
};
