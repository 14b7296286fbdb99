/** Sparse LU factors in the heap: their factorization, with pivots or with those of before, and solves. Layout: `layout.ts`. */
import type { TeamContext } from '../../backends/team/backend.js';
import { mismatch, type SparlaneError } from '../../core/errors.js';
import type { FloatArray } from '../../core/types.js';
import { kernelIndex } from '../../kernels/module.js';
import { wordsOf } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { type FactorStep, type Factors, type Prediction, SOLVED_TOGETHER } from '../method.js';
import { checkRoom } from '../symmetric/layout.js';
import type { Arrangement } from './arrange.js';
import { chunkBytes, LU_HEADER, type PlacedLu, placeLu } from './layout.js';
import { scaleRows } from './scale.js';

type Word = keyof typeof LU_HEADER;

/** The place of each word. */
const PLACES = Object.fromEntries(wordsOf(LU_HEADER).map((name, place) => [name, place])) as Readonly<
  Record<Word, number>
>;

/** A row of this place or more is no pivot yet. Kernels know it. */
export const LU_OPEN = 0x8000_0000;
/** A kernel has this status after all its columns. */
export const LU_DONE = 0;
/** A kernel has this status if its chunk is too small for the next column. */
export const LU_ROOM = 1;

/** Work of one call of a kernel, some 0.2 ms: V8 replaces its baseline code only between two calls. */
const BUDGET = 2 ** 17;
/** Time between two yields. */
const TURN_MS = 5;
/** How large a further chunk is beside those before. */
const GROWTH = 0.25;
/**
 * The diagonal is the pivot if it is at least this share of the largest entry of its column: KLU's default, which keeps the fill low. Where entries
 * grow by more than `MOST_GROWTH`, too many digits are lost to refine the solution, and the largest entry is the pivot everywhere.
 */
const TOLERANCE = 0.001;
const PARTIAL_PIVOTING = 1;
const MOST_GROWTH = 2 ** 24;

export class SparseLu implements Factors {
  readonly #context: TeamContext;
  readonly #arrangement: Arrangement;
  readonly #rowPtr: Uint32Array;
  readonly #scope: HeapScope;
  readonly #placed: PlacedLu;
  readonly #chunks: { readonly address: number; readonly bytes: number }[] = [];
  /** Whether there are pivots and patterns that another matrix can use. */
  #hasPivots = false;
  #disposed = false;

  /** @param rowPtr of the caller's matrix @throws SparlaneError `heap` if it does not fit */
  constructor(context: TeamContext, arrangement: Arrangement, rowPtr: Uint32Array, prediction: Prediction) {
    this.#context = context;
    this.#arrangement = arrangement;
    this.#rowPtr = rowPtr;
    checkRoom(context.heap, prediction.bytes);
    const scope = context.heap.scope();
    this.#scope = scope;
    try {
      this.#placed = placeLu(scope, arrangement, BUDGET);
      this.#addChunk(chunkBytes(prediction.entries, arrangement.size));
    } catch (error) {
      scope[Symbol.dispose]();
      throw error;
    }
  }

