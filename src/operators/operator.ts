/**
 * The base class of linear operators. `apply` checks its arguments once; implementations override `run` and trust them.
 */
import { checkAttached, overlap } from '../core/arrays.js';
import { finite } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import type { SharedSpace, Space } from '../memory/space.js';
import { HeapVector, Vector } from '../memory/vector.js';

/**
 * A vector of the caller. Vectors of `engine.vector`, and typed arrays over the engine's heap, are used in place. Other
 * Float64Array and Float32Array of the operator's type are copied into the heap and back. This moves 16 bytes per
 * element of x, 16 per element of y, and 16 more if β ≠ 0: about the cost of two to four entries per row.
 *
 * Vectors of `engine.deviceVector` are for operators on that device; x and y must both be such vectors. The product is
 * queued there. Reading the numbers waits for it.
 */
export type VectorLike = Vector | FloatArray;

/** Depth of nested products: an operator composed of others runs their products within its own. */
let productsUnderWay = 0;
const unsaid: (() => void)[] = [];

/** Calls `say` when no product is running, so the callback may apply and dispose operators. */
export function sayAfterProduct(say: () => void): void {
  unsaid.push(say);
}

/** A linear map from vectors of length `cols` to vectors of length `rows`. */
export abstract class LinearOperator implements Disposable {
  readonly rows: number;
  readonly cols: number;
  /** Float64Array or Float32Array: the type of x and y. */
  readonly vectorType: FloatArrayConstructor;
  /** The space of its vectors: the heap or a device. An operator on a device takes vectors of the heap as well, and copies them. */
  readonly space: Space;
  /** The space of the shared heap. */
  readonly shared: SharedSpace;
  readonly #staging: HeapScope;
  readonly #staged: { x?: FloatArray; y?: FloatArray } = {};
  #disposed = false;

  protected constructor(
    shared: SharedSpace,
    rows: number,
    cols: number,
    vectorType: FloatArrayConstructor,
    space: Space = shared,
  ) {
    this.space = space;
    this.shared = shared;
    this.#staging = shared.heap.scope();
    this.rows = rows;
    this.cols = cols;
    this.vectorType = vectorType;
  }

  /** The product of vectors in the heap. */
  protected abstract run(x: FloatArray, y: FloatArray, alpha: number, beta: number): void;

  /** The product of vectors of its device, if it has one. */
  protected queue?(x: Vector, y: Vector, alpha: number, beta: number): void;

  /** Frees the resources of the operator; called once. */
  protected abstract release(): void;

  /** Called within a product, the first time that x or y is outside the heap; see `sayAfterProduct`. */
  protected onCopy(_name: 'x' | 'y'): void {}

