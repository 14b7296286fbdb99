/**
 * Factors of a preconditioner in the heap, and the tasks that compute them and solve with them. Kernels: `assembly/factor.ts`,
 * `assembly/trsv.ts`. Rows are cut into blocks of fixed length without entries between them, so a solve is one fork-join without any
 * other wait, and the bits depend on neither threads nor parts.
 *
 * Layout of (I + L) of 4 rows in blocks of 2, `lu`: L has l₁₀ and l₃₂, whose columns count from the first row of the block
 *
 *     lowerPtr   0 0 1 1 2
 *     lowerIdx     0   0        u16; u32 and the whole number if a block has more than 65536 rows
 *     lower        l   l        f64, or f32
 *     inverse    d d d d        1 / d
 *
 * Cost: a solve reads (2 + V) bytes per entry of the factors, 4 per row and pointer, 4 per element of x and y for `order`, and three
 *   vectors; `cholesky` reads its one triangle again from a cache.
 */
import { evenly, type Span } from '../../core/span.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../../core/types.js';
import { MAX_PARTS } from '../../execution/carries.js';
import { partition, taskOver, threadsFor } from '../../execution/partition.js';
import type { Task } from '../../execution/task.js';
import { ALONE_BELOW } from '../../formats/format.js';
import { passKernelName, type TriangularForm, triangularKernelName } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Vector } from '../../memory/vector.js';
import type { TeamContext } from './backend.js';

export const TRIANGLES_HEADER = [
  'rows',
  'blockRows',
  'order',
  'work',
  'inverse',
  'lowerPtr',
  'lowerIdx',
  'lower',
  'upperPtr',
  'upperIdx',
  'upper',
] as const;

export const FACTOR_HEADER = ['triangles', 'isDefinite', 'diagonal', 'sums', 'dense', 'shifts', 'status'] as const;

/** Columns of 16 bits reach this far. */
const NARROW = 2 ** 16;

/** Entries that take as long as the rest of a row: two pointers, two elements of `order`, three of vectors. */
const ROW_WORK = 4;

/** Strictly triangular rows in the order of a solve; columns ascend, and lie in the block of their row. */
export interface Triangle {
  readonly ptr: Uint32Array;
  readonly idx: Uint32Array;
}

export interface TrianglesPattern {
  readonly rows: number;
  readonly blockRows: number;
  /** The element of x and y of each row; undefined: its number. */
  readonly order: Uint32Array | undefined;
  readonly lower: Triangle;
  /** For `lu`. */
  readonly upper: Triangle | undefined;
  /** For `lu` in one block: the solve in stages, one after the other. Default: block by block. */
  readonly stages?: readonly SolveStage[] | undefined;
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

/** Written by the caller; read by factorizations that are asked for. */
const OPEN = 0xffff_ffff;
const DONE = 0;

/** With so many blocks per thread, a part is two blocks: the kernel solves them in turn. With fewer, threads would wait for the last part. */
const PAIRED_FROM = 8;

/** Least work of a part of a stage, some 5 µs: ten times what a fork-join takes. Stages that are too small for two parts are joined. */
const PART_WORK = 2 ** 13;

/** Shifts that are tried after 0: the first one, and how they grow. Twice the sums make any row dominant by its diagonal. */
const FIRST_SHIFT = 1e-3;
const GROWTH = 2;
const LAST_SHIFT = 8;

export class Triangles implements Disposable {
  readonly blocks: number;
  readonly blockRows: number;
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
  /** One after the other. */
  readonly #solve: readonly Task[];

  /** @throws SparlaneError `heap` if it does not fit */
  constructor(context: TeamContext, form: TriangularForm, pattern: TrianglesPattern, dtype: Dtype) {
    const { heap } = context;
    const { rows, blockRows, order, lower, upper } = pattern;
    this.#context = context;
    this.#form = form;
    this.#pattern = pattern;
    this.#dtype = dtype;
    this.blockRows = blockRows;
    this.blocks = Math.ceil(rows / blockRows);
    const scope = heap.scope();
    this.#scope = scope;
    try {
      const values = (triangle: Triangle | undefined) =>
        scope.array<FloatArray>(valueArray(dtype), triangle?.idx.length ?? 0);
      const vector = () => scope.array<FloatArray>(vectorArray(dtype), rows);
      const index = (triangle: Triangle | undefined) => triangle && this.#placeColumns(triangle);
      this.lower = values(lower);
      this.upper = values(upper);
      this.inverse = vector();
      this.#header = placeHeader(scope, TRIANGLES_HEADER, {
        ...{ rows, blockRows, work: vector(), inverse: this.inverse },
        order: order && scope.copy(Uint32Array, order),
        ...{ lowerPtr: scope.copy(Uint32Array, lower.ptr), lowerIdx: index(lower), lower: this.lower },
        ...{ upperPtr: upper && scope.copy(Uint32Array, upper.ptr), upperIdx: index(upper), upper: this.upper },
      });
      this.#solve =
        pattern.stages === undefined ? [this.#task('trsv', this.#header, scope)] : this.#passes(pattern.stages);
    } catch (error) {
      scope[Symbol.dispose]();
      throw error;
    }
  }

  get bytes(): number {
    return this.#scope.bytes;
  }

  /** Entries of the factors, with the diagonal. */
  get entries(): number {
    return this.lower.length + this.upper.length + this.inverse.length;
  }

