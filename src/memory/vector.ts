/** Vectors of any space, and blocks of them. A solver uses them in the same way in the heap and on a device. */

import { wrongDtype } from '../core/arrays.js';
import { finite, integer, list } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import { printsAsText } from '../core/inspect.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import { Elements } from './elements.js';
import { correctColumnNorms, correctNorm } from './norm.js';
import { coefficient, type Factor, type Scalar } from './scalar.js';
import { type DotOperation, type RowSpan, rowsOf, type VectorOperation } from './space.js';

/**
 * A vector of a space. Its operations take vectors of the same space, type and length, and compute in that space. On a device they are
 * queued, like products. Sums are f64, and their bits are the same every time, on any number of threads.
 *
 * With several columns it is a block of vectors: `length` rows of `columns` elements, row-major, in memory `stride` elements
 * apart, whole vector registers. The elements between two rows are padding: zeros at first, and never part of a result.
 * Operations take blocks of the same number of columns and compute element by element; those that take one vector say so.
 */
export class Vector<A extends FloatArray = FloatArray> extends Elements<A> {
  /**
   * Another vector of the same space, type and length; its contents are undefined.
   *
   * @param columns default: as many as this one
   * @throws SparlaneError `heap` if it does not fit
   */
  like(columns: number = this.columns): Vector<A> {
    return new Vector<A>(this.space, this.type, this.length, undefined, columns);
  }

  /** The same elements as another object, which does not free them. */
  view(): Vector<A> {
    return new Vector<A>(this.space, this.type, this.length, this.block, this.columns);
  }

  /** x ← column j of this block; x is one vector of the same space, type and length. Computed where the vectors are, and recordable. */
  copyColumnTo(j: number, x: Vector): this {
    const { columns, stride } = this;
    integer('column', j, 0, columns - 1);
    const y = this.#checkLike('x', x, 1).block;
    return this.#runRows({ kind: 'copy', x: this.block, xOffset: j, xStride: stride, y, yOffset: 0, yStride: 1 });
  }

  /** These vectors ← the columns of this block from `first` on, in one pass over it. Recordable. @throws SparlaneError `argument` for columns that the block has not; `shape` */
  copyColumnsTo(xs: readonly Vector[], first = 0): this {
    const { columns, stride, block: x } = this;
    integer('first', first, 0, columns - list('xs', xs).length);
    const copies = xs.map((to, j): VectorOperation => {
      const y = this.#checkLike('xs', to, 1).block;
      return { kind: 'copy', x, xOffset: first + j, xStride: stride, y, yOffset: 0, yStride: 1 };
    });
    return this.#runRows(...copies);
  }

  /** Column j of this block ← x. */
  setColumn(j: number, x: Vector): this {
    const { columns, stride } = this;
    integer('column', j, 0, columns - 1);
    const from = this.#checkLike('x', x, 1).block;
    return this.#runRows({ kind: 'copy', x: from, xOffset: 0, xStride: 1, y: this.block, yOffset: j, yStride: stride });
  }

  /** The columns of this block from `first` on ← these vectors, in one pass over it. Recordable. @throws SparlaneError `argument` for columns that the block has not; `shape` */
  setColumns(xs: readonly Vector[], first = 0): this {
    const { columns, stride, block: y } = this;
    integer('first', first, 0, columns - list('xs', xs).length);
    const copies = xs.map((x, j): VectorOperation => {
      const from = this.#checkLike('xs', x, 1).block;
      return { kind: 'copy', x: from, xOffset: 0, xStride: 1, y, yOffset: first + j, yStride: stride };
    });
    return this.#runRows(...copies);
  }

  /** this ← x */
  copyFrom(x: Vector): this {
    return this.axpby(1, x, 0);
  }

  /** this ← a x + this */
  axpy(a: Factor, x: Vector): this {
    return this.axpby(a, x, 1);
  }

  /** this ← a x + b this. b = 0 overwrites, NaN included; a = 0 does not hide a NaN of x. x may be this vector. */
  axpby(a: Factor, x: Vector, b: Factor): this {
    const { space, block: y } = this;
    const from = this.#checkLike('x', x).block;
    return this.#run({ kind: 'axpby', a: coefficient('a', a, space), x: from, b: coefficient('b', b, space), y });
  }

