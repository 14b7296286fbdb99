/** What the factors of a matrix say of themselves. */
import type { StageTimes } from '../direct/choose.js';
import type { DirectName, Factors } from '../direct/method.js';
import type { PreconditionerReport } from './preconditioner.js';

/** What the factors of a matrix are, and what they took. */
export interface FactorizationReport extends PreconditionerReport {
  readonly method: DirectName;
  /** Entries of the factors over those of the matrix. */
  readonly fill: number;
  /** Multiplications and additions of the factorization. */
  readonly flops: number;
  /** Pivots that were not taken from the diagonal, of two rows, or replaced because they were too small. */
  readonly pivots: Factors['pivots'];
  /** Time of each stage, in ms: the order, the rest of the analysis, and the latest factorization. */
  readonly times: StageTimes;
  /** A sentence for each choice and refusal. */
  readonly reasons: readonly string[];
}
