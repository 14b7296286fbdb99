/** The vectors of a basis, one by one: on a device, which has no kernels for blocks. */
import { Owned } from '../../core/owned.js';
import type { VectorOperation } from '../../memory/space.js';
import { Vector } from '../../memory/vector.js';
import type { ColumnStore, VectorKind } from './column-store.js';

/** One vector for each column. All dot products of `project` are queued before the host reads them at once. */
export class VectorStore implements ColumnStore {
  readonly #kind: VectorKind;
  readonly #owned = new Owned();
  #columns: Vector[] = [];
  readonly #spare: Vector[] = [];
  /** Results of dot products, and each of them as a block. */
  readonly #sums: Vector;
  readonly #slots: number[];

  constructor(kind: VectorKind, capacity: number) {
    this.#kind = kind;
    const { space } = kind;
    this.#sums = this.#owned.own(new Vector(space, Float64Array, Math.max(capacity, 1)));
    this.#slots = Array.from({ length: capacity }, (_, j) => space.slice(this.#sums.block, 8 * j, 8));
  }

  put(j: number, w: Vector): void {
    this.#columns[j] ??= this.#newColumn();
    this.#columns[j].copyFrom(w);
  }

  copyTo(j: number, x: Vector): void {
    x.copyFrom(this.#columns[j]!);
  }

  project(size: number, w: Vector): Float64Array {
    const dots = this.#columns
      .slice(0, size)
      .map(({ block }, j): VectorOperation => ({ kind: 'dot', x: block, y: w.block, slot: this.#slots[j]! }));
    this.#kind.space.run(w.type.BYTES_PER_ELEMENT, w.length, dots);
    return (this.#sums.toArray() as Float64Array).slice(0, size);
  }

  add(x: Vector, c: Float64Array, alpha: number, beta: number): void {
    const [first, ...others] = Array.from(c, (value) => alpha * value);
    x.axpby(first!, this.#columns[0]!, beta);
    x.axpys(others, this.#columns.slice(1, c.length));
  }

  projectBlock(size: number, W: Vector): Float64Array {
    const { columns } = W;
    const found = new Float64Array(size * columns);
    using small = new Vector(this.#kind.space, Float64Array, 1, undefined, columns);
    for (let j = 0; j < size; j++) {
      this.#columns[j]!.gram(W, small);
      found.set(small.toArray() as Float64Array, j * columns);
    }
    return found;
  }

  subtractBlock(W: Vector, C: Float64Array, size: number): void {
    const { columns } = W;
    using small = new Vector(this.#kind.space, Float64Array, 1, undefined, columns);
    for (let j = 0; j < size; j++)
      W.combine(this.#columns[j]!, small.set(C.slice(j * columns, (j + 1) * columns)), -1, 1);
  }

  rotate(Q: Float64Array, size: number, columns: number): void {
    const turned = Array.from({ length: columns }, (_, j) => {
      const target = this.#newColumn();
      const used = Array.from({ length: size }, (_, i) => i).filter((i) => Q[i * columns + j] !== 0);
      for (const [place, i] of used.entries())
        target.axpby(Q[i * columns + j]!, this.#columns[i]!, place === 0 ? 0 : 1);
      return used.length === 0 ? target.fill(0) : target;
    });
    this.#spare.push(...this.#columns);
    this.#columns = turned;
  }

  #newColumn(): Vector {
    const { space, vectorType, cols } = this.#kind;
    return this.#spare.pop() ?? this.#owned.own(new Vector(space, vectorType, cols));
  }

  [Symbol.dispose](): void {
    for (const slot of this.#slots.splice(0)) this.#kind.space.releaseSlice(slot);
    this.#owned[Symbol.dispose]();
  }
}