  /** this ← Σ as[i] xs[i] + this, in few passes over this vector. @throws SparlaneError `shape` if the numbers of factors and vectors differ */
  axpys(as: readonly Factor[], xs: readonly Vector[]): this {
    if (list('as', as).length !== list('xs', xs).length)
      throw mismatch('shape', 'xs', `length ${as.length}`, xs.length);
    const { space, block: y } = this;
    const b = coefficient('b', 1, space);
    return this.#run(
      ...xs.map((x, i): VectorOperation => {
        const from = this.#checkLike('xs', x).block;
        return { kind: 'axpby', a: coefficient('as', as[i]!, space), x: from, b, y };
      }),
    );
  }

  /** this ← a this */
  scale(a: Factor): this {
    return this.axpby(a, this, 0);
  }

  /** this ← d ∘ x, element by element: x scaled by a diagonal matrix. Either may be this vector. */
  multiply(d: Vector, x: Vector): this {
    const [factors, from] = [this.#checkLike('d', d).block, this.#checkLike('x', x).block];
    return this.#run({ kind: 'multiply', d: factors, x: from, y: this.block });
  }

  /** result ← thisᵀ y, of one column. */
  dot(y: Vector, result: Scalar): Scalar {
    this.#run(this.#dot(y, result));
    return result;
  }

  /**
   * result ← ‖this‖₂, of one column. In the heap also where squares overflow or vanish. On a device, and in a recording, it is the root of the dot product: a
   * norm of f64 above 1e154 is infinite there, and one below 1e-162 is 0.
   *
   * @throws SparlaneError `heap` if squares overflow or vanish, and there is no room for a copy
   */
  norm(result: Scalar): Scalar {
    this.dot(this, result).setRoot(result);
    if (this.#mayRead) correctNorm(this, result);
    return result;
  }

  /** Whether reading a scalar neither waits nor ends a recording. */
  get #mayRead(): boolean {
    const { heap, recordProduct } = this.space;
    return heap !== undefined && recordProduct === undefined;
  }

  /** results[i] ← thisᵀ ys[i], in one pass over this vector. @throws SparlaneError `shape` if the numbers of results and vectors differ */
  dots(ys: readonly Vector[], results: readonly Scalar[]): void {
    if (list('ys', ys).length !== list('results', results).length)
      throw mismatch('shape', 'results', `length ${ys.length}`, results.length);
    this.#run(...ys.map((y, i) => this.#dot(y, results[i]!)));
  }

  #dot(y: Vector, result: Scalar): DotOperation {
    if (this.columns !== 1) throw mismatch('shape', 'vector', 'one column', this.columns);
    return { kind: 'dot', x: this.block, y: this.#checkLike('y', y).block, slot: this.#slot(result) };
  }

  #slot(result: Scalar): number {
    const { slot, times } = coefficient('result', result, this.space);
    if (slot === undefined || times !== 1) throw mismatch('argument', 'result', 'a scalar', result);
    return slot;
  }

  /** results[j] ← (column j of this)ᵀ (column j of y); in the heap with the bits of `dot` of these columns. */
  columnDots(y: Vector, results: readonly Scalar[]): void {
    const { columns } = this;
    if (list('results', results).length !== columns)
      throw mismatch('shape', 'results', `length ${columns}`, results.length, { columns });
    const right = rowsOf(this.#checkLike('y', y));
    if (columns === 1) this.dot(y, results[0]!);
    else this.#runRows({ kind: 'columnDots', x: rowsOf(this), y: right, slots: results.map((one) => this.#slot(one)) });
  }

  /** results[j] ← ‖column j of this‖₂, as `norm` of these columns. */
  columnNorms(results: readonly Scalar[]): void {
    this.columnDots(this, results);
    for (const result of results) result.setRoot(result);
    if (this.#mayRead) correctColumnNorms(this, results);
  }

  /** c ← thisᵀ y: a block of f64 of columns × columns of y. Its sums are f64; the product with itself is symmetric to the last bit. */
  gram(y: Vector, c: Vector): this {
    const right = rowsOf(this.#checkLike('y', y, y?.columns));
    const small = this.#small(c, this.columns, y.columns);
    if (this.columns === 1 && y.columns === 1)
      return this.#run({ kind: 'dot', x: this.block, y: y.block, slot: c.block });
    return this.#runRows({ kind: 'gram', x: rowsOf(this), y: right, c: small });
  }

  /**
   * this ← α x c + β this, for a small dense c: a block of f64 of columns of x × columns. x may be this block. β = 0 overwrites, NaN
   * included.
   *
   * @example
   * x.combine(x, c); // X ← X C
   * y.combine(x, c, -1, 1); // Y ← Y − X C
   */
  combine(x: Vector, c: Vector, alpha = 1, beta = 0): this {
    const from = rowsOf(this.#checkLike('x', x, x?.columns));
    const small = this.#small(c, x.columns, this.columns);
    const factors = { alpha: finite('alpha', alpha), beta: finite('beta', beta) };
    return this.#runRows({ kind: 'combine', ...factors, x: from, c: small, y: rowsOf(this) });
  }

  #run(...operations: readonly VectorOperation[]): this {
    this.space.run(this.type.BYTES_PER_ELEMENT, this.size, operations);
    return this;
  }

  #runRows(...operations: readonly VectorOperation[]): this {
    this.space.run(this.type.BYTES_PER_ELEMENT, this.length, operations);
    return this;
  }

  #checkLike(name: string, other: Vector, columns = this.columns): Vector {
    return this.#checkOperand(name, other, this.type, this.length, columns);
  }

  #small(c: Vector, rows: number, columns: number): RowSpan {
    return rowsOf(this.#checkOperand('c', c, Float64Array, rows, columns));
  }

  #checkOperand(name: string, other: Vector, type: FloatArrayConstructor, length: number, columns: number): Vector {
    if (!(other instanceof Vector)) throw mismatch('argument', name, 'a vector of the engine', other);
    if (other.space !== this.space) throw mismatch('argument', name, 'a vector of the same space', 'one of another');
    if (other.type !== type) throw wrongDtype(name, type, other);
    if (other.length !== length) throw mismatch('shape', name, `length ${length}`, other.length, { length });
    if (other.columns !== columns) throw mismatch('shape', name, `columns ${columns}`, other.columns, { columns });
    return other;
  }
}

printsAsText(Vector.prototype);
