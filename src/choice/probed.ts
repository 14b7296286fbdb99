/** What `sparlane tune` would measure on the machine of the cost model's constants: a tuning's figures count relative to these. */
import type { CostTuning } from '../core/tuning.js';

/**
 * The constants are means of several machines (`constants.ts`). So these are the figures of one of them, the median of four runs of
 * `sparlane tune --dry-run --json` on an AMD EPYC, 2 cores, Node 20.20.2, times the ratio of the means to the constants fitted to that
 * machine, which `bench/fit.mjs` prints (22 November 2026). `entryNs`: by `csr`'s `f64Entry`.
 */
export const PROBED: Required<CostTuning> = {
  entryNs: 0.384,
  byteNs: [0.00638, 0.0125, 0.0414],
  missNs: [0.288, 0.626, 6.47],
  cacheBytes: [1.23e6, 31.7e6],
  busSpeedup: 2.74,
  startNs: 359,
  forkJoinNs: 1160,
};
