/**
 * Readers that give each rank its rows. Every rank reads the file. Of Matrix Market it keeps the entries of its own rows, and nobody
 * holds all of it; a file of another kind is read as a whole, before all but the rank's rows are let go.
 */
import { type ComplexMatrix, numberedEntries } from '../core/complex.js';
import type { CsrMatrix } from '../core/csr.js';
import { partition as boundsOf } from '../execution/partition.js';
import type { ReadOptions } from '../io/bytes/bytes.js';
import { matrixMarket } from '../io/kinds/matrix-market.js';
import { npy } from '../io/kinds/npy.js';
import { npz } from '../io/kinds/npz.js';
import { isComplexFile } from '../io/matrix-market/complex.js';
import { type FileSource, readMatrixMarketRows, readRowWork } from '../io/matrix-market/matrix-market.node.js';
import type { RowWork } from '../io/matrix-market/row-work.js';
import { kindOfSource, read, readAny, readComplex } from '../io/read.node.js';
import type { Communicator } from './communicator.js';
import { type ComplexRankRows, complexRankRows } from './complex-rows.js';
import type { RankRows } from './distribute.js';
import { ROW_WORK } from './partition.js';
import { evenRange, type RowRange, rowsInRange } from './row-range.js';

/**
 * This rank's rows of a file, for `comm.operator`. Every rank calls it. A Matrix Market file, given by its path or URL, is read twice: its
 * entries are counted first, and ranks get rows of equal work. Of other sources, every rank gets as many rows.
 *
 * Memory: the entries of the rank's rows, as `readMatrixMarket`, and 8 bytes for each row of the whole matrix; of a file of another kind
 * that is given by its path or URL (`read`), all entries for a while.
 *
 * @throws as `read`, on this rank
 */
export async function readRows(comm: Communicator, source: FileSource, options: ReadOptions = {}): Promise<RankRows> {
  const isFile = typeof source === 'string' || source instanceof URL;
  if (isFile && (await kindOfSource(source, options)).kind !== matrixMarket.name)
    return rowsOfAll(comm, await read(source, options));
  const work = isFile && comm.size > 1 ? await readRowWork(source, { ...options, onProgress: undefined }) : undefined;
  const rangeOf = (rows: number) => (work === undefined ? evenRange(comm, rows) : rangeByWork(comm, work));
  const matrix = await readMatrixMarketRows(source, rangeOf, options);
  return rowsInRange(matrix, rangeOf(matrix.rows));
}

/** Rows of equal work, from the whole matrix of a file, without the names that it may have. */
function rowsOfAll(
  comm: Communicator,
  { rows, cols, nnz, rowPtr, colIdx, values, field, symmetry }: CsrMatrix,
): RankRows {
  const matrix = { rows, cols, nnz, rowPtr, colIdx, values, field, symmetry };
  return rowsInRange(matrix, rangeOfEqualWork(comm, matrix));
}

function rangeOfEqualWork(
  { rank, size }: Communicator,
  { rows, rowPtr }: Pick<CsrMatrix, 'rows' | 'rowPtr'>,
): RowRange {
  const bounds = boundsOf({ units: rows, workBefore: (row) => rowPtr[row]! + ROW_WORK * row }, size);
  return [bounds[rank]!, bounds[rank + 1]!];
}

/**
 * This rank's rows of a file with complex numbers, or with real ones, for `comm.complexOperator`. Every rank calls it, and reads the whole matrix, before all but its
 * rows are let go. Ranks get rows of equal work.
 *
 * @throws as `readComplex`, on this rank
 */
export async function readComplexRows(
  comm: Communicator,
  source: FileSource,
  options: ReadOptions = {},
): Promise<ComplexRankRows> {
  return complexRows(comm, await readComplex(source, options));
}

function complexRows(comm: Communicator, matrix: ComplexMatrix): ComplexRankRows {
  return complexRankRows(rowsInRange(numberedEntries(matrix), rangeOfEqualWork(comm, matrix)), matrix);
}

/** This rank's rows of a file that may have complex numbers; such rows have the field `complex`. @throws as `readRows` */
export async function readAnyRows(comm: Communicator, path: string): Promise<RankRows | ComplexRankRows> {
  const { kind, head } = await kindOfSource(path, {});
  if (kind === matrixMarket.name) return isComplexFile(head) ? readComplexRows(comm, path) : readRows(comm, path);
  const matrix = await readAny(path);
  return matrix.field === 'complex' ? complexRows(comm, matrix) : rowsOfAll(comm, matrix);
}

/** Whether the numbers of a file may be complex, by its first bytes. Those of an archive are not looked at. @throws as `read` */
export async function mayBeComplex(path: string): Promise<boolean> {
  const { kind, head } = await kindOfSource(path, {});
  return kind === matrixMarket.name ? isComplexFile(head) : [npz, npy].some(({ name }) => name === kind);
}

/** The bounds of `partition` in the order of the matrix, but for rows that were counted together. */
function rangeByWork({ rank, size }: Communicator, { rows, length, entries }: RowWork): RowRange {
  const before = new Float64Array(entries.length + 1);
  entries.forEach((count, i) => {
    before[i + 1] = before[i]! + count;
  });
  const rowOf = (range: number) => Math.min(range * length, rows);
  const workBefore = (range: number) => before[range]! + ROW_WORK * rowOf(range);
  const bounds = boundsOf({ units: entries.length, workBefore }, size);
  return [rowOf(bounds[rank]!), rowOf(bounds[rank + 1]!)];
}
