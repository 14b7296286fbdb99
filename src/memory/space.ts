/**
 * A space is where vectors and scalars live and where they are computed with: the shared heap, or a device. `Vector` and
 * `Scalar` use only this interface; the spaces are in `backends/`.
 */
import type { FloatArray } from '../core/types.js';
import type { Heap } from './heap.js';

export type ScalarOperation = 'add' | 'subtract' | 'multiply' | 'divide' | 'root';

/** A coefficient: the f64 in block `slot` times a number, or the number alone where there is no slot. */
export interface Coefficient {
  readonly slot: number | undefined;
  readonly times: number;
}

/** y ← a x + b y; x may be y. b = 0 overwrites, NaN included; a = 0 does not hide a NaN of x. */
export interface AxpbyOperation {
  readonly kind: 'axpby';
  readonly a: Coefficient;
  readonly x: number;
  readonly b: Coefficient;
  readonly y: number;
}

/** y ← d ∘ x, element by element; either may be y. */
export interface MultiplyOperation {
  readonly kind: 'multiply';
  readonly d: number;
  readonly x: number;
  readonly y: number;
}

/** slot ← xᵀ y, summed in f64. */
export interface DotOperation {
  readonly kind: 'dot';
  readonly x: number;
  readonly y: number;
  readonly slot: number;
}

/** An operation on vectors, which are blocks of their space. */
export type VectorOperation = AxpbyOperation | MultiplyOperation | DotOperation;

/** Where vectors and scalars live. A block of its memory is a number. */
export interface Space {
  readonly name: 'heap' | 'cuda';
  /** The block's contents are undefined. @throws SparlaneError `heap` if the space is full */
  allocate(bytes: number): number;
  /** A block that a recording uses is kept until the recording is disposed. */
  release(block: number): void;
  /** The source may change when this returns. */
  upload(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void;
  /** Waits for everything that was queued before. */
  download(block: number, offsetBytes: number, target: FloatArray): void;
  /** Runs operations in order, on vectors of `length` elements of `width` bytes (8: f64, 4: f32). */
  run(width: number, length: number, operations: readonly VectorOperation[]): void;
  /** slot ← a ∘ b; of a alone for a root. */
  compute(operation: ScalarOperation, a: Coefficient, b: Coefficient, slot: number): void;
  /**
   * Records the products and the operations on vectors and scalars of `step`, without running them.
   *
   * @throws SparlaneError `argument` if `step` does anything else; errors of `step` are passed on. Recording has then ended
   */
  record(step: () => void): Recording;
}

/**
 * Recorded products and operations. Each launch runs them once. Vectors and scalars that it uses may be disposed: the
 * recording keeps them alive. In the heap its operators may not.
 */
export interface Recording extends Disposable {
  /**
   * Runs all of it; on a device, queues it.
   *
   * @throws SparlaneError `argument` for a disposed recording or operator, or during a recording; `kernel` or `backend` as products do: what it
   *   computes is then undefined
   */
  launch(): void;
  /** Frees the memory. A second call has no effect. */
  dispose(): void;
}

/** The space of the shared heap, where a block is an address. */
export interface SharedSpace extends Space {
  readonly heap: Heap;
  readonly isRecording: boolean;
  /** @throws SparlaneError `argument` during a recording, because `what` cannot be recorded */
  refuseRecording(what: string): void;
  /** During a recording: adds a product that uses these blocks. */
  recordProduct(product: () => void, blocks: readonly number[]): void;
}