  get #isNarrow(): boolean {
    return this.#pattern.stages === undefined && Math.min(this.blockRows, this.#pattern.rows) <= NARROW;
  }

  /**
   * Replaces the values of A by those of the factors. A block that breaks down is filled again and factored with a shift.
   *
   * @param isDefinite whether pivots must be positive
   * @param fill writes the values of A for the rows [begin, end) to `lower` and `upper`
   * @returns the largest shift, as a multiple of the sums; undefined if none helps, as for a matrix with NaN
   * @throws SparlaneError `heap` if there is no room for three vectors; `kernel` or `backend` as products do
   */
  factor(
    { diagonal, sums }: Pivots,
    isDefinite: boolean,
    fill: (begin: number, end: number) => void,
  ): number | undefined {
    const { rows } = this.#pattern;
    using scope = this.#context.heap.scope();
    const copy = (numbers: FloatArray) => scope.copy<FloatArray>(vectorArray(this.#dtype), numbers);
    const shifts = scope.array(Float64Array, this.blocks).fill(0);
    const status = scope.array(Uint32Array, this.blocks).fill(OPEN);
    const header = placeHeader(scope, FACTOR_HEADER, {
      ...{ triangles: this.#header, isDefinite: Number(isDefinite) },
      ...{ diagonal: copy(diagonal), sums: copy(sums) },
      dense: scope.array<FloatArray>(vectorArray(this.#dtype), rows).fill(0),
      ...{ shifts, status },
    });
    const task = this.#task('factor', header, scope);
    fill(0, rows);
    for (;;) {
      this.#context.team.run(task, 0, 0, 0, 0);
      if (status.every((state) => state === DONE)) return Math.max(0, ...shifts);
      for (let block = 0; block < this.blocks; block++) {
        if (status[block] === DONE) continue;
        const shift = shifts[block]! === 0 ? FIRST_SHIFT : GROWTH * shifts[block]!;
        if (shift > LAST_SHIFT) return undefined;
        shifts[block] = shift;
        status[block] = OPEN;
        fill(block * this.blockRows, Math.min((block + 1) * this.blockRows, rows));
      }
    }
  }

  /** y ← α M⁻¹ x + β y */
  run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { team } = this.#context;
    const tasks = this.#solve;
    const last = tasks.length - 1;
    for (let k = 0; k < last; k++) team.queue(tasks[k]!, x.block, y.block, alpha, beta);
    if (team.holds) team.queue(tasks[last]!, x.block, y.block, alpha, beta);
    else team.run(tasks[last]!, x.block, y.block, alpha, beta);
  }

  #task(step: 'trsv' | 'factor', header: number, scope: HeapScope): Task {
    const { kernels, team } = this.#context;
    const kernel = kernelIndex(kernels, triangularKernelName(this.#form, this.#isNarrow, step, this.#dtype));
    const work = this.entries + ROW_WORK * this.#pattern.rows;
    const isAlone = team.size === 1 || work < ALONE_BELOW;
    const wanted = Math.ceil(this.blocks / (this.blocks < PAIRED_FROM * team.size ? 1 : 2));
    const parts = isAlone ? 1 : Math.min(wanted, MAX_PARTS);
    return taskOver(scope, evenly(this.blocks), parts, { kernel, header, workers: threadsFor(work, team.size) });
  }

  /** The forward pass, stage after stage, and then the other one. */
  #passes(stages: readonly SolveStage[]): Task[] {
    const { kernels, team } = this.#context;
    const ranges = this.#ranges(stages).map((bounds) => {
      const work = this.#workBefore(bounds.at(-1)!) - this.#workBefore(bounds[0]!);
      return { bounds: bounds.length === 2 ? bounds : this.#scope.copy(Uint32Array, bounds), work };
    });
    const tasks = (pass: 'lower' | 'upper') => {
      const kernel = kernelIndex(kernels, passKernelName(pass, this.#dtype));
      return ranges.map(({ bounds, work }): Task => {
        return { kernel, header: this.#header, bounds, workers: threadsFor(work, team.size) };
      });
    };
    return [...tasks('lower'), ...tasks('upper').reverse()];
  }

  /** The rows of the parts of each stage. Rows of one part are solved in order, so stages of one part are joined. */
  #ranges(stages: readonly SolveStage[]): Uint32Array[] {
    const ranges: Uint32Array[] = [];
    const { size } = this.#context.team;
    let joined: Uint32Array | undefined;
    for (const { units, rowOf } of stages) {
      const first = rowOf(0);
      const base = this.#workBefore(first);
      const span: Span = { units, workBefore: (unit) => this.#workBefore(rowOf(unit)) - base };
      const parts = size === 1 ? 1 : Math.min(MAX_PARTS, units, Math.floor(span.workBefore(units) / PART_WORK));
      if (parts > 1) {
        ranges.push(partition(span, parts).map(rowOf));
        joined = undefined;
      } else if (joined === undefined) {
        joined = Uint32Array.of(first, rowOf(units));
        ranges.push(joined);
      } else joined[1] = rowOf(units);
    }
    return ranges.length === 0 ? [Uint32Array.of(0, 0)] : ranges;
  }

  #workBefore(row: number): number {
    return this.#pattern.lower.ptr[row]! + ROW_WORK * row;
  }

  #placeColumns({ ptr, idx }: Triangle): Uint16Array | Uint32Array {
    if (!this.#isNarrow) return this.#scope.copy(Uint32Array, idx);
    const { rows, blockRows } = this.#pattern;
    const placed = this.#scope.array(Uint16Array, idx.length);
    for (let first = 0; first < rows; first += blockRows) {
      const end = ptr[Math.min(first + blockRows, rows)]!;
      for (let k = ptr[first]!; k < end; k++) placed[k] = idx[k]! - first;
    }
    return placed;
  }

  /** Frees the memory; called once. */
  [Symbol.dispose](): void {
    this.#context.team.flush();
    this.#scope[Symbol.dispose]();
  }
}
