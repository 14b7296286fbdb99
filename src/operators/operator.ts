/**
 * Linear operators. `apply` checks its arguments once and stages foreign vectors; implementations override `run` and trust
 * what they get: vectors of the operator's space.
 */
import { checkAttached, overlap, wrongDtype } from '../core/arrays.js';
import { finite, integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { printsAsText } from '../core/inspect.js';
import { ThreadBound } from '../core/thread-bound.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import { ColumnCopies } from './column-copies.js';
import { numbersOf } from './numbers.js';

/**
 * A vector of the caller. Vectors of the operator's space, and typed arrays over its heap, are used in place. Vectors in the heap,
 * for an operator on a device, and all other Float64Array and Float32Array are copied to its space and back. Into the heap, this
 * moves 16 bytes per element of x, 16 per element of y, and 16 more if β ≠ 0: about the cost of two to four entries per row.
 */
export type VectorLike = Vector | FloatArray;

/** Numbers that are only read: any array of numbers, too. They are converted to the type of the operator, except f64 to f32. */
export type VectorInput = VectorLike | readonly number[];

/** Depth of nested products: an operator composed of others runs their products within its own. */
let productsUnderWay = 0;
const unsaid: (() => void)[] = [];

/** Calls `say` when no product is running, so the callback may apply and dispose operators. */
export function sayAfterProduct(say: () => void): void {
  unsaid.push(say);
}

type Side = 'x' | 'y';

/** Maps of vectors of pairs (re, im), of length `rows`. */
export interface ComplexMaps {
  /** Multiplies by i. */
  readonly imaginary: LinearOperator;
  /** Conjugates. */
  readonly conjugation: LinearOperator;
}

/**
 * A linear map from vectors of length `cols` to vectors of length `rows`, in one space.
 *
 * @example
 * class Scaling extends LinearOperator { // y ← α d ∘ x + β y
 *   constructor(private readonly d: Vector) {
 *     super(d.space, d.length, d.length, d.type);
 *   }
 *   protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
 *     …
 *   }
 * }
 */
export abstract class LinearOperator extends ThreadBound implements Disposable {
  /** The space of the vectors that `run` gets. */
  readonly space: Space;
  readonly rows: number;
  readonly cols: number;
  /** Float64Array or Float32Array: the type of x and y. */
  readonly vectorType: FloatArrayConstructor;
  /** The vectors in the space to which foreign ones are copied, allocated once. */
  readonly #staged: { x?: Vector; y?: Vector } = {};
  /** The copies of columns of an operator that multiplies blocks column by column; undefined before its first product with a block. */
  #columns: ColumnCopies | undefined;
  /** The latest typed arrays over the heap, as vectors. */
  readonly #views: { x?: Vector; y?: Vector } = {};
  #disposed = false;

  /**
   * @param space `engine.space`, or the space of a vector or of another operator
   * @throws SparlaneError `argument` for a wrong argument
   */
  protected constructor(space: Space, rows: number, cols: number, vectorType: FloatArrayConstructor) {
    super('operator');
    if (typeof space?.allocate !== 'function') throw mismatch('argument', 'space', 'the space of an engine', space);
    if (vectorType !== Float64Array && vectorType !== Float32Array)
      throw mismatch('argument', 'vectorType', 'Float64Array or Float32Array', vectorType);
    this.space = space;
    this.rows = integer('rows', rows);
    this.cols = integer('cols', cols);
    this.vectorType = vectorType;
  }

  /**
   * y ← α A x + β y. β = 0 overwrites y, NaN included. The vectors are of the operator's space, type and lengths and do not
   * overlap; α and β are finite.
   */
  protected abstract run(x: Vector, y: Vector, alpha: number, beta: number): void;

  /** Computes Y ← α A X + β Y for blocks X and Y of equally many columns. By default it runs one product for each column, on copies of the columns. */
  protected runBlock(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (this.#columns === undefined) {
      this.#columns = new ColumnCopies(this.space, this.vectorType, this.rows, this.cols);
      this.onColumns();
    }
    for (let first = 0, next = 0; first < x.columns; first = next) {
      const [from, to] = this.#columns.take(x.columns - first);
      next = first + from.length;
      x.copyColumnsTo(from, first);
      if (beta !== 0) y.copyColumnsTo(to, first);
      for (const [j, column] of from.entries()) this.run(column, to[j]!, alpha, beta);
      y.setColumns(to, first);
    }
  }

  /** Whether `run` only runs a plan. A recording may then compute its end together with the operations that follow. */
  protected get isPlanned(): boolean {
    return false;
  }

  /**
   * Whether `run`, with α = 1 and β = 0, does nothing but apply operators and compute with vectors, without allocations. A recording
   * then records these one by one, and may join them with the operations before and after.
   */
  protected get isComposed(): boolean {
    return false;
  }

  /** An operator whose vectors are complex has these maps, and methods may have complex coefficients with it. */
  get complexMaps(): ComplexMaps | undefined {
    return undefined;
  }

  /** Frees the resources of the operator; called once. */
  protected release(): void {}

  /** Called within a product, the first time that x or y is copied; see `sayAfterProduct`. */
  protected onCopy(_name: 'x' | 'y'): void {}

  /** Called within a product, the first time that a block is multiplied column by column; see `sayAfterProduct`. */
  protected onColumns(): void {}

  /**
   * y ← α A x + β y. On a device the product is queued if x and y are vectors of the device.
   *
   * With blocks of k columns (`engine.vector(n, { columns: k })`) it is Y ← α A X + β Y: k products in one pass over the matrix.
   * In the heap, column j has the bits of the product of column j; on a device its sums may be rounded in another order.
   *
   * If an element of x is NaN or infinite, so is every row of y that uses it. If the matrix is stored with padding
   * (`matrix.multipliesPadding`, `decision.multipliesPadding`), nearby rows that do not use the element may become NaN
   * too, because their padding zeros are multiplied by it. `engine.operator(…, { padding: false })` avoids such
   * formats.
   *
   * During `engine.record`, a product is recorded, not computed.
   *
   * @param x length `cols`; not changed. Numbers of f32, and arrays of numbers, are converted for an operator of f64
   * @param y length `rows`, as many columns as x, without overlap with x. With β = 0 it is overwritten, and its old contents are ignored. An
   *   error before the product begins leaves it unchanged
   * @param alpha finite; default 1. α = 0 does not hide a NaN of x
   * @param beta finite; default 0
   * @throws SparlaneError `argument` for a wrong type, a disposed or detached vector, or overlapping x and y; `shape`
   *   for a wrong length or number of columns; `backend` or `kernel` if the product failed: the contents of y are then undefined
   */
  apply(x: VectorInput, y: VectorLike, alpha = 1, beta = 0): void {
    if (this.#disposed) throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
    productsUnderWay++;
    try {
      this.#applyOnce(x, y, alpha, beta);
    } finally {
      productsUnderWay--;
    }
    while (productsUnderWay === 0 && unsaid.length > 0) unsaid.shift()!();
  }

  #applyOnce(x: VectorInput, y: VectorLike, alpha: number, beta: number): void {
    const from = this.#check('x', numbersOf('x', this.vectorType, x), this.cols);
    const to = this.#check('y', y, this.rows);
    finite('alpha', alpha);
    finite('beta', beta);
    const columns = columnsOf(from);
    if (columnsOf(to) !== columns)
      throw mismatch('shape', 'y', `as many columns as x, ${columns}`, columnsOf(to), { columns });
    if (overlaps(from, to)) throw mismatch('argument', 'y', 'memory apart from x', 'an overlap');
    if (from instanceof Vector && to instanceof Vector) this.#product(from, to, alpha, beta);
    else this.#productOfCopies(from, to, alpha, beta);
  }

  #product(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { recordProduct } = this.space;
    const isInline = this.isComposed && x.columns === 1 && alpha === 1 && beta === 0;
    if (recordProduct === undefined || isInline) {
      if (x.columns === 1) this.run(x, y, alpha, beta);
      else this.runBlock(x, y, alpha, beta);
      return;
    }
    // The recording keeps the memory of vectors that are disposed.
    const [from, to] = [x.view(), y.view()];
    recordProduct(() => this.apply(from, to, alpha, beta), [x.block, y.block], this.isPlanned);
  }

  /** With copies of the vectors that are not in the operator's space. */
  #productOfCopies(x: VectorLike, y: VectorLike, alpha: number, beta: number): void {
    const { space } = this;
    space.refuseRecording('a vector of another space');
    const from = x instanceof Vector ? x : this.#stage('x', this.cols);
    const to = y instanceof Vector ? y : this.#stage('y', this.rows);
    // If y is copied back, that waits for the copy of x.
    if (x !== from) space[y === to ? 'upload' : 'send'](from.block, 0, x as FloatArray);
    if (y !== to && beta !== 0) space.send(to.block, 0, y as FloatArray);
    this.run(from, to, alpha, beta);
    if (y !== to) space.download(to.block, 0, y as FloatArray);
  }

  /** One line, also for `console.log` in Node: `LinearOperator (4 × 3)`. */
  override toString(): string {
    return `LinearOperator (${this.rows} × ${this.cols})`;
  }

  /** Whether `dispose` was called. */
  get disposed(): boolean {
    return this.#disposed;
  }

  /** Frees all memory. A second call has no effect. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#staged.x?.dispose();
    this.#staged.y?.dispose();
    this.#columns?.[Symbol.dispose]();
    this.release();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** A vector of the space, or an array whose numbers must be copied there. */
  #check(name: Side, given: VectorLike, length: number): VectorLike {
    const vector = given instanceof Vector && given.space === this.space ? given : this.#find(name, given);
    const { type } = vector instanceof Vector ? vector : { type: vector.constructor };
    if (type !== this.vectorType) throw wrongDtype(name, this.vectorType, given);
    if (vector.length !== length) throw mismatch('shape', name, `length ${length}`, vector.length, { length });
    if (vector instanceof Vector) void vector.block;
    return vector;
  }

  #find(name: Side, given: VectorLike): VectorLike {
    if (given instanceof Vector && given.space.heap === undefined) {
      const place = this.space.heap === undefined ? "the operator's device" : 'the heap';
      throw mismatch('argument', name, `a vector of ${place}`, 'one of another device');
    }
    if (columnsOf(given) !== 1)
      throw mismatch('argument', name, "a block of vectors of the operator's space", 'one of another space');
    const data = given instanceof Vector ? given.data : checkAttached(name, asVector(name, given));
    if (this.space.heap?.owns(data) !== true) return data;
    const known = this.#views[name];
    if (known?.data === data) return known;
    const view = new Vector(this.space, typeOf(data), data.length, data);
    this.#views[name] = view;
    return view;
  }

  /** A vector in the space for one outside of it, allocated once. */
  #stage(name: Side, length: number): Vector {
    const staged = this.#staged[name];
    if (staged !== undefined) return staged;
    const place = new Vector(this.space, this.vectorType, length);
    this.#staged[name] = place;
    this.onCopy(name);
    return place;
  }
}

printsAsText(LinearOperator.prototype);

/** Columns of an argument: 1 for arrays. */
function columnsOf(vector: VectorLike): number {
  return vector instanceof Vector ? vector.columns : 1;
}

function asVector(name: string, vector: unknown): FloatArray {
  if (vector instanceof Float64Array || vector instanceof Float32Array) return vector;
  throw mismatch('argument', name, 'a vector of the engine, a Float64Array or a Float32Array', vector);
}

function typeOf(data: FloatArray): FloatArrayConstructor {
  return data instanceof Float64Array ? Float64Array : Float32Array;
}

/** Whether x and y share memory. Two vectors of one device share it only if they are the same. */
function overlaps(x: VectorLike, y: VectorLike): boolean {
  if (x instanceof Vector !== y instanceof Vector) return false;
  if (!(x instanceof Vector && y instanceof Vector))
    return (x as FloatArray).buffer === (y as FloatArray).buffer && overlap(x as FloatArray, y as FloatArray);
  return x.space.heap === undefined ? x.block === y.block : overlap(x.data, y.data);
}
