/** What `sparlane tune` measured where the constants of the cost model were fitted: a tuning's figures count relative to these. */
import type { CostTuning } from '../core/tuning.js';

/** By `sparlane tune --dry-run --json`, median of four runs: AMD EPYC, 2 cores, Node 20.20.2, 22 November 2026. */
export const PROBED: Required<CostTuning> = {
  entryNs: 0.351,
  byteNs: [0.0107, 0.0107, 0.035],
  missNs: [0.262, 0.51, 10.9],
  cacheBytes: [1.05e6, 28.2e6],
  busSpeedup: 1.88,
  startNs: 164,
  forkJoinNs: 466,
};
