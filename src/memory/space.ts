/**
 * A space is where vectors and scalars live and where they are computed with: the shared heap, or a device. `Vector` and
 * `Scalar` use only this interface; the spaces are in `backends/`.
 */
import type { FloatArray } from '../core/types.js';
import type { Heap } from './heap.js';

/** What a space computes with scalars in one step. */
export type ScalarOperation = 'add' | 'subtract' | 'multiply' | 'divide' | 'root';

/** A coefficient: the f64 in block `slot` times a number, or the number alone where there is no slot. */
export interface Coefficient {
  readonly slot: number | undefined;
  readonly times: number;
}

/** y ← a x + b y; x may be y. b = 0 overwrites, NaN included; a = 0 does not hide a NaN of x. */
export interface AxpbyOperation {
  readonly kind: 'axpby';
  readonly a: Coefficient;
  readonly x: number;
  readonly b: Coefficient;
  readonly y: number;
}

/** y ← d ∘ x, element by element; either may be y. */
export interface MultiplyOperation {
  readonly kind: 'multiply';
  readonly d: number;
  readonly x: number;
  readonly y: number;
}

/** slot ← xᵀ y, summed in f64. */
export interface DotOperation {
  readonly kind: 'dot';
  readonly x: number;
  readonly y: number;
  readonly slot: number;
}

/** y[order[i]] ← x[i]; `order`: a block of 32-bit numbers, a permutation; y is not x. */
export interface ScatterOperation {
  readonly kind: 'scatter';
  readonly order: number;
  readonly x: number;
  readonly y: number;
}

/** y[offset + i stride] ← x[offset + i stride], each with its own offset and stride in elements: a column of rows. */
export interface CopyOperation {
  readonly kind: 'copy';
  readonly x: number;
  readonly xOffset: number;
  readonly xStride: number;
  readonly y: number;
  readonly yOffset: number;
  readonly yStride: number;
}

/** The rows of a block of vectors: where they are, their elements, and the elements from one row to the next. */
export interface RowSpan {
  readonly block: number;
  readonly columns: number;
  readonly stride: number;
}

export function rowsOf({ block, columns, stride }: RowSpan): RowSpan {
  return { block, columns, stride };
}

/** slots[j] ← (column j of x)ᵀ (column j of y), summed in f64; several columns. */
export interface ColumnDotsOperation {
  readonly kind: 'columnDots';
  readonly x: RowSpan;
  readonly y: RowSpan;
  readonly slots: readonly number[];
}

/** c ← xᵀ y, summed in f64; c: f64, as many rows as x has columns, and the columns of y. */
export interface GramOperation {
  readonly kind: 'gram';
  readonly x: RowSpan;
  readonly y: RowSpan;
  readonly c: RowSpan;
}

/** y ← alpha x c + beta y; c as of `gram`, read when the operation is computed; x may be y. beta = 0 overwrites, NaN included. */
export interface CombineOperation {
  readonly kind: 'combine';
  readonly alpha: number;
  readonly x: RowSpan;
  readonly c: RowSpan;
  readonly beta: number;
  readonly y: RowSpan;
}

/** An operation on blocks of vectors; its length is that of their rows. */
export type BlockOperation = ColumnDotsOperation | GramOperation | CombineOperation;

/** An operation on single elements of vectors, which are blocks of their space. */
export type ElementOperation = AxpbyOperation | MultiplyOperation | DotOperation | ScatterOperation | CopyOperation;

/** What a space computes with vectors in one step. */
export type VectorOperation = ElementOperation | BlockOperation;

export function isOnBlocks(operation: VectorOperation): operation is BlockOperation {
  const { kind } = operation;
  return kind === 'columnDots' || kind === 'gram' || kind === 'combine';
}

/** The other ranks of a distributed run. Each rank has its own part of every vector, and the same scalars. */
export interface Ranks {
  /** Of this one: from 0 on. */
  readonly rank: number;
  /**
   * Replaces numbers by their sums over all ranks, with the same bits on each of them. Every rank calls it, with equally many numbers, and
   * waits for the others.
   *
   * @throws SparlaneError `backend` if another rank has ended, or does something else
   */
  sum(numbers: Float64Array): void;
  /** Sums dot products of this rank, and gives them their place; during `startSums` later. */
  complete(numbers: Float64Array, place: () => void): void;
  /**
   * Calls `dots`, and starts one sum of its dot products without a wait. On devices they are complete when it returns.
   *
   * @param dots makes at most 14 of them, and reads no result
   * @returns a function that all ranks call before they start another sum: it waits, and gives the dot products their places
   */
  startSums(dots: () => void): () => void;
  /**
   * Checks that facts are the same on all ranks. Every rank calls it, and waits for the others.
   *
   * @param what the facts are about
   * @throws SparlaneError `argument`, on all ranks, that names the first fact that differs
   */
  compare(what: string, facts: RankFacts): void;
}

