/**
 * A space is where vectors and scalars live and where they are computed with: the shared heap, or a device. The interface is all that
 * `Vector` and `Scalar` know of it; `backends/` has the spaces.
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

/** What is computed with vectors, which are blocks of their space. */
export type VectorOperation = AxpbyOperation | MultiplyOperation | DotOperation;

/** Where vectors and scalars live. A block of its memory is a number. */
export interface Space {
  readonly name: 'heap' | 'cuda';
  /** The block's contents are undefined. @throws SparlaneError `heap` where the space is full */
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
   * Records the products and the operations on vectors and scalars that `step` asks for, instead of running them.
   *
   * @throws SparlaneError `argument` where `step` asks for anything else; whatever `step` throws. Nothing is left recording
   */
  record(step: () => void): Recording;
}

/**
 * Products and operations that were recorded once and run as often as they are launched. The vectors and scalars that it uses may be disposed
 * before; in the heap, its operators may not.
 */
export interface Recording extends Disposable {
  /**
   * Runs all of it; on a device, queues it.
   *
   * @throws SparlaneError `argument` for a disposed recording or operator, or during a recording; `kernel` or `backend` as products do: what it
   *   computes is then undefined
   */
  launch(): void;
  /** Gives the memory back; twice is once. */
  dispose(): void;
}

/** The space of the shared heap, where a block is an address. */
export interface SharedSpace extends Space {
  readonly heap: Heap;
  readonly isRecording: boolean;
  /** @throws SparlaneError `argument` during a recording, of which `what` cannot be part */
  refuseRecording(what: string): void;
  /** During a recording: adds a product that uses these blocks. */
  recordProduct(product: () => void, blocks: readonly number[]): void;
}
