/** Vectors in the memory of a device, where its kernels compute. */

import { checkAttached } from '../core/arrays.js';
import { integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import type { DeviceMemory } from './device-memory.js';
import { type DeviceScalar, deviceFactor, type Factor } from './device-scalar.js';
import { RemoteVector } from './vector.js';

/**
 * Operations on vectors of one device, type and length are queued on the device, like products. Sums are f64, and
 * repeated sums have the same bits.
 */
export class DeviceVector<A extends FloatArray = FloatArray> extends RemoteVector implements Disposable {
  readonly device: DeviceMemory;
  override readonly type: FloatArrayConstructor;
  override readonly length: number;
  #block: number | undefined;

  /** Its numbers are uninitialized. @throws SparlaneError `heap` if it does not fit */
  constructor(device: DeviceMemory, type: FloatArrayConstructor, length: number) {
    super();
    this.device = device;
    this.type = type;
    this.length = integer('length', length);
    this.#block = device.allocate(length * type.BYTES_PER_ELEMENT);
  }

  /** The number of its block on the device. */
  get block(): number {
    if (this.#block === undefined) throw mismatch('argument', 'vector', 'one that is in use', 'a disposed vector');
    return this.#block;
  }

  fill(value: number): this {
    return this.set(new this.type(this.length).fill(value));
  }

  /** Copies numbers in, from element `offset` on. @throws SparlaneError `shape` if they do not fit */
  set(source: ArrayLike<number>, offset = 0): this {
    integer('offset', offset, 0, this.length);
    const room = this.length - offset;
    if (!(source.length <= room)) throw mismatch('shape', 'source', `at most ${room} numbers`, source.length, { room });
    const numbers = source instanceof this.type ? source : this.type.from(source);
    this.device.upload(this.block, offset * this.type.BYTES_PER_ELEMENT, numbers);
    return this;
  }

  /** Its numbers. Waits for all operations queued before. */
  toArray(): A {
    return this.copyTo(new this.type(this.length) as A);
  }

  /** Copies its numbers into an array of its type and length. Waits likewise. */
  copyTo(target: A): A {
    if (!(target instanceof this.type)) throw mismatch('argument', 'target', `a ${this.type.name}`, target);
    if (target.length !== this.length) throw mismatch('shape', 'target', `length ${this.length}`, target.length);
    this.device.download(this.block, 0, checkAttached('target', target));
    return target;
  }

  /** this ← x */
  copyFrom(x: DeviceVector): this {
    this.device.copy(this.block, this.#checkLike('x', x).block, this.length * this.type.BYTES_PER_ELEMENT);
    return this;
  }

  /** result ← thisᵀ y */
  dot(y: DeviceVector, result: DeviceScalar): DeviceScalar {
    const { slot } = deviceFactor('result', result, this.device);
    this.device.dot(this.type.BYTES_PER_ELEMENT, this.block, this.#checkLike('y', y).block, slot!);
    return result;
  }

  /** result ← ‖this‖₂ */
  norm(result: DeviceScalar): DeviceScalar {
    return this.dot(this, result).setRoot(result);
  }

  /** this ← a x + this */
  axpy(a: Factor, x: DeviceVector): this {
    return this.axpby(a, x, 1);
  }

  /** this ← a x + b this. b = 0 overwrites, NaN included; a = 0 does not hide a NaN of x. */
  axpby(a: Factor, x: DeviceVector, b: Factor): this {
    const { device, type, block } = this;
    const from = this.#checkLike('x', x).block;
    device.axpby(type.BYTES_PER_ELEMENT, deviceFactor('a', a, device), from, deviceFactor('b', b, device), block);
    return this;
  }

  /** this ← a this */
  scale(a: Factor): this {
    return this.axpby(a, this, 0);
  }

  #checkLike(name: string, other: DeviceVector): DeviceVector {
    const { device, type, length } = this;
    if (!(other instanceof DeviceVector)) throw mismatch('argument', name, 'a vector of the device', other);
    if (other.device !== device) throw mismatch('argument', name, 'a vector of the same device', 'one of another');
    if (other.type !== type) throw mismatch('argument', name, `a ${type.name}`, other.type.name);
    if (other.length !== length) throw mismatch('shape', name, `length ${length}`, other.length, { length });
    return other;
  }

  /** Frees the memory. A second call has no effect. */
  dispose(): void {
    if (this.#block === undefined) return;
    this.device.release(this.#block);
    this.#block = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
