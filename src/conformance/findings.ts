/** What a run of checks has found: how many were made, how many failed, and the first of those in words. */
import { isRefusal } from '../formats/format.js';

export interface Failure {
  readonly matrix: string;
  readonly check: string;
  readonly message: string;
}

/** A kernel that is wrong is wrong thousands of times; nobody reads them all. */
const FAILURES_KEPT = 20;

export class Findings {
  /** The first ones, in words. */
  readonly failures: Failure[] = [];
  checks = 0;
  failed = 0;
  /** Matrices that the format has refused: for their fill-in, or because it is for others (square, symmetric …). */
  refused = 0;
  /** Threads that computed a part of a product. */
  readonly ranks: Set<number> = new Set();
  #matrix = '';

  /** Names the matrix that the following checks are about. */
  about(matrix: string): void {
    this.#matrix = matrix;
  }

  expect(holds: boolean, check: string, message: () => string): void {
    this.checks++;
    if (holds) return;
    this.failed++;
    if (this.failures.length < FAILURES_KEPT) {
      this.failures.push({ matrix: this.#matrix, check, message: message() });
    }
  }

  /** Runs checks of which none should throw. A refusal is an answer, not a failure. */
  attempt(check: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      if (isRefusal(error) && error.code !== 'heap') this.refused++;
      else this.expect(false, check, () => `threw ${error}`);
    }
  }
}
