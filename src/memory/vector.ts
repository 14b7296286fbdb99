/**
 * Vectors in the memory where the kernels compute. A backend uses them without a copy, and checks only their length.
 */

import { integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import type { Heap } from './heap.js';

/** A vector on a device: only the members that operators need, so a page does not load the rest. */
export abstract class RemoteVector {
  /** The type of array that it is copied to and from. */
  abstract readonly type: FloatArrayConstructor;
  abstract readonly length: number;
}

export class HeapVector<A extends FloatArray = FloatArray> implements Disposable {
  readonly heap: Heap;
  readonly length: number;
  #data: A | undefined;

  /** A vector of zeros. @throws SparlaneError `heap` if it does not fit. */
  constructor(heap: Heap, type: Float64ArrayConstructor | Float32ArrayConstructor, length: number) {
    this.heap = heap;
    this.length = integer('length', length);
    const address = heap.alloc(length * type.BYTES_PER_ELEMENT);
    this.#data = heap.view<FloatArray>(type, address, length).fill(0) as A;
  }

  /** The numbers: a Float64Array or Float32Array over the shared memory. Do not use it after `dispose`. */
  get data(): A {
    if (this.#data === undefined) throw mismatch('argument', 'vector', 'one that is in use', 'a disposed vector');
    return this.#data;
  }

  /** Byte address of element 0 in the shared memory. */
  get address(): number {
    return this.data.byteOffset;
  }

  fill(value: number): this {
    this.data.fill(value);
    return this;
  }

  /** Copies numbers in, from element `offset` on. @throws SparlaneError `shape` if they do not fit */
  set(source: ArrayLike<number>, offset = 0): this {
    integer('offset', offset, 0, this.length);
    const room = this.length - offset;
    if (!(source.length <= room)) throw mismatch('shape', 'source', `at most ${room} numbers`, source.length, { room });
    this.data.set(source, offset);
    return this;
  }

  /** Frees the memory. A second call has no effect. */
  dispose(): void {
    if (this.#data === undefined) return;
    this.heap.free(this.#data.byteOffset);
    this.#data = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
