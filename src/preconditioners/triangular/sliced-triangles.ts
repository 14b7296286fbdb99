/**
 * Triangular factors in slices in the heap, and the tasks that solve with them: y ← α M⁻¹ x + β y. Pieces of a stage do not need each
 * other, so a stage is parts of one command; the bits depend on neither threads nor parts. Kernels: `assembly/triangular/slices.ts`, layout:
 * `slices.ts`.
 *
 * The factors are those of the scaled matrix: M = B⁻¹ (I + L) (I + U) A⁻¹, where the diagonals B and A are `before` and `after`. So f32
 * has the range for L and U, whatever the units of the rows are.
 */

import type { TeamContext } from '../../backends/team/backend.js';
import { evenly } from '../../core/span.js';
import { type Dtype, type FloatArray, valueArray, vectorArray } from '../../core/types.js';
import { MAX_PARTS } from '../../execution/carries.js';
import { partition, threadsFor, WORTH_IN_STAGES } from '../../execution/partition.js';
import type { TeamTask } from '../../execution/task.js';
import { ALONE_BELOW } from '../../formats/format.js';
import { slicesKernelName } from '../../kernels/abi.js';
import { kernelIndex } from '../../kernels/module.js';
import { placeHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Vector } from '../../memory/vector.js';
import { gather, gatherNegated, placedNumbers } from './gather.js';
import type { SlicedTriangle, Slices } from './slice-layout.js';

export const SLICES_HEADER = {
  /** u32, pieces: the first slice of each, and the one after its last. */
  first: 'usize',
  last: 'usize',
  /** u32, lanes: the element of x and y. */
  order: 'usize',
  /** Of the type of x, lanes. */
  work: 'usize',
  before: 'usize',
  after: 'usize',
  /** u32, slices + 1: steps of four entries; u32, slices: the lane from which columns count; columns; values. */
  lowerPtr: 'usize',
  lowerBase: 'usize',
  lowerIdx: 'usize',
  lower: 'usize',
  /** The same; columns and values in the order of the backward pass, and the addresses are those of their ends. */
  upperPtr: 'usize',
  upperBase: 'usize',
  upperIdx: 'usize',
  upper: 'usize',
} as const;

/** Steps of a slice that take as long as the rest of it: elements of x, y, w and `order`, and the scales. */
const SLICE_WORK = 4;

export interface SlicedPattern {
  /** Not owned: they outlive the triangles. */
  readonly slices: Slices;
  /** Pieces of each stage of the forward pass; together all pieces. */
  readonly stages: readonly number[];
}

/** The values of factors in f64: of the entries that `from` counts, in the heap, and by row. */
export interface FactorValues {
  readonly lower: FloatArray;
  readonly upper: FloatArray;
  readonly before: FloatArray;
  readonly after: FloatArray;
}

export class SlicedTriangles implements Disposable {
  readonly dtype: Dtype;
  readonly #context: TeamContext;
  readonly #slices: Slices;
  readonly #scope: HeapScope;
  readonly #lower: FloatArray;
  readonly #upper: FloatArray;
  readonly #before: FloatArray;
  readonly #after: FloatArray;
  /** One after the other. */
  readonly #tasks: readonly TeamTask[];

  /** @throws SparlaneError `heap` if it does not fit */
  constructor(context: TeamContext, { slices, stages }: SlicedPattern, dtype: Dtype) {
    const { rowOf, elementOf, first, last, lower, upper } = slices;
    this.#context = context;
    this.#slices = slices;
    this.dtype = dtype;
    const scope = context.heap.scope();
    this.#scope = scope;
    try {
      const vector = () => scope.array<FloatArray>(vectorArray(dtype), rowOf.length);
      const values = ({ from }: SlicedTriangle) => scope.array<FloatArray>(valueArray(dtype), from.length);
      [this.#lower, this.#upper, this.#before, this.#after] = [values(lower), values(upper), vector(), vector()];
      const header = placeHeader(scope, SLICES_HEADER, {
        ...{ first, last, order: elementOf, work: vector(), before: this.#before, after: this.#after },
        ...{ lowerPtr: lower.ptr, lowerBase: lower.base, lowerIdx: lower.idx, lower: this.#lower },
        ...{ upperPtr: upper.ptr, upperBase: upper.base, upperIdx: endOf(upper.idx), upper: endOf(this.#upper) },
      });
      this.#tasks = this.#plan(header, lower.idx instanceof Uint16Array, stages);
    } catch (error) {
      scope[Symbol.dispose]();
      throw error;
    }
  }

  /** Without the slices. */
  get bytes(): number {
    return this.#scope.bytes;
  }

  /** @returns whether all numbers have the range of the stored ones; otherwise the factors are of no use */
  fill({ lower, upper, before, after }: FactorValues): boolean {
    const { rowOf, lower: lowerSlices, upper: upperSlices } = this.#slices;
    const context = this.#context;
    using work = context.heap.scope();
    gather(context, rowOf, placedNumbers(work, before), this.#before);
    if (after === before) this.#after.set(this.#before);
    else gather(context, rowOf, placedNumbers(work, after), this.#after);
    const lowerFits = gatherNegated(context, lowerSlices.from, lower, this.#lower);
    return gatherNegated(context, upperSlices.from, upper, this.#upper) && lowerFits;
  }

  /** y ← α M⁻¹ x + β y */
  run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { team } = this.#context;
    const tasks = this.#tasks;
    const last = tasks.length - 1;
    for (let k = 0; k < last; k++) team.queue(tasks[k]!, x.block, y.block, alpha, beta);
    if (team.holds) team.queue(tasks[last]!, x.block, y.block, alpha, beta);
    else team.run(tasks[last]!, x.block, y.block, alpha, beta);
  }

  /** The stages forward, and then backward. */
  #plan(header: number, isNarrow: boolean, stages: readonly number[]): TeamTask[] {
    const { kernels, team } = this.#context;
    const { kind, lower, upper, rowOf } = this.#slices;
    const work = lower.from.length + upper.from.length + 2 * SLICE_WORK * rowOf.length;
    const isAlone = team.size === 1 || work < ALONE_BELOW;
    const workers = threadsFor(work, team.size, WORTH_IN_STAGES);
    let first = 0;
    const bounds = stages.map((pieces) => {
      const begin = first;
      first += pieces;
      const parts = isAlone ? 1 : Math.max(1, Math.min(pieces, MAX_PARTS));
      const ends = partition(evenly(pieces), parts).map((piece) => begin + piece);
      return parts === 1 ? ends : this.#scope.copy(Uint32Array, ends);
    });
    const tasks = (pass: 'forward' | 'backward') => {
      const kernel = kernelIndex(kernels, slicesKernelName(kind, isNarrow, pass, this.dtype));
      return bounds.map((ends): TeamTask => ({ kernel, header, bounds: ends, workers }));
    };
    return [...tasks('forward'), ...tasks('backward').reverse()];
  }

  /** Frees the memory; called once. */
  [Symbol.dispose](): void {
    this.#context.team.flush();
    this.#scope[Symbol.dispose]();
  }
}

/** The address behind an array in the heap. */
function endOf({ byteOffset, byteLength }: FloatArray | Uint16Array | Uint32Array): number {
  return byteOffset + byteLength;
}