  get entries(): number {
    return this.#placed.totals[1]!;
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  get flops(): number {
    return this.#placed.totals[0]!;
  }

  get pivots(): Factors['pivots'] {
    return { offDiagonal: this.#word('offDiagonal'), twoByTwo: 0, perturbed: 0 };
  }

  get logDeterminant(): Factors['logDeterminant'] {
    let log = 0;
    let sign = parityOf(this.#placed.rowOf) * parityOf(this.#arrangement.colOrder);
    this.#placed.pivots.forEach((pivot, k) => {
      log += Math.log(Math.abs(pivot)) - Math.log(this.#placed.scaleOf[k]!);
      if (pivot < 0) sign = -sign;
    });
    return { log, sign };
  }

  *refactor(values: FloatArray): Generator<FactorStep, void> {
    using work = this.#context.heap.scope();
    this.#placeValues(work, values);
    if (this.#hasPivots && (yield* this.#again())) return;
    for (const tolerance of [TOLERANCE, PARTIAL_PIVOTING]) {
      this.#hasPivots = yield* this.#withPivoting(tolerance);
      if (this.#placed.totals[2]! <= MOST_GROWTH) break;
    }
    if (!this.#hasPivots) throw this.#singular(this.#word('next'));
  }

  /** Copies the values to the heap, and scales the rows. */
  #placeValues(work: HeapScope, values: FloatArray): void {
    const { heap } = this.#context;
    const inHeap = values instanceof Float64Array && heap.owns(values) ? values : work.copy(Float64Array, values);
    this.#setWord('values', inHeap.byteOffset);
    scaleRows(this.#rowPtr, inHeap, this.#arrangement.rowOrder, this.#placed.scale);
  }

  /** The same pivots; false if one is too small now. */
  *#again(): Generator<FactorStep, boolean> {
    this.#placed.work.fill(0, 0, this.#arrangement.size);
    this.#placed.totals.set([0, this.entries, 0, TOLERANCE]);
    this.#hasPivots = false;
    if ((yield* this.#columns('lu_again')) !== LU_DONE || !(this.#placed.totals[2]! <= MOST_GROWTH)) return false;
    this.#hasPivots = true;
    this.#orderRows();
    return true;
  }

  /** @returns whether each column has a pivot; otherwise `next` is the first one that has none */
  *#withPivoting(tolerance: number): Generator<FactorStep, boolean> {
    const { size } = this.#arrangement;
    this.#placed.work.fill(0, 0, 2 * size);
    this.#placed.totals.set([0, 0, 0, tolerance]);
    this.#setWord('offDiagonal', 0);
    for (let k = 0; k < size; k++) {
      this.#placed.place[k] = LU_OPEN + k;
      this.#placed.diagonal[k] = k;
    }
    let chunk = 0;
    const open = ({ address, bytes }: { readonly address: number; readonly bytes: number }) => {
      this.#setWord('at', address);
      this.#setWord('end', address + bytes);
    };
    open(this.#chunks[0]!);
    for (let from = 0; ; from = this.#word('next')) {
      const status = yield* this.#columns('lu_columns', from);
      if (status === LU_DONE) break;
      if (status !== LU_ROOM) return false;
      // The next chunk that is large enough.
      const need = this.#word('need');
      do chunk++;
      while (chunk < this.#chunks.length && this.#chunks[chunk]!.bytes < need);
      if (chunk === this.#chunks.length) {
        const taken = this.#chunks.reduce((sum, { bytes }) => sum + bytes, 0);
        this.#addChunk(Math.max(need, GROWTH * taken));
      }
      open(this.#chunks[chunk]!);
    }
    this.#run('lu_settle', 0, size);
    this.#orderRows();
    return true;
  }

  /** Runs a kernel over the columns from `from` on, until all are done or something is in the way. @returns the status */
  *#columns(kernel: 'lu_columns' | 'lu_again', from = 0): Generator<FactorStep, number> {
    const { size } = this.#arrangement;
    let turn = performance.now();
    for (let next = from; next < size; next = this.#word('next')) {
      this.#run(kernel, next, size);
      if (this.#word('status') !== LU_DONE) return this.#word('status');
      const now = performance.now();
      if (now - turn < TURN_MS) continue;
      turn = now;
      yield { stage: 'factor', done: this.#word('next') / size };
    }
    return LU_DONE;
  }

  /** Rows by their pivots, for solves. */
  #orderRows(): void {
    const { size, rowOrder } = this.#arrangement;
    for (let k = 0; k < size; k++) {
      const row = this.#placed.diagonal[k]!;
      this.#placed.rowOf[k] = rowOrder[row]!;
      this.#placed.scaleOf[k] = this.#placed.scale[row]!;
    }
  }

  #singular(k: number): SparlaneError {
    const column = this.#arrangement.colOrder[k]!;
    return mismatch(
      'structure',
      'matrix',
      'a regular one',
      `no pivot for column ${column}: its entries cancel or overflow`,
      {
        column,
      },
    );
  }

  solve(x: Float64Array, columns: number): void {
    const { size } = this.#arrangement;
    for (let j = 0; j < columns; j += SOLVED_TOGETHER)
      this.#run(
        'lu_solve',
        0,
        1,
        this.#placed.solving,
        x.byteOffset + 8 * size * j,
        Math.min(SOLVED_TOGETHER, columns - j),
      );
  }

  #run(name: string, begin: number, end: number, header = this.#placed.header.byteOffset, x = 0, columns = 1): void {
    const { team, kernels } = this.#context;
    team.run({ kernel: kernelIndex(kernels, name), header, bounds: Uint32Array.of(begin, end) }, x, 0, 1, 0, columns);
  }

  #addChunk(bytes: number): void {
    const whole = 8 * Math.ceil(bytes / 8);
    this.#chunks.push({ address: this.#scope.alloc(whole), bytes: whole });
  }

  #word(name: Word): number {
    return this.#placed.header[PLACES[name]]!;
  }

  #setWord(name: Word, value: number): void {
    this.#placed.header[PLACES[name]] = value;
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#scope[Symbol.dispose]();
  }
}

/** The sign of a permutation. */
function parityOf(order: Uint32Array): 1 | -1 {
  const seen = new Uint8Array(order.length);
  let sign: 1 | -1 = 1;
  for (let start = 0; start < order.length; start++) {
    if (seen[start] === 1) continue;
    for (let at = order[start]!; at !== start; at = order[at]!) {
      seen[at] = 1;
      sign = sign === 1 ? -1 : 1;
    }
  }
  return sign;
}
