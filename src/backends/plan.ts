/** Inspector and executor: a backend inspects a matrix once and then runs any number of products with it. */
import type { Vector } from '../memory/vector.js';
import type { MethodEstimate } from './backend.js';

/** How products are computed, and the cost of their preparation. */
export interface PlanReport {
  /** `reference`, `wasm` (the caller's thread), `threads`, `cuda`; `cuda + threads` for parts on both. */
  readonly backend: string;
  /** Number of threads that may take part, the caller's included. */
  readonly threads: number;
  readonly parts: number;
  /** Number of memories that hold the rows, if there are several. */
  readonly memories?: number;
  /** The time of the inspection, and its memory in addition to the matrix. */
  readonly setupMs: number;
  readonly setupBytes: number;
  /** On a device: the methods of the kernels, with the chosen parameters. */
  readonly methods?: readonly string[];
  /** On a device, each kernel lists the methods among which it chose, the least time first: none if it has no choice, or its method was asked for. */
  readonly estimates?: readonly (readonly MethodEstimate[])[];
}

export interface Plan extends PlanReport, Disposable {
  /**
   * y ← α A x + β y, of blocks for the verb `spmm`. No allocation, no conversion, no promise; on a device it is queued. Does not
   * check its arguments: vectors of the backend's space, of the matrix's lengths and dtype, without overlap; finite α and β.
   */
  run(x: Vector, y: Vector, alpha: number, beta: number): void;
  /** Frees the memory of the inspection, if it holds any in addition to the matrix. */
  [Symbol.dispose](): void;
}
