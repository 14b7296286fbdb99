/** Where there is no partition, each rank gets a range of rows in the order of the matrix: as many rows, or as much work. */
import { sliceRows } from '../algebra/rows.js';
import type { ComplexMatrix } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { partition as boundsOf } from '../execution/partition.js';
import type { RowWork } from '../io/matrix-market/row-work.js';
import type { Communicator } from './communicator.js';
import type { ComplexRankRows } from './complex-rows.js';
import type { RankRows } from './distribute.js';
import { ROW_WORK } from './partition.js';

export type RowRange = readonly [begin: number, end: number];

export function evenRange({ rank, size }: Pick<Communicator, 'rank' | 'size'>, rows: number): RowRange {
  return [Math.floor((rows * rank) / size), Math.floor((rows * (rank + 1)) / size)];
}

/** Returns the bounds of `partition` in the order of the matrix. @param entriesBefore a row, the one after the last included */
export function boundsByWork(rows: number, entriesBefore: (row: number) => number, ranks: number): Uint32Array {
  return boundsOf({ units: rows, workBefore: (row) => entriesBefore(row) + ROW_WORK * row }, ranks);
}

/** Returns the same bounds of rows whose entries were counted. Rows that were counted together stay together. */
export function boundsOfWork({ rows, length, entries }: RowWork, ranks: number): Uint32Array {
  const before = pointersOf(entries);
  const rowOf = (range: number) => Math.min(range * length, rows);
  const workBefore = (range: number) => before[range]! + ROW_WORK * rowOf(range);
  return boundsOf({ units: entries.length, workBefore }, ranks).map(rowOf);
}

/** Returns the bounds of the rows of all ranks, in the order of the ranks. Together. @param rows of this rank */
export function gatherBounds(comm: Pick<Communicator, 'allgather'>, rows: number): Float64Array {
  return pointersOf(comm.allgather(Uint32Array.of(rows)));
}

/** Returns the sum of all numbers before each one, and of all. */
export function pointersOf(counts: ArrayLike<number>): Float64Array {
  const pointers = new Float64Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) pointers[i + 1] = pointers[i]! + counts[i]!;
  return pointers;
}

/** The rows of a range, from a matrix of which they are right. */
export function rowsInRange(matrix: CsrMatrix, [begin, end]: RowRange): RankRows {
  return rankRows(sliceRows({ ...matrix, symmetry: 'general' }, begin, end), begin, matrix.symmetry);
}

/** @param symmetry of the whole matrix */
export function rankRows<M extends CsrMatrix | ComplexMatrix>(
  { nnz: _, ...part }: M,
  firstRow: number,
  symmetry: M['symmetry'],
): RowsOf<M> {
  return { ...part, firstRow, symmetry } as unknown as RowsOf<M>;
}

/** The rows of a rank of such a matrix. */
type RowsOf<M> = M extends ComplexMatrix ? ComplexRankRows : RankRows;
