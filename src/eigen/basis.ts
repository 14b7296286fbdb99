/**
 * An orthonormal basis of up to `capacity` vectors in the space of an operator: V of eigenvalue methods, in the heap, on a device, over ranks.
 *
 * Layout: panels, blocks of 8 columns, row by row. A row of a panel of f64 is one cache line; Vᵀ w and V c read each filled panel once.
 *   Columns of a panel that are not in use hold finite numbers, and every operation takes them times 0.
 * Source: classical Gram–Schmidt, repeated until the norm stops falling: Daniel, Gragg, Kaufman & Stewart 1976; Giraud, Langou & Rozložník 2005.
 * Differs: for another inner product, uᵀ B w, the basis stores no B V: B w stands beside w, and is computed anew after each pass. A product with
 *   a sparse B costs less than reading as many columns again, and rounding errors of B w do not add up.
 * Cost: a pass of `orthogonalize` with m columns is 4 m n operations and reads 16 m n bytes; two passes are usual. `rotate` from m to k columns:
 *   2 m k n operations, and memory for k columns more. The host reads the small results, so on a device each pass waits once for every panel.
 */
import { Owned } from '../core/owned.js';
import { Scalar } from '../memory/scalar.js';
import { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';
import { normalize, readNorm } from '../solvers/norms.js';

/** Columns of a panel. */
const WIDTH = 8;

/** A pass that leaves this share of the norm has removed no more than rounding could spoil: 1 / √2 (Daniel et al.). */
const STEADY = Math.SQRT1_2;

/** Two passes are enough but for rounding errors; a vector that still shrinks then is dependent. */
const MAX_PASSES = 5;

/** What is left of a vector is rounding errors if its norm is at most this number of units of rounding times √(columns + 1). */
const ROUNDING = 10;

/** The inner product uᵀ B w of a symmetric positive semi-definite B. */
export interface InnerProduct {
  readonly B: LinearOperator;
  /** B w, which `orthogonalize` keeps up to date. */
  readonly image: Vector;
}

/** What `orthogonalize` found. */
export interface Orthogonalized {
  /** h of w = V h + norm · (the new w). */
  readonly coefficients: Float64Array;
  /** The norm of what V leaves of w; 0 if w depends on V up to rounding, or is 0 itself; not finite if w is not. */
  readonly norm: number;
}

export class Basis implements Disposable {
  readonly capacity: number;
  readonly #operator: Pick<LinearOperator, 'space' | 'vectorType' | 'cols'>;
  readonly #owned = new Owned();
  /** Those in use, and some more: they are made when they are needed. */
  #panels: Vector[] = [];
  /** Without contents, for the next rotation. */
  #spare: Vector[] = [];
  /** By panel: 8 coefficients. */
  readonly #small: Vector[] = [];
  readonly #square: Vector;
  readonly #norm: Scalar;
  #size = 0;

  /** @param operator the vectors are as long as its x, in its space and of its type @throws SparlaneError `heap` */
  constructor(operator: Pick<LinearOperator, 'space' | 'vectorType' | 'cols'>, capacity: number) {
    this.#operator = operator;
    this.capacity = capacity;
    const { space } = operator;
    this.#square = this.#owned.own(new Vector(space, Float64Array, WIDTH, undefined, WIDTH));
    this.#norm = this.#owned.own(new Scalar(space));
  }

  /** Vectors of the basis. */
  get size(): number {
    return this.#size;
  }

  /** Adds a vector of norm 1 that is orthogonal to the others; it is copied. @throws SparlaneError `heap` */
  append(w: Vector): void {
    const [panel, column] = [Math.floor(this.#size / WIDTH), this.#size % WIDTH];
    if (panel === this.#panels.length) this.#panels.push(this.#newPanel());
    this.#panels[panel]!.setColumn(column, w);
    this.#size++;
  }

  /** Vᵀ w */
  project(w: Vector): Float64Array {
    const filled = this.#filled();
    filled.forEach((panel, p) => {
      panel.gram(w, this.#smallOf(p));
    });
    const coefficients = new Float64Array(this.#size);
    filled.forEach((_, p) => {
      const begin = p * WIDTH;
      coefficients.set((this.#small[p]!.toArray() as Float64Array).subarray(0, this.#size - begin), begin);
    });
    return coefficients;
  }

  /** w ← w − V c */
  subtract(w: Vector, c: Float64Array): void {
    this.#add(w, c, -1, 1);
  }

  /** x ← V c */
  combination(c: Float64Array, x: Vector): void {
    if (this.#size === 0) x.fill(0);
    else this.#add(x, c, 1, 0);
  }

  /** x ← column j */
  copyTo(j: number, x: Vector): void {
    this.#panels[Math.floor(j / WIDTH)]!.copyColumnTo(j % WIDTH, x);
  }

  /** Keeps the first `size` vectors. */
  truncate(size: number): void {
    this.#size = Math.min(size, this.#size);
  }

  /**
   * w ← what is left of w without its part in V, with norm 1. Where the norm of the answer is 0 or not finite, w is of no use.
   *
   * @param inner the inner product in which V is orthonormal; its `image` is B w, before and after. Default: uᵀ w
   * @param whole the norm of what w is the rest of, if parts in V were taken from it before: it is dependent if it is rounding errors beside that
   */
  orthogonalize(w: Vector, inner?: InnerProduct, whole = 0): Orthogonalized {
    const coefficients = new Float64Array(this.#size);
    const first = this.#normOf(w, inner);
    const unit = w.type === Float32Array ? 2 ** -23 : Number.EPSILON;
    const least = ROUNDING * unit * Math.sqrt(this.#size + 1) * Math.max(first, whole);
    let norm = first;
    if (norm <= least) return { coefficients, norm: 0 };
    for (let pass = 0; pass < MAX_PASSES && this.#size > 0 && norm > 0 && Number.isFinite(norm); pass++) {
      const found = this.project(inner?.image ?? w);
      if (!found.every(Number.isFinite)) return { coefficients, norm: Number.NaN };
      this.subtract(w, found);
      inner?.B.apply(w, inner.image);
      found.forEach((value, j) => {
        coefficients[j]! += value;
      });
      const before = norm;
      norm = this.#normOf(w, inner);
      if (norm <= least) return { coefficients, norm: 0 };
      if (norm > STEADY * before) break;
    }
    if (norm > 0 && Number.isFinite(norm)) {
      normalize(w, norm);
      if (inner !== undefined) normalize(inner.image, norm);
    }
    return { coefficients, norm };
  }

  /**
   * V ← V Q, with `columns` vectors. Where 8 × 8 elements of Q from a multiple of 8 on are 0, nothing is read. The vectors stay orthonormal if the columns of Q are.
   *
   * @param Q size × columns, row-major
   * @throws SparlaneError `heap`
   */
  rotate(Q: Float64Array, columns: number): void {
    const filled = this.#filled();
    const turned: Vector[] = [];
    for (let begin = 0; begin < columns; begin += WIDTH) {
      const target = this.#newPanel();
      turned.push(target);
      let isEmpty = true;
      filled.forEach((panel, p) => {
        const tile = this.#tile(Q, columns, p * WIDTH, begin);
        if (tile.every((value) => value === 0)) return;
        target.combine(panel, this.#square.set(tile), 1, isEmpty ? 0 : 1);
        isEmpty = false;
      });
      if (isEmpty) target.fill(0);
    }
    this.#spare.push(...this.#panels);
    this.#panels = turned;
    this.#size = columns;
  }

  /** Rows and columns of Q from these on, WIDTH of each, with zeros beyond its end. */
  #tile(Q: Float64Array, columns: number, firstRow: number, firstColumn: number): Float64Array {
    const tile = new Float64Array(WIDTH * WIDTH);
    for (let i = 0; i < Math.min(WIDTH, this.#size - firstRow); i++)
      for (let j = 0; j < Math.min(WIDTH, columns - firstColumn); j++)
        tile[i * WIDTH + j] = Q[(firstRow + i) * columns + firstColumn + j]!;
    return tile;
  }

  /** x ← alpha V c + beta x */
  #add(x: Vector, c: Float64Array, alpha: number, beta: number): void {
    this.#filled().forEach((panel, p) => {
      const begin = p * WIDTH;
      const own = new Float64Array(WIDTH);
      own.set(c.subarray(begin, Math.min(begin + WIDTH, this.#size)));
      x.combine(panel, this.#smallOf(p).set(own), alpha, p === 0 ? beta : 1);
    });
  }

  #normOf(w: Vector, inner: InnerProduct | undefined): number {
    if (inner === undefined) return readNorm(w, this.#norm);
    const square = w.dot(inner.image, this.#norm).value;
    return square < 0 ? 0 : Math.sqrt(square);
  }

  #filled(): readonly Vector[] {
    return this.#panels.slice(0, Math.ceil(this.#size / WIDTH));
  }

  #smallOf(panel: number): Vector {
    while (this.#small.length <= panel)
      this.#small.push(this.#owned.own(new Vector(this.#operator.space, Float64Array, WIDTH)));
    return this.#small[panel]!;
  }

  #newPanel(): Vector {
    const { space, vectorType, cols } = this.#operator;
    const spare = this.#spare.pop();
    if (spare !== undefined) return spare;
    return this.#owned.own(new Vector(space, vectorType, cols, undefined, WIDTH).fill(0));
  }

  /** Frees the memory. A second call has no effect. */
  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
