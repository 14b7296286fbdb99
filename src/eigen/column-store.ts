/** Where a basis has its vectors: panels in the heap, which has kernels for blocks; single vectors on a device, which has none. */
import { Owned } from '../core/owned.js';
import type { VectorOperation } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';

/** The operator whose x the vectors are like. */
export type VectorKind = Pick<LinearOperator, 'space' | 'vectorType' | 'cols'>;

/** Columns of vectors, the first `size` of which are in use. */
export interface ColumnStore extends Disposable {
  /** Column j ← w. @throws SparlaneError `heap` */
  put(j: number, w: Vector): void;
  copyTo(j: number, x: Vector): void;
  /** Vᵀ w */
  project(size: number, w: Vector): Float64Array;
  /** x ← alpha V c + beta x; size is not 0, and c as long. */
  add(x: Vector, c: Float64Array, alpha: number, beta: number): void;
  /** V ← V Q; Q is size × columns, row-major. @throws SparlaneError `heap` */
  rotate(Q: Float64Array, size: number, columns: number): void;
}

/** Columns of a panel: a row of f64 is one cache line. */
const WIDTH = 8;

/** Blocks of 8 columns. Columns that are not in use hold finite numbers, and every operation takes them times 0. */
export class PanelStore implements ColumnStore {
  readonly #kind: VectorKind;
  readonly #owned = new Owned();
  /** Those in use, and some more: they are made when they are needed. */
  #panels: Vector[] = [];
  /** Without contents, for the next rotation. */
  readonly #spare: Vector[] = [];
  /** Each panel has 8 coefficients, which stand in a column for products V c, and in a row for wᵀ V. */
  readonly #columnsOf: Vector[] = [];
  readonly #rows: Vector[] = [];
  readonly #square: Vector;

  constructor(kind: VectorKind) {
    this.#kind = kind;
    this.#square = this.#owned.own(new Vector(kind.space, Float64Array, WIDTH, undefined, WIDTH));
  }

  put(j: number, w: Vector): void {
    const panel = Math.floor(j / WIDTH);
    if (panel === this.#panels.length) this.#panels.push(this.#newPanel());
    this.#panels[panel]!.setColumn(j % WIDTH, w);
  }

  copyTo(j: number, x: Vector): void {
    this.#panels[Math.floor(j / WIDTH)]!.copyColumnTo(j % WIDTH, x);
  }

  project(size: number, w: Vector): Float64Array {
    const coefficients = new Float64Array(size);
    for (let begin = 0, p = 0; begin < size; begin += WIDTH, p++) {
      const small = this.#rowOf(p);
      w.gram(this.#panels[p]!, small);
      coefficients.set((small.toArray() as Float64Array).subarray(0, size - begin), begin);
    }
    return coefficients;
  }

  add(x: Vector, c: Float64Array, alpha: number, beta: number): void {
    for (let begin = 0, p = 0; begin < c.length; begin += WIDTH, p++) {
      const own = new Float64Array(WIDTH);
      own.set(c.subarray(begin, begin + WIDTH));
      x.combine(this.#panels[p]!, this.#columnOf(p).set(own), alpha, p === 0 ? beta : 1);
    }
  }

  /** Where 8 × 8 elements of Q from a multiple of 8 on are 0, nothing is read. */
  rotate(Q: Float64Array, size: number, columns: number): void {
    const turned: Vector[] = [];
    for (let begin = 0; begin < columns; begin += WIDTH) {
      const target = this.#newPanel();
      turned.push(target);
      let isEmpty = true;
      for (let first = 0, p = 0; first < size; first += WIDTH, p++) {
        const tile = tileOf(Q, size, columns, first, begin);
        if (tile.every((value) => value === 0)) continue;
        target.combine(this.#panels[p]!, this.#square.set(tile), 1, isEmpty ? 0 : 1);
        isEmpty = false;
      }
      if (isEmpty) target.fill(0);
    }
    this.#spare.push(...this.#panels);
    this.#panels = turned;
  }

  #columnOf(panel: number): Vector {
    this.#columnsOf[panel] ??= this.#owned.own(new Vector(this.#kind.space, Float64Array, WIDTH));
    return this.#columnsOf[panel];
  }

  /** wᵀ V keeps the sums of 8 columns in registers; Vᵀ w those of two. */
  #rowOf(panel: number): Vector {
    this.#rows[panel] ??= this.#owned.own(new Vector(this.#kind.space, Float64Array, 1, undefined, WIDTH));
    return this.#rows[panel];
  }

  #newPanel(): Vector {
    const { space, vectorType, cols } = this.#kind;
    const spare = this.#spare.pop();
    return spare ?? this.#owned.own(new Vector(space, vectorType, cols, undefined, WIDTH).fill(0));
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

/** Rows and columns of Q from these on, WIDTH of each, with zeros beyond its end. */
function tileOf(Q: Float64Array, size: number, columns: number, firstRow: number, firstColumn: number): Float64Array {
  const tile = new Float64Array(WIDTH * WIDTH);
  for (let i = 0; i < Math.min(WIDTH, size - firstRow); i++)
    for (let j = 0; j < Math.min(WIDTH, columns - firstColumn); j++)
      tile[i * WIDTH + j] = Q[(firstRow + i) * columns + firstColumn + j]!;
  return tile;
}

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
