/** Ranges of rows, where there is no partition: as many rows on every rank. */
import { sliceRows } from '../algebra/rows.js';
import type { CsrMatrix } from '../core/csr.js';
import type { Symmetry } from '../core/types.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';

export type RowRange = readonly [begin: number, end: number];

export function evenRange({ rank, size }: Pick<Communicator, 'rank' | 'size'>, rows: number): RowRange {
  return [Math.floor((rows * rank) / size), Math.floor((rows * (rank + 1)) / size)];
}

/** The rows of a range, from a matrix of which they are right. */
export function rowsInRange(matrix: CsrMatrix, [begin, end]: RowRange): RankRows {
  return rankRows(sliceRows({ ...matrix, symmetry: 'general' }, begin, end), begin, matrix.symmetry);
}

/** @param symmetry of the whole matrix */
export function rankRows({ nnz: _, ...part }: CsrMatrix, firstRow: number, symmetry: Symmetry): RankRows {
  return { ...part, firstRow, symmetry };
}
