/** Elements of vectors at given places, in the heap and on devices. */
import { type DeviceSpace, isOnDevice } from '../backends/backend.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';

/** y[i] ← x[places[i]], at once where places are a range. */
export function pack(x: FloatArray, places: Uint32Array, y: FloatArray): void {
  const { length } = places;
  const first = places[0] ?? 0;
  if (length > 0 && places[length - 1]! - first === length - 1) y.set(x.subarray(first, first + length));
  else for (let i = 0; i < length; i++) y[i] = x[places[i]!]!;
}

/** A list of places, which is on the device if the vectors are. */
export class AtPlaces implements Disposable {
  readonly #places: Uint32Array;
  readonly #device: DeviceSpace | undefined;
  /** On a device, this block has the list. */
  readonly block: number;

  /** @param space of the vectors, or of some on the same device @param places different ones, of each vector that is picked from or added to */
  constructor(space: Space, places: Uint32Array) {
    this.#places = places;
    this.#device = deviceOf(space);
    this.block = this.#device?.allocate(places.byteLength) ?? 0;
    if (places.length > 0) this.#device?.upload(this.block, 0, places);
    // The list is there for all queues of the device.
    this.#device?.synchronize();
  }

  /** y[i] ← x[places[i]]; y may be longer. On a device queued on the space of y, after what was queued on that of x. */
  pick(x: Vector, y: Vector): void {
    if (this.#device === undefined) {
      pack(x.data, this.#places, y.data);
      return;
    }
    const on = y.space as DeviceSpace;
    if (x.space !== on) on.after(x.space);
    on.pick(x.type.BYTES_PER_ELEMENT, this.#places.length, y.block, x.block, this.block);
  }

  /** y[places[i]] ← y[places[i]] + x[offset + i]. On a device queued on the space of y, after what was queued on that of x. */
  add(x: Vector, y: Vector, offset = 0): void {
    const { length } = this.#places;
    if (this.#device === undefined) {
      addAt(x.data, offset, this.#places, y.data);
      return;
    }
    const on = y.space as DeviceSpace;
    on.after(x.space);
    const width = x.type.BYTES_PER_ELEMENT;
    if (offset === 0) {
      on.addAt(width, length, y.block, x.block, this.block);
      return;
    }
    const part = on.slice(x.block, width * offset, width * length);
    on.addAt(width, length, y.block, part, this.block);
    on.releaseSlice(part);
  }

  [Symbol.dispose](): void {
    this.#device?.release(this.block);
  }
}

function addAt(x: FloatArray, offset: number, places: Uint32Array, y: FloatArray): void {
  for (let i = 0; i < places.length; i++) y[places[i]!]! += x[offset + i]!;
}

/** The device of a space; undefined for the heap. */
export function deviceOf(space: Space): DeviceSpace | undefined {
  if (space.heap !== undefined) return undefined;
  if (isOnDevice(space)) return space;
  throw mismatch('backend', 'ranks', 'vectors in the heap or on a device', space.name);
}
