/** Inspector and executor: a backend inspects a matrix once and then runs any number of products with it. */
import type { FloatArray } from '../core/types.js';
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';

export interface Plan {
  /** `reference`, `wasm` (the caller's thread) or `threads`. */
  readonly backend: string;
  /** Number of threads that may take part, the caller's included. */
  readonly threads: number;
  readonly parts: number;
  /** The time of the inspection, and its memory in addition to the matrix. */
  readonly setupMs: number;
  readonly setupBytes: number;
  /**
   * y ← α A x + β y. No allocation, no conversion, no promise. Does not check its arguments: vectors of the matrix's
   * lengths and dtype, in the backend's memory, without overlap; finite α and β.
   */
  run(x: FloatArray, y: FloatArray, alpha: number, beta: number): void;
  /** The device whose vectors `queue` takes, if the backend has one. */
  readonly space?: Space;
  /** The same for vectors of `space`: queued, without a wait. */
  queue?(x: Vector, y: Vector, alpha: number, beta: number): void;
  /**
   * Milliseconds of single products (α = 1, β = 0) on the device, by its own clock.
   *
   * @param cold whether its caches are emptied before each product
   */
  time?(x: Vector, y: Vector, repetitions: number, cold: boolean): Float64Array;
  /** Frees the memory of the inspection, if it holds any in addition to the matrix. */
  [Symbol.dispose]?(): void;
}
