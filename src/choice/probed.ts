/** What `sparlane tune` would measure on the machine of the cost model's constants: a tuning's figures count relative to these. */
import type { CostTuning } from '../core/tuning.js';

/**
 * The constants are geometric means of two machines (`constants.ts`), and so are these: of two runs of `sparlane tune --dry-run --json` on an
 * AMD EPYC, 2 cores, Node 20.20.2, and one on an Intel Xeon, two threads, Node 24 (23 November 2026).
 */
export const PROBED: Required<CostTuning> = {
  entryNs: 0.375,
  byteNs: [0.0129, 0.0192, 0.0411],
  missNs: [0.192, 1.15, 10.9],
  cacheBytes: [1.69e6, 38.2e6],
  busSpeedup: 1.54,
  startNs: 133,
  forkJoinNs: 751,
};