  /**
   * y ← α A x + β y.
   *
   * If an element of x is NaN or infinite, so is every row of y that uses it. If the matrix is stored with padding
   * (`matrix.multipliesPadding`, `decision.multipliesPadding`), nearby rows that do not use the element may become NaN
   * too, because their padding zeros are multiplied by it. `engine.operator(…, { padding: false })` avoids such
   * formats.
   *
   * During `engine.record`, a product of vectors in the heap is recorded, not computed.
   *
   * @param x length `cols`; not changed
   * @param y length `rows`, without overlap with x. With β = 0 it is overwritten, and its old contents are ignored. An
   *   error before the product begins leaves it unchanged
   * @param alpha finite; default 1. α = 0 does not hide a NaN of x
   * @param beta finite; default 0
   * @throws SparlaneError `argument` for a wrong type, a disposed or detached vector, or overlapping x and y; `shape`
   *   for a wrong length; `backend` or `kernel` if the product failed: the contents of y are then undefined
   */
  apply(x: VectorLike, y: VectorLike, alpha = 1, beta = 0): void {
    if (this.#disposed) throw mismatch('argument', 'operator', 'one that is in use', 'a disposed operator');
    productsUnderWay++;
    try {
      this.#applyOnce(x, y, alpha, beta);
    } finally {
      productsUnderWay--;
    }
    while (productsUnderWay === 0 && unsaid.length > 0) unsaid.shift()!();
  }

  #applyOnce(x: VectorLike, y: VectorLike, alpha: number, beta: number): void {
    const space = this.#spaceOf(x);
    if (space !== this.#spaceOf(y))
      throw mismatch('argument', 'y', 'a vector of the same space as x', 'one of another');
    if (space !== this.shared) {
      this.#applyOnDevice(x as Vector, y as Vector, finite('alpha', alpha), finite('beta', beta));
      return;
    }
    const from = this.#check('x', x, this.cols);
    const to = this.#check('y', y, this.rows);
    finite('alpha', alpha);
    finite('beta', beta);
    const { heap } = this.shared;
    const xInHeap = heap.owns(from);
    const yInHeap = heap.owns(to);
    // A memory that grows has several buffer objects over the same bytes.
    const sameBytes = from.buffer === to.buffer || (xInHeap && yInHeap);
    if (sameBytes && overlap(from, to)) throw mismatch('argument', 'y', 'memory apart from x', 'an overlap');
    if (this.shared.isRecording) {
      if (!xInHeap || !yInHeap) this.shared.refuseRecording('a vector that is not in the heap');
      const blocks = [x, y].flatMap((vector) => (vector instanceof Vector ? vector.block : []));
      this.shared.recordProduct(() => this.apply(from, to, alpha, beta), blocks);
      return;
    }
    const stagedX = xInHeap ? from : this.#stage('x', this.cols);
    const stagedY = yInHeap ? to : this.#stage('y', this.rows);
    if (!xInHeap) stagedX.set(from);
    if (!yInHeap && beta !== 0) stagedY.set(to);
    this.run(stagedX, stagedY, alpha, beta);
    if (!yInHeap) to.set(stagedY);
  }

  #applyOnDevice(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.#checkOnDevice('x', x, this.cols);
    this.#checkOnDevice('y', y, this.rows);
    if (x === y) throw mismatch('argument', 'y', 'memory apart from x', 'an overlap');
    this.queue!(x, y, alpha, beta);
  }

  /** Frees all memory. A second call has no effect. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#staging[Symbol.dispose]();
    this.release();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Typed arrays, and vectors of another engine's heap, count as vectors of the heap: they are copied there. */
  #spaceOf(vector: VectorLike): Space {
    return vector instanceof Vector && vector.space.name !== 'heap' ? vector.space : this.shared;
  }

  #check(name: string, vector: VectorLike, length: number): FloatArray {
    const data = vector instanceof HeapVector ? vector.data : checkAttached(name, asVector(name, vector));
    if (!(data instanceof this.vectorType)) throw mismatch('argument', name, `a ${this.vectorType.name}`, data);
    if (data.length !== length) throw mismatch('shape', name, `length ${length}`, data.length, { length: data.length });
    return data;
  }

  #checkOnDevice(name: string, vector: Vector, length: number): void {
    const place = this.space === this.shared ? 'the heap' : "the operator's device";
    if (vector.space !== this.space) throw mismatch('argument', name, `a vector of ${place}`, 'one of another device');
    if (vector.type !== this.vectorType)
      throw mismatch('argument', name, `a ${this.vectorType.name}`, vector.type.name);
    if (vector.length !== length) throw mismatch('shape', name, `length ${length}`, vector.length, { length });
  }

  /** A buffer in the heap for a vector outside of it, allocated once. */
  #stage(name: 'x' | 'y', length: number): FloatArray {
    const staged = this.#staged[name];
    if (staged !== undefined) return staged;
    const place = this.#staging.array<FloatArray>(this.vectorType, length);
    this.#staged[name] = place;
    this.onCopy(name);
    return place;
  }
}

function asVector(name: string, vector: unknown): FloatArray {
  if (vector instanceof Float64Array || vector instanceof Float32Array) return vector;
  throw mismatch('argument', name, 'a vector of the engine, a Float64Array or a Float32Array', vector);
}
