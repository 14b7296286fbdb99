/**
 * Factors of a preconditioner in the heap, the tasks that compute them, and solves in stages: threads claim chunks of rows in order
 * (`ordered.ts`), and the bits depend on neither threads nor chunks. Kernels: `assembly/triangular/factor.ts`, `assembly/triangular/ordered.ts`; solves in
 * blocks: `sliced-triangles.ts`.
 *
 * Layout of (I + L) of 4 rows, `lu`: L has l₁₀ and l₃₂
 *
 *     lowerPtr   0 0 1 1 2
 *     lowerIdx     0   2        u32
 *     lower        l   l        f64, or f32
 *     inverse    d d d d        1 / d
 *
 * Cost: a solve reads (4 + V) bytes per entry of the factors, 4 per row and pointer, 4 per element of x and y for `order`, and three
 *   vectors.
 */

import type { TeamContext } from '../../backends/team/backend.js';
import { OrderedTask, type PlacedChunks, placeChunks } from '../../backends/team/ordered.js';
import type { Pattern } from '../../core/transpose.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../../core/types.js';
import { threadsFor, WORTH_IN_STAGES } from '../../execution/partition.js';
import { ALONE_BELOW } from '../../formats/format.js';
import { factorKernelName, orderedKernelName, type TriangularForm } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Vector } from '../../memory/vector.js';
import { runShares, sharesOf } from '../over-pieces.js';
import { chunksOf } from './chunks.js';
import { FACTOR_HEADER, PIECES_HEADER, TRIANGLES_HEADER } from './headers.js';

/** Entries that take as long as the rest of a row: two pointers, two elements of `order`, three of vectors. */
const ROW_WORK = 4;

/** Strictly triangular rows in the order of a solve; columns ascend. */
export type Triangle = Pattern;

export interface TrianglesPattern {
  readonly rows: number;
  /** The element of x and y of each row; undefined: its number. */
  readonly order: Uint32Array | undefined;
  readonly lower: Triangle;
  /** For `lu`. */
  readonly upper: Triangle | undefined;
  /** In which the factors are computed. Default: one of all rows. */
  readonly pieces?: RowPieces | undefined;
  /** For `lu`: those of a solve, one after the other. Default: the factors are only computed. */
  readonly stages?: readonly SolveStage[] | undefined;
  /** Whether a device solves, which needs the units of the stages. */
  readonly onDevice?: boolean;
}

/** Consecutive rows. Pieces of one stage do not need each other. */
export interface RowPieces {
  /** pieces + 1: the first row of each. */
  readonly ptr: Uint32Array;
  /** The number of pieces of each stage. */
  readonly stages: readonly number[];
}

/** Consecutive rows in units that do not depend on each other. */
export interface SolveStage {
  readonly units: number;
  /** The first row of a unit; of `units`: the row after the last one. */
  readonly rowOf: (unit: number) => number;
}

/** The diagonal and the sums of the moduli of the rows, in the order of the rows. */
export interface Pivots {
  readonly diagonal: FloatArray;
  readonly sums: FloatArray;
}

/** A factorization has this status if all its pivots are usable. Kernels know it. */
export const FACTORED = 0;

/** Bytes for each entry of the factors that the rows in work may take in a factorization, a whole vector for each thread. */
const DENSE_BYTES = 16;

/** So many rows of L of `cholesky` are factored at once if they have the same columns. Kernels know it. */
export const ROWS_AT_ONCE = 4;
/** Rows of L are factored so if they have as many entries on average. */
const GROUPED_ROWS = 8;

/** Shifts that are tried after 0: the first one, and how they grow. Twice the sums make any row dominant by its diagonal. */
const FIRST_SHIFT = 1e-3;
const GROWTH = 2;
const LAST_SHIFT = 8;

