/** The vectors of a basis in the heap, in panels: blocks of 8 columns. */
import { Owned } from '../../core/owned.js';
import { Scalar } from '../../memory/scalar.js';
import { Vector } from '../../memory/vector.js';
import type { ColumnStore, VectorKind } from './column-store.js';

/** Columns of a panel: a row of f64 is one cache line. */
const WIDTH = 8;

/** Blocks of 8 columns, and the columns after the last full block as vectors: a column is not put into a block, which would touch all of its lines, before 8 of them are. */
export class PanelStore implements ColumnStore {
  readonly #kind: VectorKind;
  readonly #owned = new Owned();
  /** The full blocks. */
  #panels: Vector[] = [];
  /** The columns after the last full block, fewer than 8. */
  #tail: Vector[] = [];
  /** Blocks and columns that are not in use. */
  readonly #spare: Vector[] = [];
  readonly #spareColumns: Vector[] = [];
  readonly #dots: readonly Scalar[];
  /** Blocks of coefficients, by their shape. */
  readonly #smalls = new Map<string, Vector>();

  constructor(kind: VectorKind) {
    this.#kind = kind;
    this.#dots = Array.from({ length: WIDTH }, () => this.#owned.own(new Scalar(kind.space)));
  }

  put(j: number, w: Vector): void {
    this.#truncate(j);
    this.#tail.push(this.#newColumn().copyFrom(w));
    if (this.#tail.length === WIDTH) this.#pack();
  }

  copyTo(j: number, x: Vector): void {
    const inTail = j - WIDTH * this.#panels.length;
    if (inTail >= 0) x.copyFrom(this.#tail[inTail]!);
    else this.#panels[Math.floor(j / WIDTH)]!.copyColumnTo(j % WIDTH, x);
  }

  project(size: number, w: Vector): Float64Array {
    this.#truncate(size);
    const coefficients = new Float64Array(size);
    // A row of coefficients, wᵀ V, keeps the sums of 8 columns in registers; a column of them, Vᵀ w, those of two.
    const row = this.#smallOf(1, WIDTH);
    for (const [p, panel] of this.#panels.entries()) {
      w.gram(panel, row);
      coefficients.set(row.toArray() as Float64Array, WIDTH * p);
    }
    const dots = this.#dots.slice(0, this.#tail.length);
    w.dots(this.#tail, dots);
    for (const [t, { value }] of dots.entries()) coefficients[WIDTH * this.#panels.length + t] = value;
    return coefficients;
  }

  add(x: Vector, c: Float64Array, alpha: number, beta: number): void {
    this.#truncate(c.length);
    const column = this.#smallOf(WIDTH, 1);
    for (const [p, panel] of this.#panels.entries())
      x.combine(panel, column.set(c.slice(WIDTH * p, WIDTH * (p + 1))), alpha, p === 0 ? beta : 1);
    const rest = Array.from(c.subarray(WIDTH * this.#panels.length), (value) => alpha * value);
    const tail = this.#tail.slice(0, rest.length);
    if (this.#panels.length === 0) x.axpby(rest.shift()!, tail.shift()!, beta);
    x.axpys(rest, tail);
  }

  projectBlock(size: number, W: Vector): Float64Array {
    this.#truncate(size);
    const { columns } = W;
    const found = new Float64Array(size * columns);
    this.#each((of, begin) => {
      const width = of.columns;
      const small = this.#smallOf(columns, width);
      W.gram(of, small);
      const part = small.toArray() as Float64Array;
      for (let j = 0; j < width; j++)
        for (let c = 0; c < columns; c++) found[(begin + j) * columns + c] = part[c * width + j]!;
    });
    return found;
  }

  subtractBlock(W: Vector, C: Float64Array, size: number): void {
    this.#truncate(size);
    const { columns } = W;
    this.#each((of, begin) => {
      const part = C.slice(begin * columns, (begin + of.columns) * columns);
      W.combine(of, this.#smallOf(of.columns, columns).set(part), -1, 1);
    });
  }

  /** Visits all panels and columns, with the number of columns before each. */
  #each(visit: (of: Vector, begin: number) => void): void {
    for (const [p, panel] of this.#panels.entries()) visit(panel, WIDTH * p);
    for (const [t, column] of this.#tail.entries()) visit(column, WIDTH * this.#panels.length + t);
  }

  /** A block of coefficients of this shape, whose numbers are undefined. */
  #smallOf(rows: number, columns: number): Vector {
    const key = `${rows} × ${columns}`;
    const known = this.#smalls.get(key);
    if (known !== undefined) return known;
    const made = this.#owned.own(new Vector(this.#kind.space, Float64Array, rows, undefined, columns));
    this.#smalls.set(key, made);
    return made;
  }

  /** Reads no panel for 8 × 8 elements of Q, from a multiple of 8 on, that are all 0. */
  rotate(Q: Float64Array, size: number, columns: number): void {
    this.#truncate(size);
    if (this.#tail.length > 0) this.#pack();
    const square = this.#smallOf(WIDTH, WIDTH);
    const inPanels = columns - (columns % WIDTH);
    const panels: Vector[] = [];
    for (let begin = 0; begin < inPanels; begin += WIDTH) {
      const target = this.#newPanel();
      panels.push(target);
      let isEmpty = true;
      for (const [p, panel] of this.#panels.entries()) {
        const tile = tileOf(Q, size, columns, WIDTH * p, begin);
        if (tile.every((value) => value === 0)) continue;
        target.combine(panel, square.set(tile), 1, isEmpty ? 0 : 1);
        isEmpty = false;
      }
      if (isEmpty) target.fill(0);
    }
    const tail: Vector[] = [];
    for (let j = inPanels; j < columns; j++) {
      const c = new Float64Array(WIDTH * this.#panels.length);
      for (let i = 0; i < size; i++) c[i] = Q[i * columns + j]!;
      const target = this.#newColumn();
      if (c.length === 0) target.fill(0);
      else this.add(target, c, 1, 0);
      tail.push(target);
    }
    this.#spare.push(...this.#panels);
    this.#panels = panels;
    this.#tail = tail;
  }

  /** The tail becomes a panel, in one pass. What is beyond its end are copies of its last column, which every operation takes times 0. */
  #pack(): void {
    const last = this.#tail.length - 1;
    const panel = this.#newPanel();
    panel.setColumns(Array.from({ length: WIDTH }, (_, j) => this.#tail[Math.min(j, last)]!));
    this.#panels.push(panel);
    this.#spareColumns.push(...this.#tail.splice(0));
  }

  /** Forgets the columns from `size` on. */
  #truncate(size: number): void {
    const inTail = size - WIDTH * this.#panels.length;
    if (inTail >= 0) {
      this.#spareColumns.push(...this.#tail.splice(inTail));
      return;
    }
    this.#spareColumns.push(...this.#tail.splice(0));
    this.#spare.push(...this.#panels.splice(Math.ceil(size / WIDTH)));
    if (size % WIDTH === 0) return;
    const panel = this.#panels.pop()!;
    for (let j = 0; j < size % WIDTH; j++) {
      const column = this.#newColumn();
      panel.copyColumnTo(j, column);
      this.#tail.push(column);
    }
    this.#spare.push(panel);
  }

  #newPanel(): Vector {
    const { space, vectorType, cols } = this.#kind;
    return this.#spare.pop() ?? this.#owned.own(new Vector(space, vectorType, cols, undefined, WIDTH));
  }

  #newColumn(): Vector {
    const { space, vectorType, cols } = this.#kind;
    return this.#spareColumns.pop() ?? this.#owned.own(new Vector(space, vectorType, cols));
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

/** WIDTH rows and columns of Q from these on; there are zeros beyond its end. */
function tileOf(Q: Float64Array, size: number, columns: number, firstRow: number, firstColumn: number): Float64Array {
  const tile = new Float64Array(WIDTH * WIDTH);
  for (let i = 0; i < Math.min(WIDTH, size - firstRow); i++)
    for (let j = 0; j < Math.min(WIDTH, columns - firstColumn); j++)
      tile[i * WIDTH + j] = Q[(firstRow + i) * columns + firstColumn + j]!;
  return tile;
}
