/**
 * The rows of a rank as one matrix in the heap: its columns are the rank's own ones, from 0, then the ghosts in the order of their global
 * numbers. So entry (i, i) is on the diagonal, and kernels for square matrices compute with the rows as they are.
 */
import { newMatrix } from '../../algebra/new-matrix.js';
import type { CompressedRows, CsrMatrix } from '../../core/csr.js';
import { distinct } from '../../core/distinct.js';
import { lowerBound } from '../../core/search.js';
import type { FloatArray } from '../../core/types.js';
import type { Engine } from '../../engine/engine.js';
import type { HeapMatrix } from '../../matrices/heap-matrix.js';
import type { DistributedOperator } from '../distributed-operator.js';
import type { Bounds } from '../halo.js';
import type { Meeting } from '../meeting.js';
import { pointersOf } from '../row-range.js';

/** What all steps of a set-up need. */
export interface RankContext {
  readonly meeting: Meeting;
  readonly engine: Engine;
  /** From 0. */
  readonly rank: number;
  /** As errors name the preconditioner. */
  readonly name: string;
}

export interface LocalRows {
  /** Rows × (own columns, then ghosts), in f64. */
  readonly matrix: HeapMatrix;
  /** The global columns of the ghosts, ascending. */
  readonly ghosts: Uint32Array;
  /** The columns of each rank. */
  readonly bounds: Bounds;
}

/** Makes something on every rank. @throws the error of the first rank that has one, on all */
export function together<T>({ meeting }: RankContext, make: () => T): T {
  return meeting.together(make, () => {});
}

/** Sums numbers of this rank, each of them over all ranks. */
export function total<Numbers extends readonly number[]>(
  { meeting }: RankContext,
  ...numbers: Numbers
): { readonly [Place in keyof Numbers]: number } {
  const totals = Float64Array.from(numbers);
  meeting.reduce('sum', totals);
  return [...totals] as { [Place in keyof Numbers]: number };
}

/** The ranges of numbers of which each rank has as many as it says. */
export function boundsOf({ meeting }: RankContext, count: number): Bounds {
  return pointersOf(meeting.gather(Float64Array.of(count)).all);
}

/** All unknowns of the nodes that have some of these. @param block unknowns of a node */
export function wholeNodes(ghosts: Uint32Array, block: number): Uint32Array {
  if (block === 1) return ghosts;
  const nodes = distinct(ghosts.map((ghost) => Math.floor(ghost / block)));
  return Uint32Array.from(
    { length: nodes.length * block },
    (_, k) => nodes[Math.floor(k / block)]! * block + (k % block),
  );
}

/** The rows of an operator in f64, with whole nodes of ghosts. */
export function rowsOfOperator(A: DistributedOperator, block: number): { rows: CsrMatrix; ghosts: Uint32Array } {
  const own = A.ownMatrix();
  const halo = A.halo();
  const ghosts = wholeNodes(halo.ghosts.slice(), block);
  const places = halo.ghosts.map((ghost) => A.cols + lowerBound(ghosts, ghost));
  const nnz = own.nnz + halo.matrix.nnz;
  const [rowPtr, colIdx, values] = [new Uint32Array(A.rows + 1), new Uint32Array(nnz), new Float64Array(nnz)];
  let at = 0;
  let boundary = 0;
  const take = (
    { rowPtr: ptr, colIdx: columns, values: numbers }: CsrMatrix,
    row: number,
    place: (j: number) => number,
  ) => {
    for (let k = ptr[row]!; k < ptr[row + 1]!; k++) {
      colIdx[at] = place(columns[k]!);
      values[at++] = numbers[k]!;
    }
  };
  for (let i = 0; i < A.rows; i++) {
    take(own, i, (j) => j);
    if (halo.boundaryRows[boundary] === i) take(halo.matrix, boundary++, (j) => places[j]!);
    rowPtr[i + 1] = at;
  }
  return { rows: newMatrix({ rows: A.rows, cols: A.cols + ghosts.length, rowPtr, colIdx, values }), ghosts };
}

/** Global numbers of columns. */
export function columnsOf({ matrix, ghosts, bounds }: LocalRows, rank: number): (column: number) => number {
  const first = bounds[rank]!;
  const own = matrix.cols - ghosts.length;
  return (column) => (column < own ? first + column : ghosts[column - own]!);
}

/** Numbers of columns, own ones and ghosts, from global ones. */
export function placesIn(ghosts: Uint32Array, bounds: Bounds, rank: number): (column: number) => number {
  const [first, end] = [bounds[rank]!, bounds[rank + 1]!];
  return (column) => (column >= first && column < end ? column - first : end - first + lowerBound(ghosts, column));
}

/**
 * Calls `take` with the places of all entries, in the order of the rows with ascending global columns.
 *
 * @param rows whose columns ascend: own ones, ghosts of lower ranks, ghosts of higher ranks
 */
export function forEachInOrder(
  { matrix, ghosts, bounds }: LocalRows,
  rank: number,
  take: (place: number) => void,
): void {
  const { rows, cols, rowPtr, colIdx } = matrix;
  const own = cols - ghosts.length;
  const high = own + lowerBound(ghosts, bounds[rank]!);
  for (let i = 0; i < rows; i++) {
    const [begin, end] = [rowPtr[i]!, rowPtr[i + 1]!];
    const ghostsBegin = lowerBound(colIdx, own, begin, end);
    const highBegin = lowerBound(colIdx, high, ghostsBegin, end);
    for (let k = ghostsBegin; k < highBegin; k++) take(k);
    for (let k = begin; k < ghostsBegin; k++) take(k);
    for (let k = highBegin; k < end; k++) take(k);
  }
}

/** The values of this rank's rows, in their order with ascending global columns. */
export function valuesInOrder({ rank }: RankContext, A: LocalRows): Float64Array {
  const { nnz, values } = A.matrix;
  const ordered = new Float64Array(nnz);
  let at = 0;
  forEachInOrder(A, rank, (place) => {
    ordered[at++] = values[place]!;
  });
  return ordered;
}

/** Replaces the values of a rank's rows. @param given in the order of the rows with ascending global columns */
export function setInOrder({ rank }: RankContext, A: LocalRows, given: FloatArray): void {
  const { values } = A.matrix;
  let at = 0;
  forEachInOrder(A, rank, (place) => {
    values[place] = given[at++]!;
  });
}

/** The values of the own columns, and of the ghosts. */
export function dividedValues({ matrix, ghosts }: LocalRows): readonly [own: FloatArray, ghosts: FloatArray] {
  const { rows, cols, nnz, rowPtr, colIdx, values } = matrix;
  const own = cols - ghosts.length;
  const parts = [new Float64Array(nnz), new Float64Array(nnz)] as const;
  const used = [0, 0];
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const part = colIdx[k]! < own ? 0 : 1;
      parts[part][used[part]!++] = values[k]!;
    }
  }
  return [parts[0].subarray(0, used[0]), parts[1].subarray(0, used[1])];
}

/** Rows as a plain object. */
export function plain({ rows, cols, nnz, rowPtr, colIdx, values }: CompressedRows): CsrMatrix {
  return newMatrix({ rows, cols, rowPtr, colIdx: colIdx.subarray(0, nnz), values: values.subarray(0, nnz) });
}