export class Triangles implements Disposable {
  /** Values, which the caller fills in: those of A for `factor`, or those of the factors. */
  readonly lower: FloatArray;
  readonly upper: FloatArray;
  readonly inverse: FloatArray;
  readonly #context: TeamContext;
  readonly #form: TriangularForm;
  readonly #pattern: TrianglesPattern;
  readonly #dtype: Dtype;
  readonly #scope: HeapScope;
  readonly #header: number;
  /** Undefined without stages. */
  readonly #chunks: PlacedChunks | undefined;
  /** Threads that take chunks. */
  readonly #shares: number;
  /** Undefined where nothing is solved in the heap. */
  readonly #solve: OrderedTask | undefined;

  /** @throws SparlaneError `heap` if it does not fit */
  constructor(context: TeamContext, form: TriangularForm, pattern: TrianglesPattern, dtype: Dtype) {
    const { heap } = context;
    const { rows, order, lower, upper, stages } = pattern;
    this.#context = context;
    this.#form = form;
    this.#pattern = pattern;
    this.#dtype = dtype;
    const scope = heap.scope();
    this.#scope = scope;
    try {
      const values = (triangle: Triangle | undefined) =>
        scope.array<FloatArray>(valueArray(dtype), triangle?.idx.length ?? 0);
      const vector = () => scope.array<FloatArray>(vectorArray(dtype), rows);
      const words = (array: Uint32Array | undefined) =>
        array === undefined || heap.owns(array) ? array : scope.copy(Uint32Array, array);
      this.lower = values(lower);
      this.upper = values(upper);
      this.inverse = vector();
      this.#header = placeHeader(scope, TRIANGLES_HEADER, {
        ...{ rows, order: words(order), work: vector(), inverse: this.inverse },
        ...{ lowerPtr: words(lower.ptr), lowerIdx: words(lower.idx), lower: this.lower },
        ...{ upperPtr: words(upper?.ptr), upperIdx: words(upper?.idx), upper: this.upper },
        ...placeStages(scope, pattern),
      });
      const chunks = stages && chunksOf(pattern, stages, this.#workers);
      this.#chunks = chunks && placeChunks(scope, chunks);
      this.#shares = chunks === undefined ? 1 : Math.min(this.#workers, chunks.width);
      const solves = this.#chunks !== undefined && pattern.onDevice !== true;
      this.#solve = solves
        ? new OrderedTask(scope, this.#chunks, this.#kernel('trsv'), this.#header, this.#shares)
        : undefined;
    } catch (error) {
      scope[Symbol.dispose]();
      throw error;
    }
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  /** For the kernels of a device. */
  get header(): number {
    return this.#header;
  }

  /** Entries of the factors, with the diagonal. */
  get entries(): number {
    return this.lower.length + this.upper.length + this.inverse.length;
  }

  /**
   * Replaces the values of A by those of the factors. If a pivot is not usable, it begins again with a shift.
   *
   * @param fillPivots writes them
   * @param isDefinite whether pivots must be positive
   * @param fill writes the values of A to `lower` and `upper`
   * @returns the shift, as a multiple of the sums; undefined if none helps, as for a matrix with NaN
   * @throws SparlaneError `heap` if there is no room for the rows in work; `kernel` or `backend` as products do
   */
  factor(fillPivots: (pivots: Pivots) => void, isDefinite: boolean, fill: () => void): number | undefined {
    using scope = this.#context.heap.scope();
    const vector = () => scope.array<FloatArray>(vectorArray(this.#dtype), this.#pattern.rows);
    const pivots = { diagonal: vector(), sums: vector() };
    fillPivots(pivots);
    const shift = scope.array(Float64Array, 1);
    const status = scope.array(Uint32Array, 1);
    const words = {
      ...{ triangles: this.#header, isDefinite: Number(isDefinite) },
      ...{ ...pivots, shift, status },
    };
    const lanes = this.#lanes;
    const dense = () => scope.array<FloatArray>(vectorArray(this.#dtype), lanes * this.#pattern.rows).fill(0);
    const factorHeader = () => placeHeader(scope, FACTOR_HEADER, { ...words, lanes, dense: dense() });
    const run = this.#factorization(scope, factorHeader);
    for (shift[0] = 0; shift[0]! <= LAST_SHIFT; shift[0] = shift[0] === 0 ? FIRST_SHIFT : GROWTH * shift[0]!) {
      fill();
      status[0] = FACTORED;
      run();
      if (status[0] === FACTORED) return shift[0];
    }
    return undefined;
  }

  /** @param header places a header with a `dense` of its own @returns what computes the factors */
  #factorization(scope: HeapScope, header: () => number): () => void {
    const { heap, team } = this.#context;
    const most = Math.max(
      1,
      Math.ceil((DENSE_BYTES * this.entries) / Math.max(this.#lanes * this.inverse.byteLength, 1)),
    );
    const headers = (count: number) => scope.copy(Uint32Array, Uint32Array.from({ length: count }, header));
    const workers = Math.min(this.#shares, most);
    if (this.#chunks !== undefined && workers > 1) {
      const factor = this.#kernel('factor');
      const ordered = new OrderedTask(scope, this.#chunks, factor, headers(workers), workers);
      return () => team.run(ordered.ready(), 0, 0, 0, 0);
    }
    const { rows, pieces = { ptr: Uint32Array.of(0, rows), stages: [1] } } = this.#pattern;
    const shares = Math.min(sharesOf(this.#context, this.entries, Math.max(...pieces.stages)), most);
    const kernel = factorKernelName(this.#form, this.#dtype);
    const words = { piecePtr: scope.copy(Uint32Array, pieces.ptr), factors: headers(shares) };
    return () => {
      using work = heap.scope();
      const next = work.array(Uint32Array, 1);
      let end = 0;
      for (const count of pieces.stages) {
        next[0] = end;
        end += count;
        runShares(this.#context, { kernel, layout: PIECES_HEADER, words: { ...words, next, end } }, shares);
      }
    };
  }

  /** y ← α M⁻¹ x + β y. For a pattern with stages, which no device solves. */
  run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { team } = this.#context;
    const task = this.#solve!.ready();
    if (team.holds) team.queue(task, x.block, y.block, alpha, beta);
    else team.run(task, x.block, y.block, alpha, beta);
  }

  /** Elements of `dense` for each row. */
  get #lanes(): number {
    return this.#form === 'cholesky' && this.lower.length >= GROUPED_ROWS * this.inverse.length ? ROWS_AT_ONCE : 1;
  }

  /** The kernel over chunks. */
  #kernel(step: 'trsv' | 'factor'): number {
    return kernelIndex(this.#context.kernels, orderedKernelName(step, this.#dtype));
  }

  /** Most threads of a solve in stages. */
  get #workers(): number {
    const { size } = this.#context.team;
    const work = this.entries + ROW_WORK * this.#pattern.rows;
    return work < ALONE_BELOW ? 1 : threadsFor(work, size, WORTH_IN_STAGES);
  }

  /** Frees the memory; called once. */
  [Symbol.dispose](): void {
    this.#context.team.flush();
    this.#scope[Symbol.dispose]();
  }
}

/** The words of the header that only a device reads. */
function placeStages(scope: HeapScope, { rows, stages = [], onDevice = false }: TrianglesPattern) {
  if (!onDevice) return { stages: 0, stagePtr: undefined, unitPtr: undefined };
  const stagePtr = scope.array(Uint32Array, stages.length + 1).fill(0);
  stages.forEach(({ units }, stage) => {
    stagePtr[stage + 1] = stagePtr[stage]! + units;
  });
  const unitPtr = scope.array(Uint32Array, stagePtr.at(-1)! + 1);
  stages.forEach(({ units, rowOf }, stage) => {
    for (let unit = 0; unit < units; unit++) unitPtr[stagePtr[stage]! + unit] = rowOf(unit);
  });
  unitPtr[unitPtr.length - 1] = rows;
  return { stages: stages.length, stagePtr, unitPtr };
}
