/** What `sparlane tune` measured where the constants of the cost model were fitted: a tuning's figures count relative to these. */
import type { CostTuning } from '../core/tuning.js';

/** By `sparlane tune --dry-run --json`, median of several runs. Machine and date: see `constants.ts`. */
export const PROBED: Required<CostTuning> = {
  entryNs: 0.353,
  byteNs: [0.0113, 0.0113, 0.0357],
  missNs: [0.285, 0.58, 10],
  cacheBytes: [1.05e6, 20e6],
  busSpeedup: 1.12,
  startNs: 168,
  forkJoinNs: 500,
};
