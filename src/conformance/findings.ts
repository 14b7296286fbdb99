/** The results of a run of checks: the number of checks and of failures, and a description of the first failures. */
import { isRefusal } from '../formats/format.js';

export interface Failure {
  readonly matrix: string;
  readonly check: string;
  readonly message: string;
}

/** A wrong kernel fails thousands of checks; only the first failures are useful. */
const FAILURES_KEPT = 20;

export class Findings {
  /** Descriptions of the first failures. */
  readonly failures: Failure[] = [];
  checks = 0;
  failed = 0;
  /**
   * Matrices that the format has refused: too much fill-in, or the wrong kind of matrix (not square, not symmetric …).
   */
  refused = 0;
  /** Threads that computed a part of a product. */
  readonly ranks: Set<number> = new Set();
  #matrix = '';

  /** Sets the matrix name for the following checks. */
  about(matrix: string): void {
    this.#matrix = matrix;
  }

  /** @returns whether it holds */
  expect(holds: boolean, check: string, message: () => string): boolean {
    this.checks++;
    if (holds) return true;
    this.failed++;
    if (this.failures.length < FAILURES_KEPT) {
      this.failures.push({ matrix: this.#matrix, check, message: message() });
    }
    return false;
  }

  /** Runs checks that should not throw. A refusal of the matrix is not a failure. */
  attempt(check: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      if (isRefusal(error) && error.code !== 'heap') this.refused++;
      else this.expect(false, check, () => `threw ${error}`);
    }
  }
}
