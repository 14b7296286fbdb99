/** What a page holds of the vectors and operators of its engine: handles, and in a shared memory the numbers themselves. */
import { mismatch } from '../core/errors.js';
import { type FloatArray, type FloatArrayConstructor, vectorArray } from '../core/types.js';
import type { Link } from './link.js';
import type { OperatorInfo, SentVector, Timing } from './protocol.js';
import { trimmed } from './send-source.js';

/** A vector of `engine.vector` costs nothing where memory is shared; a typed array is copied with every product. */
export type VectorSource = PageVector | FloatArray;

export class PageVector<A extends FloatArray = FloatArray> implements Disposable {
  readonly length: number;
  /**
   * The numbers, to read and to write while no product uses them. Over the shared memory where the engine is `shared`, and
   * then not to be used after `dispose`; else the page's own copy, which travels with every product.
   */
  readonly data: A;
  /** @internal */
  readonly link: Link;
  /** @internal */
  readonly handle: number;
  readonly #shared: boolean;

  /** Made by `engine.vector`. */
  constructor(link: Link, handle: number, data: A, shared: boolean) {
    this.link = link;
    this.handle = handle;
    this.data = data;
    this.length = data.length;
    this.#shared = shared;
  }

  /** @internal As the worker is told of it. */
  sent(withNumbers: boolean): SentVector {
    return { handle: this.handle, numbers: withNumbers && !this.#shared ? this.data : undefined };
  }

  /** Gives the memory back; twice is once. */
  dispose(): void {
    release(this.link, this.handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

export class PageOperator<A extends FloatArray = FloatArray> implements Disposable {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** Format and parameters, whoever chose them: `csrk?k=3`. */
  readonly format: string;
  /** What reading, validation, conversion and inspection took together. */
  readonly setupMs: number;
  readonly info: OperatorInfo;
  readonly #link: Link;
  readonly #handle: number;
  readonly #vectorType: FloatArrayConstructor;

  /** Made by `engine.operator`. */
  constructor(link: Link, handle: number, info: OperatorInfo) {
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
   * y ← α A x + β y. Products run in the order in which they were asked for.
   *
   * @param x length `cols`; not changed
   * @param y length `rows`; a new array where it is left out. With β = 0 it is overwritten, whatever it held
   * @returns the numbers of y: `y.data` of a vector of the engine, else y itself
   * @throws SparlaneError as `LinearOperator.apply`
   */
  async apply(x: VectorSource, y?: VectorSource, alpha = 1, beta = 0): Promise<A> {
    const to = this.#checkResult(y, beta);
    const product = {
      operator: this.#handle,
      x: this.#sent('x', x, true),
      y: y === undefined ? {} : this.#sent('y', y, beta !== 0),
      alpha,
      beta,
    };
    const numbers = await this.#link.call('apply', product).result;
    if (to === undefined) return numbers as A;
    if (numbers !== undefined) to.set(numbers);
    return to;
  }

  /** Times `repeat` samples of y ← A x in the worker, x of ones, and says which threads took part. */
  time(repeat = 21): Promise<Timing> {
    return this.#link.call('time', { operator: this.#handle, repeat }).result;
  }

  /** Gives all memory back, when the products before are done; twice is once. */
  dispose(): void {
    release(this.#link, this.#handle);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** The array that a result goes to. Checked here as well, since the worker sees a y of the page only where β ≠ 0. */
  #checkResult(y: VectorSource | undefined, beta: number): A | undefined {
    if (y === undefined) {
      if (beta === 0) return undefined;
      throw mismatch('argument', 'y', 'a vector, since beta is not 0', y);
    }
    const data = y instanceof PageVector ? y.data : y;
    if (!(data instanceof this.#vectorType)) throw mismatch('argument', 'y', `a ${this.#vectorType.name}`, y);
    if (data.length !== this.rows) throw mismatch('shape', 'y', `length rows = ${this.rows}`, data);
    return data as A;
  }

  #sent(name: 'x' | 'y', vector: VectorSource, withNumbers: boolean): SentVector {
    if (!(vector instanceof PageVector)) return withNumbers ? { numbers: trimmed(vector) } : {};
    if (vector.link === this.#link) return vector.sent(withNumbers);
    throw mismatch('argument', name, 'a vector of the same engine', 'one of another');
  }
}

/** Nobody waits for it; where the worker is gone, so is the memory. */
function release(link: Link, handle: number): void {
  link.call('release', { handle }).result.catch(() => {});
}
