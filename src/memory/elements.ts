/** The memory of a vector, or of a block of vectors, in any space: its elements, in and out. */

import { checkAttached } from '../core/arrays.js';
import { integer, knownKeys, oneOf } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { ThreadBound } from '../core/thread-bound.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import { COLUMN_ORDERS, type ColumnOrder, fromRows, strideOf, toRows } from './rows.js';
import type { Space } from './space.js';

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

  /** Every element ← value; padding ← 0. */
  fill(value: number): this {
    const { space, type, length, columns, stride } = this;
    if (space.heap === undefined) return this.set(new type(length * columns).fill(value));
    space.refuseRecording('fill');
    const { data } = this;
    data.fill(stride === columns ? value : 0);
    if (stride > columns && value !== 0)
      for (let at = 0; at < data.length; at += stride) data.fill(value, at, at + columns);
    return this;
  }

  /**
   * Copies numbers in, from element `offset` on. Of a block: row by row, without padding, from row `offset` on.
   *
   * @throws SparlaneError `shape` if they do not fit, or are not whole rows
   */
  set(source: ArrayLike<number>, offset = 0): this {
    const { type, columns, stride } = this;
    integer('offset', offset, 0, this.length);
    const room = (this.length - offset) * columns;
    if (!(source.length <= room)) throw mismatch('shape', 'source', `at most ${room} numbers`, source.length, { room });
    if (source.length % columns !== 0)
      throw mismatch('shape', 'source', `rows of ${columns} numbers`, source.length, { columns });
    const numbers = source instanceof type ? source : new type(source);
    const padded = stride === columns ? numbers : toRows(type, numbers, source.length / columns, columns, 'row');
    this.space.upload(this.block, offset * stride * type.BYTES_PER_ELEMENT, padded);
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

  /** The same into an array of its type and of `length` · `columns` elements. */
  copyTo(target: A, options: { readonly order?: ColumnOrder } = {}): A {
    const { type, length, columns, stride, space, block } = this;
    knownKeys('options', options, { order: true });
    const order = oneOf('order', options.order ?? 'row', COLUMN_ORDERS);
    if (!(target instanceof type)) throw mismatch('argument', 'target', `a ${type.name}`, target);
    if (target.length !== length * columns)
      throw mismatch('shape', 'target', `length ${length * columns}`, target.length);
    checkAttached('target', target);
    const isPacked = stride === columns && (columns === 1 || order === 'row');
    const numbers = isPacked ? target : new type(this.size);
    space.download(block, 0, numbers);
    if (!isPacked) fromRows(numbers, length, columns, stride, order, target);
    return target;
  }

  /** One line, also for `console.log` in Node: `Vector (f64, 1000 elements, heap)`, `Vector (f64, 1000 × 4 elements, heap)`. */
  override toString(): string {
    const dtype = this.type === Float32Array ? 'f32' : 'f64';
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
