/**
 * The layout of a triangular solve in slices of four rows. Rows that do not need each other are lanes of vector registers; a slice comes
 * after the slices that its rows need. Kernels: `assembly/slice-lanes.ts`, `assembly/slice-rows.ts`.
 *
 * Source: Kahn, "Topological sorting of large networks", 1962: rows become ready when what they need is done. Rows that are ready together
 *   are sorted by length, as in SELL-C-σ (Kreutzer et al. 2014).
 *
 * Layout of (I + L) of 5 rows, in which row 4 needs rows 0 and 3: two slices, the second one with three lanes that repeat its row
 *
 *     rowOf       0 1 2 3   4 4 4 4
 *     ptr         0 0 2                      steps of four entries
 *     idx         0 0 0 0   3 3 3 3          lanes; from `base` on if they fit into 16 bits
 *     from        1 1 1 1   2 2 2 2          1 + the entry; 0: padding
 *
 * Cost: per step of a slice 4 (2 + V) bytes; 24 per slice and triangle for pointers and `order`.
 */
import { transposedPattern } from '../../core/transpose.js';
import type { SliceKind } from '../../kernels/abi.js';
import type { Triangle } from './triangles.js';

/** Rows of a slice. */
const LANES = 4;

/**
 * Where the rows of L are as long on average, or so many lanes have no row of their own, slices have one row, whose entries are added in
 * lanes: elements of w that neighbours share are then read one after the other.
 */
const LONG_ROWS = 8;
const MOST_LANES = 1.5;

/** Columns of 16 bits reach this far. */
export const NARROW: number = 2 ** 16;

/** Rows that are sorted together: their elements of vectors stay near each other. */
const WINDOW = 1024;

/** The lengths of longer rows are not told apart. */
const LONGEST = 255;

/** Consecutive rows, which are solved one slice after the other. */
export interface SlicesPattern {
  readonly rows: number;
  /** Rows of L: columns before the row. */
  readonly lower: Triangle;
  /** Rows of U: columns after the row. */
  readonly upper: Triangle;
  /** The entry of L of each entry of U, if U = Lᵀ. */
  readonly turned: Uint32Array | undefined;
  /** pieces + 1: the first row of each piece. */
  readonly piecePtr: Uint32Array;
  /** The pieces in the order of the memory. */
  readonly placed: Uint32Array;
}

/** A triangle in slices. */
export interface SlicedTriangle {
  readonly ptr: Uint32Array;
  readonly base: Uint32Array;
  readonly idx: Uint16Array | Uint32Array;
  readonly from: Uint32Array;
}

export interface Slices extends Omit<Lanes, 'laneOf'> {
  /** `slices` of four rows; of one; or of up to four with one list of columns (`groups.ts`). */
  readonly kind: SliceKind;
  /** Lanes of a slice: 4 or 1. */
  readonly lanes: number;
  readonly lower: SlicedTriangle;
  readonly upper: SlicedTriangle;
}

