/** What a device does for the vectors and numbers that live on it; `backends/` has the devices. */
import type { FloatArray } from '../core/types.js';

export type ScalarOperation = 'add' | 'subtract' | 'multiply' | 'divide' | 'root';

/** A block of one f64 times a number, or where there is no block the number. */
export interface DeviceFactor {
  readonly slot: number | undefined;
  readonly times: number;
}

/** Memory of a device, and what is computed with vectors in it. Its blocks are numbers, its operations queued. */
export interface DeviceMemory {
  /** @throws SparlaneError `heap` where the device is full */
  allocate(bytes: number): number;
  release(block: number): void;
  /** When it returns, the source may change. */
  upload(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void;
  /** Waits for what was queued before. */
  download(block: number, offsetBytes: number, target: FloatArray): void;
  copy(target: number, source: number, bytes: number): void;
  /** slot ← xᵀ y, over elements of `width` bytes. */
  dot(width: number, x: number, y: number, slot: number): void;
  /** y ← a x + b y; x may be y. */
  axpby(width: number, a: DeviceFactor, x: number, b: DeviceFactor, y: number): void;
  compute(operation: ScalarOperation, a: DeviceFactor, b: DeviceFactor, slot: number): void;
}
