/** Inspector and executor: a backend inspects a matrix once and then runs any number of products with it. */
import type { FloatArray } from '../core/types.js';
import type { DeviceVector } from '../memory/device.js';

export interface Plan {
  /** `reference`, `wasm` (the caller's thread) or `threads`. */
  readonly backend: string;
  /** Threads that may take part, the caller's included. */
  readonly threads: number;
  readonly parts: number;
  /** What the inspection took, and what it holds beside the matrix. */
  readonly setupMs: number;
  readonly setupBytes: number;
  /**
   * y ← α A x + β y. No allocation, no conversion, no promise. Trusts its arguments: vectors of the matrix's lengths and
   * dtype, where the backend computes, not overlapping; finite α and β.
   */
  run(x: FloatArray, y: FloatArray, alpha: number, beta: number): void;
  /** The same for vectors of the backend's device, where it has one: queued, not waited for. */
  queue?(x: DeviceVector, y: DeviceVector, alpha: number, beta: number): void;
  /**
   * Milliseconds of single products (α = 1, β = 0) there, by the device's own clock.
   *
   * @param cold whether its caches are emptied before each
   */
  time?(x: DeviceVector, y: DeviceVector, repetitions: number, cold: boolean): Float64Array;
  /** Frees what the inspection holds beside the matrix, where that is anything. */
  [Symbol.dispose]?(): void;
}