/** Where rows are. */
export interface Lanes {
  /** The row of each lane. */
  readonly rowOf: Uint32Array;
  /** The first lane of each row. */
  readonly laneOf: Uint32Array;
  /** By piece: its first slice, and the one after its last. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
}

/** Where the rows of L are not long: in slices of four rows; otherwise, or if that leaves too many lanes empty, of one. */
export function sliceTriangles(pattern: SlicesPattern): Slices {
  const { rows, lower, upper, turned, piecePtr, placed } = pattern;
  const four = lower.idx.length < LONG_ROWS * rows ? scheduled(pattern) : undefined;
  const kind = four !== undefined && four.rowOf.length <= MOST_LANES * rows ? 'slices' : 'rows';
  const lanes = kind === 'rows' ? 1 : LANES;
  const { rowOf, laneOf, first, last } = kind === 'slices' ? four! : inOrder(rows, piecePtr, placed);
  return {
    ...{ kind, lanes, rowOf, first, last },
    lower: sliced(lower, rowOf, laneOf, lanes),
    upper: sliced(upper, rowOf, laneOf, lanes, turned),
  };
}

/** In slices of four rows. */
function scheduled({ rows, lower, upper, turned, piecePtr, placed }: SlicesPattern): Lanes {
  // In the backward pass row i needs the columns of U, so these must come later in the forward pass too.
  const own = { rows, cols: rows, nnz: lower.idx.length, rowPtr: lower.ptr, colIdx: lower.idx };
  const followers = turned === undefined ? [transposedPattern(own), upper] : [upper];
  const schedule = new Schedule(rows, lower, upper, followers);
  const [first, last] = [new Uint32Array(placed.length), new Uint32Array(placed.length)];
  for (const piece of placed) {
    first[piece] = schedule.slices;
    schedule.addPiece(piecePtr[piece]!, piecePtr[piece + 1]!);
    last[piece] = schedule.slices;
  }
  return { rowOf: schedule.rowOf(), laneOf: schedule.laneOf, first, last };
}

/** In slices of one row, in the order of the rows. */
function inOrder(rows: number, piecePtr: Uint32Array, placed: Uint32Array): Lanes {
  const [rowOf, laneOf] = [new Uint32Array(rows), new Uint32Array(rows)];
  const [first, last] = [new Uint32Array(placed.length), new Uint32Array(placed.length)];
  let lane = 0;
  for (const piece of placed) {
    first[piece] = lane;
    for (let row = piecePtr[piece]!; row < piecePtr[piece + 1]!; row++) {
      laneOf[row] = lane;
      rowOf[lane++] = row;
    }
    last[piece] = lane;
  }
  return { rowOf, laneOf, first, last };
}

/** Puts the rows of pieces into slices. */
class Schedule {
  slices = 0;
  /** The first lane of each row. */
  readonly laneOf: Uint32Array;
  readonly #lower: Triangle;
  readonly #upper: Triangle;
  readonly #followers: readonly Triangle[];
  readonly #rowOf: Uint32Array;
  /** The rows that each row waits for. */
  readonly #waits: Uint32Array;
  /** Rows in the order in which they became ready. */
  readonly #ready: Uint32Array;
  readonly #lengths: Uint8Array = new Uint8Array(WINDOW);
  readonly #window: Uint32Array = new Uint32Array(WINDOW);
  /** By length: where the next row of that length goes. */
  readonly #next: Uint32Array = new Uint32Array(LONGEST + 1);

  constructor(rows: number, lower: Triangle, upper: Triangle, followers: readonly Triangle[]) {
    this.#lower = lower;
    this.#upper = upper;
    this.#followers = followers;
    this.laneOf = new Uint32Array(rows);
    this.#rowOf = new Uint32Array(LANES * rows);
    this.#waits = new Uint32Array(rows);
    this.#ready = new Uint32Array(rows);
  }

  rowOf(): Uint32Array {
    return this.#rowOf.slice(0, LANES * this.slices);
  }

