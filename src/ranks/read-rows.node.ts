/**
 * Readers that give each rank its rows. Every rank reads the file. Of Matrix Market it keeps the entries of its own rows, and nobody
 * holds all of it; a file of another kind is read as a whole, before all but the rank's rows are let go.
 */
import { partition as boundsOf } from '../execution/partition.js';
import type { ReadOptions } from '../io/bytes/bytes.js';
import { matrixMarket } from '../io/kinds/matrix-market.js';
import { type FileSource, readMatrixMarketRows, readRowWork } from '../io/matrix-market/matrix-market.node.js';
import type { RowWork } from '../io/matrix-market/row-work.js';
import { kindOfSource, read } from '../io/read.node.js';
import type { Communicator } from './communicator.js';
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
  if (isFile && (await kindOfSource(source, options)) !== matrixMarket.name) return rowsOfAll(comm, source, options);
  const work = isFile && comm.size > 1 ? await readRowWork(source, { ...options, onProgress: undefined }) : undefined;
  const rangeOf = (rows: number) => (work === undefined ? evenRange(comm, rows) : rangeByWork(comm, work));
  const matrix = await readMatrixMarketRows(source, rangeOf, options);
  return rowsInRange(matrix, rangeOf(matrix.rows));
}

/** Rows of equal work, from the whole matrix. */
async function rowsOfAll(comm: Communicator, source: FileSource, options: ReadOptions): Promise<RankRows> {
  const { kind: _, rowNames: __, colNames: ___, ...matrix } = await read(source, options);
  const { rows, rowPtr } = matrix;
  const bounds = boundsOf({ units: rows, workBefore: (row) => rowPtr[row]! + ROW_WORK * row }, comm.size);
  return rowsInRange(matrix, [bounds[comm.rank]!, bounds[comm.rank + 1]!]);
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
