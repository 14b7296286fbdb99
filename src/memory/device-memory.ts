/** The operations of a device on the vectors and numbers in its memory. The devices are in `backends/`. */
import type { FloatArray } from '../core/types.js';

export type ScalarOperation = 'add' | 'subtract' | 'multiply' | 'divide' | 'root';

/** `times`, multiplied by the f64 in the block `slot` if there is one. */
export interface DeviceFactor {
  readonly slot: number | undefined;
  readonly times: number;
}

/** Memory of a device, and operations on vectors in it. Blocks are identified by numbers; operations are queued. */
export interface DeviceMemory {
  /** @throws SparlaneError `heap` if the device is full */
  allocate(bytes: number): number;
  release(block: number): void;
  /** After it returns, the source may change. */
  upload(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void;
  /** Waits for all operations queued before. */
  download(block: number, offsetBytes: number, target: FloatArray): void;
  copy(target: number, source: number, bytes: number): void;
  /** slot ← xᵀ y, over elements of `width` bytes. */
  dot(width: number, x: number, y: number, slot: number): void;
  /** y ← a x + b y; x may be y. */
  axpby(width: number, a: DeviceFactor, x: number, b: DeviceFactor, y: number): void;
  compute(operation: ScalarOperation, a: DeviceFactor, b: DeviceFactor, slot: number): void;
}