  addPiece(begin: number, end: number): void {
    const [ready, waits] = [this.#ready, this.#waits];
    for (const { ptr, idx } of this.#followers)
      for (let k = ptr[begin]!, last = ptr[end]!; k < last; k++) if (idx[k]! < end) waits[idx[k]!]!++;
    let tail = 0;
    for (let row = begin; row < end; row++) if (waits[row] === 0) ready[tail++] = row;
    for (let head = 0; head < tail; ) {
      const count = Math.min(tail - head, WINDOW);
      this.#sort(head, count, this.#upper);
      this.#sort(head, count, this.#lower);
      // The rest waits for more rows, if more can become ready.
      const stop = head + Math.max(count - (count % LANES), Math.min(count, LANES));
      tail = this.#addSlices(head, stop, end, tail);
      head = stop;
    }
  }

  /** By the lengths of the rows of a triangle, otherwise in their order. */
  #sort(head: number, count: number, { ptr }: Triangle): void {
    const [ready, lengths, window, next] = [this.#ready, this.#lengths, this.#window, this.#next];
    next.fill(0);
    let most = 0;
    for (let k = 0; k < count; k++) {
      const row = ready[head + k]!;
      const length = Math.min(ptr[row + 1]! - ptr[row]!, LONGEST);
      window[k] = row;
      lengths[k] = length;
      next[length]!++;
      if (length > most) most = length;
    }
    if (next[most] === count) return;
    for (let length = 0, at = head; length <= most; length++) {
      const rows = next[length]!;
      next[length] = at;
      at += rows;
    }
    for (let k = 0; k < count; k++) ready[next[lengths[k]!]!++] = window[k]!;
  }

  /** @param head the ready rows [head, stop): as many as fill slices, or fewer than a slice @returns the end of the ready rows */
  #addSlices(head: number, stop: number, end: number, tail: number): number {
    const [ready, waits, rowOf, laneOf, followers] = [
      this.#ready,
      this.#waits,
      this.#rowOf,
      this.laneOf,
      this.#followers,
    ];
    const begin = LANES * this.slices;
    let lane = begin;
    for (let k = head; k < stop; k++, lane++) {
      const row = ready[k]!;
      rowOf[lane] = row;
      laneOf[row] = lane;
      for (let f = 0; f < followers.length; f++) {
        const { ptr, idx } = followers[f]!;
        for (let e = ptr[row]!, last = ptr[row + 1]!; e < last; e++) {
          const follower = idx[e]!;
          if (follower < end && --waits[follower]! === 0) ready[tail++] = follower;
        }
      }
    }
    for (; lane % LANES !== 0; lane++) rowOf[lane] = rowOf[begin]!;
    this.slices = lane / LANES;
    return tail;
  }
}

/** @param turned the entry of the factor of each entry; default: its own number */
function sliced(
  triangle: Triangle,
  rowOf: Uint32Array,
  laneOf: Uint32Array,
  lanes: number,
  turned?: Uint32Array,
): SlicedTriangle {
  const { ptr: rowPtr, idx: columns } = triangle;
  const ptr = stepsOf(triangle, rowOf, lanes);
  const slices = ptr.length - 1;
  const base = new Uint32Array(slices);
  const [idx, from] = [new Uint32Array(lanes * ptr[slices]!), new Uint32Array(lanes * ptr[slices]!)];
  let isNarrow = true;
  for (let slice = 0; slice < slices; slice++) {
    const begin = lanes * ptr[slice]!;
    if (begin === lanes * ptr[slice + 1]!) continue;
    let low = rowOf.length;
    let high = 0;
    for (let lane = 0; lane < lanes; lane++) {
      const row = rowOf[lanes * slice + lane]!;
      for (let k = rowPtr[row]!, last = rowPtr[row + 1]!, at = begin + lane; k < last; k++, at += lanes) {
        const column = laneOf[columns[k]!]!;
        idx[at] = column;
        from[at] = 1 + (turned === undefined ? k : turned[k]!);
        if (column < low) low = column;
        if (column > high) high = column;
      }
    }
    base[slice] = low;
    if (high - low >= NARROW) isNarrow = false;
  }
  return { ptr, base, idx: fromBase(isNarrow, { ptr, base, idx, from }, lanes), from };
}

/** The steps of each slice: the entries of its longest row. */
function stepsOf({ ptr: rowPtr }: Triangle, rowOf: Uint32Array, lanes: number): Uint32Array {
  const ptr = new Uint32Array(rowOf.length / lanes + 1);
  for (let slice = 0, lane = 0; slice + 1 < ptr.length; slice++) {
    let steps = 0;
    for (const end = lane + lanes; lane < end; lane++) {
      const row = rowOf[lane]!;
      const length = rowPtr[row + 1]! - rowPtr[row]!;
      if (length > steps) steps = length;
    }
    ptr[slice + 1] = ptr[slice]! + steps;
  }
  return ptr;
}

/** The columns, from `base` on if all of them are narrow. A padded entry multiplies an element that is known by then by 0. */
function fromBase(isNarrow: boolean, { ptr, base, idx, from }: SlicedTriangle, lanes: number): SlicedTriangle['idx'] {
  const columns = isNarrow ? new Uint16Array(idx.length) : idx;
  for (let slice = 0; slice < base.length; slice++) {
    const low = base[slice]!;
    const origin = isNarrow ? low : 0;
    for (let k = lanes * ptr[slice]!, end = lanes * ptr[slice + 1]!; k < end; k++)
      columns[k] = (from[k] === 0 ? low : idx[k]!) - origin;
  }
  return columns;
}
