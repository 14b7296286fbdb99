/** Numbers in a device's memory. A solver can compute with them without a round trip to the host. */
import { finite } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { DeviceFactor, DeviceMemory, ScalarOperation } from './device-memory.js';

/** A factor of a vector: a number, a number of the device, or `scalar.times(-1)`. */
export type Factor = number | DeviceScalar | ScaledScalar;

/** A number of the device times a number of the caller. */
export interface ScaledScalar {
  readonly scalar: DeviceScalar;
  readonly times: number;
}

/**
 * A number of the device, always f64. Operations that set it are queued, like products; only `value` waits.
 *
 * @example
 * alpha.setQuotient(rr, pq); // α ← (r, r) / (p, A p)
 * x.axpy(alpha, p); // x ← x + α p
 * r.axpy(alpha.times(-1), q); // r ← r − α q
 */
export class DeviceScalar implements Disposable {
  readonly device: DeviceMemory;
  #block: number | undefined;

  /** @throws SparlaneError `heap` if it does not fit */
  constructor(device: DeviceMemory, value = 0) {
    finite('value', value);
    this.device = device;
    this.#block = device.allocate(Float64Array.BYTES_PER_ELEMENT);
    this.set(value);
  }

  /** The number of its block on the device. */
  get block(): number {
    if (this.#block === undefined) throw mismatch('argument', 'scalar', 'one that is in use', 'a disposed scalar');
    return this.#block;
  }

  /** The number. Waits for all operations queued before. */
  get value(): number {
    const value = new Float64Array(1);
    this.device.download(this.block, 0, value);
    return value[0]!;
  }

  set(value: number): this {
    this.device.upload(this.block, 0, Float64Array.of(finite('value', value)));
    return this;
  }

  /** This number times another one, as a factor. Nothing is computed here. */
  times(factor: number): ScaledScalar {
    return { scalar: this, times: finite('factor', factor) };
  }

  /** this ← a + b */
  setSum(a: Factor, b: Factor): this {
    return this.#compute('add', a, b);
  }

  /** this ← a − b */
  setDifference(a: Factor, b: Factor): this {
    return this.#compute('subtract', a, b);
  }

  /** this ← a b */
  setProduct(a: Factor, b: Factor): this {
    return this.#compute('multiply', a, b);
  }

  /** this ← a / b */
  setQuotient(a: Factor, b: Factor): this {
    return this.#compute('divide', a, b);
  }

  /** this ← √a */
  setRoot(a: Factor): this {
    return this.#compute('root', a, 0);
  }

  #compute(operation: ScalarOperation, a: Factor, b: Factor): this {
    const { device, block } = this;
    device.compute(operation, deviceFactor('a', a, device), deviceFactor('b', b, device), block);
    return this;
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

/** @throws SparlaneError `argument` for an invalid factor, or for one on another device */
export function deviceFactor(name: string, factor: Factor, device: DeviceMemory): DeviceFactor {
  if (typeof factor === 'number') return { slot: undefined, times: finite(name, factor) };
  const { scalar, times } = factor instanceof DeviceScalar ? { scalar: factor, times: 1 } : factor;
  if (!(scalar instanceof DeviceScalar)) throw mismatch('argument', name, 'a number or one of the device', factor);
  if (scalar.device !== device) throw mismatch('argument', name, 'a number of the same device', 'one of another');
  return { slot: scalar.block, times };
}
