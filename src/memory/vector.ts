/** Vectors of any space. A solver uses them in the same way in the heap and on a device. */

import { checkAttached } from '../core/arrays.js';
import { integer } from '../core/checks.js';
import { mismatch } from '../core/errors.js';
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import type { Heap } from './heap.js';
import { coefficient, type Factor, type Scalar } from './scalar.js';
import type { DotOperation, SharedSpace, Space, VectorOperation } from './space.js';

/**
 * A vector of a space. Its operations take vectors of the same space, type and length, and compute in that space. On a device they are
 * queued, like products. Sums are f64, and their bits are the same every time, on any number of threads.
 */
export class Vector<A extends FloatArray = FloatArray> implements Disposable {
  readonly space: Space;
  /** The type of its elements: Float64Array or Float32Array. */
  readonly type: FloatArrayConstructor;
  readonly length: number;
  #block: number | undefined;

  /** Its contents are undefined. @throws SparlaneError `heap` if it does not fit */
  constructor(space: Space, type: FloatArrayConstructor, length: number) {
    this.space = space;
    this.type = type;
    this.length = integer('length', length);
    this.#block = space.allocate(length * type.BYTES_PER_ELEMENT);
  }

  /** Its block in the space. @throws SparlaneError `argument` for a disposed vector */
  get block(): number {
    if (this.#block === undefined) throw mismatch('argument', 'vector', 'one that is in use', 'a disposed vector');
    return this.#block;
  }

  /** Another vector of the same space, type and length; its contents are undefined. @throws SparlaneError `heap` if it does not fit */
  like(): Vector<A> {
    return new Vector<A>(this.space, this.type, this.length);
  }

  fill(value: number): this {
    return this.set(new this.type(this.length).fill(value));
  }

  /** Copies numbers in, from element `offset` on. @throws SparlaneError `shape` if they do not fit */
  set(source: ArrayLike<number>, offset = 0): this {
    integer('offset', offset, 0, this.length);
    const room = this.length - offset;
    if (!(source.length <= room)) throw mismatch('shape', 'source', `at most ${room} numbers`, source.length, { room });
    const numbers = source instanceof this.type ? source : new this.type(source);
    this.space.upload(this.block, offset * this.type.BYTES_PER_ELEMENT, numbers);
    return this;
  }

  /** A copy of its numbers. On a device it waits for all earlier operations. */
  toArray(): A {
    return this.copyTo(new this.type(this.length) as A);
  }

  /** The same into an array of its type and length. */
  copyTo(target: A): A {
    if (!(target instanceof this.type)) throw mismatch('argument', 'target', `a ${this.type.name}`, target);
    if (target.length !== this.length) throw mismatch('shape', 'target', `length ${this.length}`, target.length);
    this.space.download(this.block, 0, checkAttached('target', target));
    return target;
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

  /** this ← a this */
  scale(a: Factor): this {
    return this.axpby(a, this, 0);
  }

  /** this ← d ∘ x, element by element: x scaled by a diagonal matrix. Either may be this vector. */
  multiply(d: Vector, x: Vector): this {
    const [factors, from] = [this.#checkLike('d', d).block, this.#checkLike('x', x).block];
    return this.#run({ kind: 'multiply', d: factors, x: from, y: this.block });
  }

  /** result ← thisᵀ y */
  dot(y: Vector, result: Scalar): Scalar {
    this.#run(this.#dot(y, result));
    return result;
  }

  /** result ← ‖this‖₂ */
  norm(result: Scalar): Scalar {
    return this.dot(this, result).setRoot(result);
  }

  /** results[i] ← thisᵀ ys[i], in one pass over this vector. @throws SparlaneError `shape` if the numbers of results and vectors differ */
  dots(ys: readonly Vector[], results: readonly Scalar[]): void {
    if (ys.length !== results.length) throw mismatch('shape', 'results', `length ${ys.length}`, results.length);
    this.#run(...ys.map((y, i) => this.#dot(y, results[i]!)));
  }

  #dot(y: Vector, result: Scalar): DotOperation {
    const { slot, times } = coefficient('result', result, this.space);
    if (slot === undefined || times !== 1) throw mismatch('argument', 'result', 'a scalar', result);
    return { kind: 'dot', x: this.block, y: this.#checkLike('y', y).block, slot };
  }

  #run(...operations: readonly VectorOperation[]): this {
    this.space.run(this.type.BYTES_PER_ELEMENT, this.length, operations);
    return this;
  }

  #checkLike(name: string, other: Vector): Vector {
    const { space, type, length } = this;
    if (!(other instanceof Vector)) throw mismatch('argument', name, 'a vector of the engine', other);
    if (other.space !== space) throw mismatch('argument', name, 'a vector of the same space', 'one of another');
    if (other.type !== type) throw mismatch('argument', name, `a ${type.name}`, other.type.name);
    if (other.length !== length) throw mismatch('shape', name, `length ${length}`, other.length, { length });
    return other;
  }

  /** Frees the memory. A second call has no effect. */
  dispose(): void {
    if (this.#block === undefined) return;
    this.space.release(this.#block);
    this.#block = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A vector in the shared heap. The caller's thread reads and writes its numbers directly. */
export class HeapVector<A extends FloatArray = FloatArray> extends Vector<A> {
  declare readonly space: SharedSpace;
  readonly #data: A;

  /** A vector of zeros. @throws SparlaneError `heap` if it does not fit. */
  constructor(space: SharedSpace, type: FloatArrayConstructor, length: number) {
    super(space, type, length);
    this.#data = space.heap.view<FloatArray>(type, this.block, length).fill(0) as A;
  }

  get heap(): Heap {
    return this.space.heap;
  }

  /** The numbers: a Float64Array or Float32Array over the shared memory. Not to be used after `dispose`. */
  get data(): A {
    // A disposed vector has no block.
    void this.block;
    return this.#data;
  }

  /** Byte address of element 0 in the shared memory. */
  get address(): number {
    return this.block;
  }

  override like(): HeapVector<A> {
    return new HeapVector<A>(this.space, this.type, this.length);
  }

  override fill(value: number): this {
    this.space.refuseRecording('fill');
    this.data.fill(value);
    return this;
  }
}
