/**
 * An orthonormal basis of up to `capacity` vectors in the space of an operator: V of eigenvalue methods, in the heap, on a device, over ranks.
 *
 * Layout: in the heap panels, blocks of 8 columns, row by row: a row of f64 is one cache line, and Vᵀ w and V c read each panel once; the columns after the last full panel are vectors. On a
 *   device all are vectors (`column-store.ts`).
 * Source: classical Gram–Schmidt, repeated until the norm stops falling: Daniel, Gragg, Kaufman & Stewart 1976; Giraud, Langou & Rozložník 2005.
 * Differs: for another inner product, uᵀ B w, the basis stores no B V: B w stands beside w, and is computed anew after each pass. A product with
 *   a sparse B costs less than reading as many columns again, and rounding errors of B w do not add up.
 * Cost: a pass of `orthogonalize` with m columns is 4 m n operations and reads 16 m n bytes; two passes are usual. `rotate` from m to k columns:
 *   2 m k n operations, and memory for k columns more. The host reads the coefficients, so on a device each pass waits once.
 */
import { assemble, type Owned } from '../../core/owned.js';
import { Scalar } from '../../memory/scalar.js';
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { normalize, readNorm } from '../../solvers/norms.js';
import type { ColumnStore, VectorKind } from './column-store.js';
import { PanelStore } from './panel-store.js';
import { VectorStore } from './vector-store.js';

/** A pass that leaves this share of the squared norm has removed no more than rounding could spoil (Daniel et al.). */
export const STEADY_SQUARE = 0.5;
const STEADY = Math.sqrt(STEADY_SQUARE);

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
  readonly #owned: Owned;
  readonly #store: ColumnStore;
  readonly #norm: Scalar;
  #size = 0;

  /** @param operator the vectors are as long as its x, in its space and of its type @throws SparlaneError `heap` */
  constructor(operator: VectorKind, capacity: number) {
    const { space } = operator;
    this.capacity = capacity;
    const isInHeap = space.heap !== undefined;
    const made = assemble((owned) => {
      const norm = owned.own(new Scalar(space));
      const store = owned.own(isInHeap ? new PanelStore(operator) : new VectorStore(operator, capacity));
      return { owned, norm, store };
    });
    this.#owned = made.owned;
    this.#norm = made.norm;
    this.#store = made.store;
  }

  /** Vectors of the basis. */
  get size(): number {
    return this.#size;
  }

  /** Adds a vector of norm 1 that is orthogonal to the others; it is copied. @throws SparlaneError `heap` */
  append(w: Vector): void {
    this.#store.put(this.#size, w);
    this.#size++;
  }

  /** Vᵀ w */
  project(w: Vector): Float64Array {
    return this.#size === 0 ? new Float64Array(0) : this.#store.project(this.#size, w);
  }

  /** Vᵀ W, row-major, size × columns of W. */
  projectBlock(W: Vector): Float64Array {
    return this.#size === 0 ? new Float64Array(0) : this.#store.projectBlock(this.#size, W);
  }

  /** W ← W − V C */
  subtractBlock(W: Vector, C: Float64Array): void {
    if (this.#size > 0) this.#store.subtractBlock(W, C, this.#size);
  }

  /** w ← w − V c */
  subtract(w: Vector, c: Float64Array): void {
    if (this.#size > 0) this.#store.add(w, c, -1, 1);
  }

  /** x ← V c */
  combination(c: Float64Array, x: Vector): void {
    if (this.#size === 0) x.fill(0);
    else this.#store.add(x, c, 1, 0);
  }

  /** x ← column j */
  copyTo(j: number, x: Vector): void {
    this.#store.copyTo(j, x);
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
   * V ← V Q, with `columns` vectors. Where Q is 0, as beside an identity, little is read. The vectors stay orthonormal if the columns of Q are.
   *
   * @param Q size × columns, row-major
   * @throws SparlaneError `heap`
   */
  rotate(Q: Float64Array, columns: number): void {
    this.#store.rotate(Q, this.#size, columns);
    this.#size = columns;
  }

  #normOf(w: Vector, inner: InnerProduct | undefined): number {
    if (inner === undefined) return readNorm(w, this.#norm);
    const square = w.dot(inner.image, this.#norm).value;
    return square < 0 ? 0 : Math.sqrt(square);
  }

  /** Frees the memory. A second call has no effect. */
  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}
