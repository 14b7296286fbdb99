/**
 * The vectors and operators of an engine, as the caller holds them: handles and, with shared memory, the numbers themselves.
 */
import type { ComplexFactor } from '../complex/arithmetic.js';
import { asFloats, checkAttached, wrongDtype } from '../core/arrays.js';
import { abortSignal, knownKeys } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { ThreadBound } from '../core/thread-bound.js';
import { type FloatArray, type FloatArrayConstructor, vectorArray } from '../core/types.js';
import { strideOf } from '../memory/rows.js';
import type { Link } from './link.js';
import type { OperatorInfo, ProductTimes, SentVector } from './protocol.js';
import { trimmed } from './send-source.js';

/** A vector that may be written. With shared memory, one of `engine.vector` is never copied; a typed array is copied with every product. */
export type VectorTarget = AsyncVector | FloatArray;

/** The same, or an array of numbers. f32 is converted for f64. */
export type VectorSource = VectorTarget | readonly number[];

/** A vector, or a block of vectors, in an engine of a worker. */
export class AsyncVector<A extends FloatArray = FloatArray> extends ThreadBound implements Disposable {
  /** Elements; of a block: rows. */
  readonly length: number;
  /** 1, or more for a block of vectors. */
  readonly columns: number;
  /** Elements from one row of `data` to the next: `columns`, rounded up to a multiple of 16 bytes; 1 for one column. */
  readonly stride: number;
  /**
   * The numbers: element i of column j is at i · `stride` + j. Read and write them only while no product uses them. If the engine is `shared`, this array is over the
   * shared memory; do not use it after `dispose`. Otherwise it is the caller's own copy, which is sent with
   * every product.
   */
  readonly data: A;
  /** @internal */
  readonly link: Link;
  readonly #handle: number;
  readonly #shared: boolean;

  /** Made by `engine.vector`. */
  constructor(link: Link, handle: number, data: A, shared: boolean, columns: number) {
    super('vector');
    this.link = link;
    this.#handle = handle;
    this.data = data;
    this.columns = columns;
    this.stride = strideOf(data.constructor as FloatArrayConstructor, columns);
    this.length = data.length / this.stride;
    this.#shared = shared;
  }

  /** @internal The representation for the worker. @throws SparlaneError `argument` for the worker of another engine */
  sentTo(link: Link, name: string, withNumbers: boolean): SentVector {
    if (link !== this.link) throw mismatch('argument', name, 'a vector of the same engine', 'one of another');
    return { handle: this.#handle, numbers: withNumbers && !this.#shared ? this.data : undefined };
  }

  /** Frees the memory. A second call has no effect. */
  dispose(): void {
    this.link.release(this.#handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A matrix in an engine of a worker, for products y ← α A x + β y. */
export class AsyncOperator<A extends FloatArray = FloatArray> extends ThreadBound implements Disposable {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** Format and parameters, given or selected: `csrk?k=3`. */
  readonly format: string;
  /** Time of reading, validation, conversion and inspection together. */
  readonly setupMs: number;
  readonly info: OperatorInfo;
  readonly #link: Link;
  readonly #handle: number;
  readonly #vectorType: FloatArrayConstructor;

  /** Made by `engine.operator`. */
  constructor(link: Link, handle: number, info: OperatorInfo) {
    super('operator');
    this.#link = link;
    this.#handle = handle;
    this.info = info;
    this.rows = info.rows;
    this.cols = info.cols;
    this.nnz = info.nnz;
    this.format = info.format;
    this.setupMs = info.sourceMs + info.setupMs;
    this.#vectorType = vectorArray(info.dtype);
  }

  /**
   * y ← α A x + β y. Products run in the order of the calls. x and y may be blocks of equally many columns. α and β of a complex operator may be complex.
   *
   * @param x length `cols`; not changed
   * @param y length `rows`. Default: a new array, row by row if x is a block. With β = 0 it is overwritten, and its old contents are ignored
   * @param options.signal rejects with its reason; a product that has not begun is not computed
   * @returns the numbers of y: `y.data` of a vector of the engine, else y itself
   * @throws SparlaneError as `LinearOperator.apply`
   */
  async apply(
    x: VectorSource,
    y?: VectorTarget,
    alpha: ComplexFactor = 1,
    beta: ComplexFactor = 0,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<A> {
    knownKeys('options', options, { signal: true });
    const { signal } = options;
    if (signal !== undefined) abortSignal('signal', signal);
    const to = this.#checkResult(x, y, beta);
    const product = {
      operator: this.#handle,
      x: sentVector(this.#link, 'x', x),
      y: y === undefined ? {} : sentVector(this.#link, 'y', y, beta !== 0),
      alpha,
      beta,
    };
    const numbers = await this.#link.call('apply', product, { signal }).result;
    if (to === undefined) return numbers as A;
    if (numbers !== undefined) to.set(numbers);
    return to;
  }

  /** @internal Its handle for the worker. @throws SparlaneError `argument` for the worker of another engine */
  sentTo(link: Link, name: string): { readonly handle: number } {
    if (link === this.#link) return { handle: this.#handle };
    throw mismatch('argument', name, 'an operator of the same engine', 'one of another');
  }

  /** Times `repeat` samples of y ← A x in the worker, with x of ones, and reports which threads took part. */
  time(repeat = 21): Promise<ProductTimes> {
    return this.#link.call('time', { operator: this.#handle, repeat }).result;
  }

  /** Frees all memory after all earlier products. A second call has no effect. */
  dispose(): void {
    this.#link.release(this.#handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** The array for the result. Checked here too, because the worker gets a y of the caller only if β ≠ 0. */
  #checkResult(x: VectorSource, y: VectorTarget | undefined, beta: ComplexFactor): A | undefined {
    if (y === undefined) {
      if (beta === 0) return undefined;
      throw mismatch('argument', 'y', 'a vector, since beta is not 0', y);
    }
    const data = y instanceof AsyncVector ? y.data : y;
    if (!(data instanceof this.#vectorType)) throw wrongDtype('y', this.#vectorType, data);
    if (y.length !== this.rows) throw mismatch('shape', 'y', `length rows = ${this.rows}`, data);
    const [columns, others] = [columnsOf(y), columnsOf(x)];
    if (columns !== others) throw mismatch('shape', 'y', `columns of x = ${others}`, columns, { columns });
    return data as A;
  }
}

function columnsOf(vector: VectorSource): number {
  return vector instanceof AsyncVector ? vector.columns : 1;
}

/** As they are: the worker converts them to the dtype of the operator. @throws SparlaneError `argument` */
function checkedNumbers(name: string, given: readonly number[]): readonly number[] {
  asFloats(name, given);
  return given;
}

export function sentVector(link: Link, name: string, vector: VectorSource, withNumbers = true): SentVector {
  if (vector instanceof AsyncVector) return vector.sentTo(link, name, withNumbers);
  if (Array.isArray(vector)) return { numbers: checkedNumbers(name, vector) };
  if (!(vector instanceof Float64Array || vector instanceof Float32Array))
    throw mismatch('argument', name, 'a vector of the engine, a Float64Array or a Float32Array', vector);
  return withNumbers ? { numbers: trimmed(checkAttached(name, vector)) } : {};
}
