/** What `sparlane tune` measured where the constants of the cost model were fitted: a tuning's figures count relative to these. */
import type { CostTuning } from '../core/tuning.js';

/** By `sparlane tune --dry-run --json`, median of several runs. Machine and date: see `constants.ts`. */
export const PROBED: Required<CostTuning> = {
  entryNs: 0.352,
  byteNs: [0.0107, 0.0107, 0.0322],
  missNs: [0.262, 0.513, 10.3],
  cacheBytes: [1.05e6, 28.2e6],
  busSpeedup: 1.12,
  startNs: 166,
  forkJoinNs: 500,
};