/** Words and numbers by name. */
export type RankFacts = Readonly<Record<string, string | number | boolean>>;

/** A count of this rank's part, such as the rows of an operator, over all ranks; the count itself if nobody shares the space. */
export function totalOf({ ranks }: Pick<Space, 'ranks'>, count: number): number {
  if (ranks === undefined) return count;
  const total = Float64Array.of(count);
  ranks.sum(total);
  return total[0]!;
}

/** Where vectors and scalars live. A block of its memory is a number. */
export interface Space {
  readonly name: 'heap' | 'cuda';
  /** The shared heap, if blocks are its addresses. Undefined for the memory of a device. */
  readonly heap: Heap | undefined;
  /** Defined if each rank of a distributed run has a part of every vector: dot products are then sums over all ranks. */
  readonly ranks?: Ranks | undefined;
  /** The block's contents are undefined. @throws SparlaneError `heap` if the space is full */
  allocate(bytes: number): number;
  /** A block that a recording uses is kept until the recording is disposed. */
  release(block: number): void;
  /** A part of a block, in the same memory; given back with `releaseSlice`. */
  slice(block: number, offsetBytes: number, bytes: number): number;
  releaseSlice(slice: number): void;
  /** Sets the first bytes of a block to 0; queued on a device. @throws SparlaneError `argument` during a recording */
  clear(block: number, bytes: number): void;
  /** The source may change when this returns. */
  upload(block: number, offsetBytes: number, source: FloatArray | Uint32Array): void;
  /** The same, but queued on a device: the source must not change before a wait for the space. */
  send(block: number, offsetBytes: number, source: FloatArray): void;
  /** Waits for everything that was queued before. */
  download(block: number, offsetBytes: number, target: FloatArray): void;
  /** The same, but queued on a device: the numbers are valid after a wait for the space. */
  fetch(block: number, offsetBytes: number, target: Uint8Array): void;
  /** Queues a copy from a block of another space: the heap and a device, or two devices. */
  bring(
    block: number,
    offsetBytes: number,
    from: Space,
    source: number,
    sourceOffsetBytes: number,
    bytes: number,
  ): void;
  /** Whether operations of this space may use blocks of another one in place. */
  reaches(other: Space): boolean;
  /** Lets later operations of this space wait for all that was queued in another one; the heap waits at once. */
  after(other: Space): void;
  /** Waits for everything that was queued before. */
  synchronize(): void;
  /** Runs operations in order, on vectors of `length` elements of `width` bytes (8: f64, 4: f32). */
  run(width: number, length: number, operations: readonly VectorOperation[]): void;
  /** slot ← a ∘ b; of a alone for a root. */
  compute(operation: ScalarOperation, a: Coefficient, b: Coefficient, slot: number): void;
  /**
   * Records the products and the operations on vectors and scalars of `step`, without running them.
   *
   * @throws SparlaneError `argument` if `step` does anything else; errors of `step` are passed on. Recording has then ended
   */
  record(step: () => void): Recording;
  /**
   * Defined during a recording, if a product must be handed to it as a function that uses these blocks. Devices record what
   * is queued. `isPlanned`: the function does nothing but check its arguments and run a plan, so the end of the product may be
   * computed together with the operations that follow.
   */
  readonly recordProduct: ((product: () => void, blocks: readonly number[], isPlanned: boolean) => void) | undefined;
  /** @throws SparlaneError `argument` during a recording, because `what` cannot be recorded */
  refuseRecording(what: string): void;
}

/**
 * Recorded products and operations. Each launch runs them once. Vectors and scalars that it uses may be disposed: the
 * recording keeps them alive. In the heap its operators may not.
 */
export interface Recording extends Disposable {
  /**
   * Runs all of it; on a device, queues it.
   *
   * @throws SparlaneError `argument` for a disposed recording or operator, or during a recording; `kernel` or `backend` as products do: what it
   *   computes is then undefined
   */
  launch(): void;
  /** Frees the memory. A second call has no effect. */
  dispose(): void;
}
