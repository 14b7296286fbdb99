/** The memory of a vector, or of a block of vectors, in any space: its elements, in and out. */

import { integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { ThreadBound } from '../core/thread-bound.js';
import { dtypeOf, type FloatArray, type FloatArrayConstructor } from '../core/types.js';
import type { DenseNumbers, StridedNumbers } from './dense-rows.js';
import { type ColumnOrder, strideOf } from './rows.js';
import type { Space } from './space.js';
import { type BlockSource, readNumbers, writeNumbers } from './transfer.js';

/** The base of `Vector`, which computes with the elements. */
export class Elements<A extends FloatArray> extends ThreadBound implements Disposable {
  readonly space: Space;
  /** The type of its elements: Float64Array or Float32Array. */
  readonly type: FloatArrayConstructor;
  /** Elements; of a block: rows. */
  readonly length: number;
  /** 1, or more for a block of vectors. */
  readonly columns: number;
  /** Elements from one row to the next: `columns`, rounded up to a multiple of 16 bytes; 1 for one column. */
  readonly stride: number;
  #block: number | undefined;
  /** Whether the block belongs to something else, which frees it. */
  readonly #isView: boolean;
  #data: A | undefined;

  /**
   * A vector in a new block, whose contents are undefined; or a view of `data`, an array in the space's heap, or of a block.
   * Padding between the rows of a new block is 0.
   *
   * @throws SparlaneError `heap` if it does not fit
   */
  constructor(space: Space, type: FloatArrayConstructor, length: number, viewed?: A | number, columns = 1) {
    super('vector');
    this.space = space;
    this.type = type;
    this.length = integer('length', length);
    this.columns = integer('columns', columns, 1);
    this.stride = strideOf(type, columns);
    this.#isView = viewed !== undefined;
    if (typeof viewed === 'object') this.#data = viewed;
    this.#block = typeof viewed === 'object' ? viewed.byteOffset : (viewed ?? space.allocate(this.byteLength));
    if (viewed === undefined && this.stride > columns) this.fill(0);
  }

  /** Elements in memory: of all columns, with padding. */
  protected get size(): number {
    return this.length * this.stride;
  }

  /** Bytes of its elements, with padding. */
  get byteLength(): number {
    return this.size * this.type.BYTES_PER_ELEMENT;
  }

  /** Its block in the space. @throws SparlaneError `argument` for a disposed vector */
  get block(): number {
    if (this.#block === undefined) throw mismatch('argument', 'vector', 'one that is in use', 'a disposed vector');
    return this.#block;
  }

  /**
   * The numbers of a vector in the heap, to read and to write: a Float64Array or Float32Array over the shared memory. Element
   * i of column j of a block is at i · `stride` + j. Not to be used after `dispose`.
   *
   * @throws SparlaneError `argument` for a vector of a device, whose numbers `toArray` and `copyTo` copy
   */
  get data(): A {
    const { space, type, block } = this;
    if (space.heap === undefined) throw mismatch('argument', 'vector', 'one in the heap', `one of ${space.name}`);
    this.#data ??= space.heap.view<FloatArray>(type, block, this.size) as A;
    return this.#data;
  }

  /**
   * The numbers of a vector in the heap as a strided array, to read and to write: `data` with shape [length] or [length, columns], the strides and
   * offset 0. `ndarray(s.data, s.shape, s.strides)` and others take it without copying.
   */
  get strided(): StridedNumbers<A> & { readonly strides: readonly number[] } {
    const { data, length, columns, stride } = this;
    return columns === 1
      ? { data, shape: [length], strides: [1], offset: 0 }
      : { data, shape: [length, columns], strides: [stride, 1], offset: 0 };
  }

  /** Every element ← value, which need not be finite; padding ← 0. */
  fill(value: number): this {
    if (typeof value !== 'number') throw mismatch('argument', 'value', 'a number', value);
    const { space, type, length, columns, stride } = this;
    // All bits of 0 are 0, those of −0 are not.
    if (Object.is(value, 0)) {
      space.clear(this.block, this.byteLength);
      return this;
    }
    if (space.heap === undefined) return this.set(new type(length * columns).fill(value));
    space.refuseRecording('fill');
    const { data } = this;
    data.fill(stride === columns ? value : 0);
    if (stride > columns) for (let at = 0; at < data.length; at += stride) data.fill(value, at, at + columns);
    return this;
  }

  /**
   * Copies numbers in, from element `offset` on. Of a block: rows from row `offset` on, which a flat source has without padding.
   *
   * @throws SparlaneError `shape` if they do not fit, or are not whole rows; `argument` for rows that contain anything but numbers
   */
  set(source: BlockSource, offset = 0): this {
    writeNumbers(this, source, offset);
    return this;
  }

  /**
   * A copy of its numbers, without padding. On a device it waits for all earlier operations.
   *
   * @param options.order of a block: `row`, the default: row by row; `column`: column by column
   */
  toArray(options: { readonly order?: ColumnOrder } = {}): A {
    return this.copyTo(new this.type(this.length * this.columns) as A, options);
  }

  /**
   * The same into an array of its type and of `length` · `columns` elements; or, without an order, into numbers with rows and columns: a
   * strided array, a matrix of rows, an array of rows, of any type.
   *
   * @throws SparlaneError `argument` for another type; `shape` for another length, or other rows and columns
   */
  copyTo<T extends A | DenseNumbers>(target: T, options: { readonly order?: ColumnOrder } = {}): T {
    readNumbers(this, target, options);
    return target;
  }

  /** One line, also for `console.log` in Node: `Vector (f64, 1000 elements, heap)`, `Vector (f64, 1000 × 4 elements, heap)`. */
  override toString(): string {
    const dtype = dtypeOf(this.type);
    const state = this.#block === undefined ? ', disposed' : '';
    const size = this.columns === 1 ? this.length : `${this.length} × ${this.columns}`;
    return `Vector (${dtype}, ${size} elements, ${this.space.name}${state})`;
  }

  /** Frees the memory. A second call has no effect. */
  dispose(): void {
    if (this.#block !== undefined && !this.#isView) this.space.release(this.#block);
    this.#block = undefined;
    this.#data = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
