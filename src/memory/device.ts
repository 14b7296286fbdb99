/** Vectors that live on a device, where its kernels compute. */
import { integer } from '../core/checks.js';
import { checkAttached } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';

/** Memory of a device. Its blocks are numbers. */
export interface DeviceMemory {
  /** @throws SparlaneError `heap` where the device is full */
  allocate(bytes: number): number;
  release(block: number): void;
  upload(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void;
  /** Waits for what was queued before. */
  download(block: number, offsetBytes: number, target: FloatArray): void;
}

export class DeviceVector<A extends FloatArray = FloatArray> implements Disposable {
  readonly device: DeviceMemory;
  readonly type: FloatArrayConstructor;
  readonly length: number;
  #block: number | undefined;

  /** Its numbers are whatever they were. @throws SparlaneError `heap` where it does not fit */
  constructor(device: DeviceMemory, type: FloatArrayConstructor, length: number) {
    this.device = device;
    this.type = type;
    this.length = integer('length', length);
    this.#block = device.allocate(length * type.BYTES_PER_ELEMENT);
  }

  /** Its number on the device. */
  get block(): number {
    if (this.#block === undefined) throw mismatch('argument', 'vector', 'one that is in use', 'a disposed vector');
    return this.#block;
  }

  fill(value: number): this {
    return this.set(new this.type(this.length).fill(value));
  }

  /** Copies numbers in, from element `offset` on. @throws SparlaneError `shape` where they do not fit */
  set(source: ArrayLike<number>, offset = 0): this {
    integer('offset', offset, 0, this.length);
    const room = this.length - offset;
    if (!(source.length <= room)) throw mismatch('shape', 'source', `at most ${room} numbers`, source.length, { room });
    const numbers = source instanceof this.type ? source : this.type.from(source);
    this.device.upload(this.block, offset * this.type.BYTES_PER_ELEMENT, numbers);
    return this;
  }

  /** Its numbers, when all that was queued before is done. */
  toArray(): A {
    return this.copyTo(new this.type(this.length) as A);
  }

  /** The same into an array of its type and length. */
  copyTo(target: A): A {
    if (!(target instanceof this.type)) throw mismatch('argument', 'target', `a ${this.type.name}`, target);
    if (target.length !== this.length) throw mismatch('shape', 'target', `length ${this.length}`, target.length);
    this.device.download(this.block, 0, checkAttached('target', target));
    return target;
  }

  /** Gives the memory back; twice is once. */
  dispose(): void {
    if (this.#block === undefined) return;
    this.device.release(this.#block);
    this.#block = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
