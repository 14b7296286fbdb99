/**
 * Readers that give each rank its rows. Ranks take shares of a file that can be sought (`read-shares.node.ts`). Of another one every rank reads all: of Matrix
 * Market with real numbers it keeps the entries of its own rows, and nobody holds all of it; another file is read as a whole, before all but the rank's rows are let go.
 */
import { type ComplexMatrix, complexFrom, numberedEntries } from '../core/complex.js';
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import type { ReadOptions } from '../io/bytes/bytes.js';
import { matrixMarket } from '../io/kinds/matrix-market.js';
import { npy } from '../io/kinds/npy.js';
import { npz } from '../io/kinds/npz.js';
import { isComplexFile } from '../io/matrix-market/complex.js';
import { type FileSource, readMatrixMarketRows, readRowWork } from '../io/matrix-market/matrix-market.node.js';
import { kindOfSource, read, readAny, readComplex } from '../io/read.node.js';
import type { Communicator } from './communicator.js';
import { type ComplexRankRows, complexRankRows } from './complex-rows.js';
import type { RankRows } from './distribute.js';
import { readAnyShares, readShares } from './read-shares.node.js';
import { boundsByWork, boundsOfWork, evenRange, type RowRange, rankRows, rowsInRange } from './row-range.js';

/**
 * This rank's rows of a file, for `comm.operator`. Every rank calls it. Ranks get rows of equal work, if the file is given by its path or URL; of other
 * sources, every rank gets as many rows.
 *
 * A Matrix Market file in coordinates, a PETSc binary one, an `.npz` of compressed rows that is stored, not deflated, and an `.npy` row by row are read once, if they are
 * not compressed: each rank reads a share, and entries of other ranks' rows are sent to these. Checksums of an `.npz` are then not compared. Nothing in other files can
 * be sought, so every rank reads all of them: Matrix Market twice, since entries are counted first.
 *
 * Memory: the entries of the rank's rows, and for a while those of its share of the file, 16 bytes each; 8 bytes for each row of the whole matrix, up to 2²⁰. Of a file
 * that is no Matrix Market and cannot be sought, all entries for a while.
 *
 * @param options `onProgress` gets the number of bytes that this rank has read; `signal` may abort on one rank
 * @throws as `read`; the error of one rank on all, an abort included, if the file is read by shares
 */
export async function readRows(comm: Communicator, source: FileSource, options: ReadOptions = {}): Promise<RankRows> {
  const shared = isFile(source) ? await readShares(comm, source, options) : undefined;
  if (shared !== undefined) return shared;
  if (isFile(source) && (await kindOfSource(source, options)).kind !== matrixMarket.name)
    return rowsOfAll(comm, await read(source, options));
  return rowsOfText(comm, source, options);
}

function isFile(source: FileSource): source is string | URL {
  return typeof source === 'string' || source instanceof URL;
}

/** Rows of a Matrix Market file, of which this rank reads all and keeps its own. */
async function rowsOfText(comm: Communicator, source: FileSource, options: ReadOptions): Promise<RankRows> {
  const isCounted = isFile(source) && comm.size > 1;
  const work = isCounted ? await readRowWork(source, { ...options, onProgress: undefined }) : undefined;
  const bounds = work && boundsOfWork(work, comm.size);
  const rangeOf = (rows: number): RowRange =>
    bounds === undefined ? evenRange(comm, rows) : [bounds[comm.rank]!, bounds[comm.rank + 1]!];
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
  const bounds = boundsByWork(rows, (row) => rowPtr[row]!, size);
  return [bounds[rank]!, bounds[rank + 1]!];
}

/**
 * This rank's rows of a file with complex numbers, or with real ones, for `comm.complexOperator`. Every rank calls it. Ranks get rows of equal work. In a Matrix
 * Market file a duplicate counts as often as it is written.
 *
 * Each rank reads a share of a file that `readRows` reads by shares. Every rank reads all of another file, before all but its rows are let go.
 *
 * Memory: of a file that is read by shares, the entries of the rank's rows, and for a while those of its share, 32 bytes each; of another one, all entries for a while.
 *
 * @param options as of `readRows`
 * @throws as `readComplex`; the error of one rank on all, an abort included, if the file is read by shares
 */
export async function readComplexRows(
  comm: Communicator,
  source: FileSource,
  options: ReadOptions = {},
): Promise<ComplexRankRows> {
  const shared = isFile(source) ? await readAnyShares(comm, source, options) : undefined;
  if (shared === undefined) return complexRows(comm, await readComplex(source, options));
  return isComplex(shared) ? shared : withImaginaryParts(shared);
}

function isComplex(rows: RankRows | ComplexRankRows): rows is ComplexRankRows {
  return rows.field === 'complex';
}

/** The same rows with imaginary parts 0. */
function withImaginaryParts({ firstRow, symmetry = 'general', ...part }: RankRows): ComplexRankRows {
  return rankRows(complexFrom(csrMatrix(part)), firstRow, symmetry);
}

function complexRows(comm: Communicator, matrix: ComplexMatrix): ComplexRankRows {
  return complexRankRows(rowsInRange(numberedEntries(matrix), rangeOfEqualWork(comm, matrix)), matrix);
}

/** This rank's rows of a file that may have complex numbers; such rows have the field `complex`. @throws as `readRows` */
export async function readAnyRows(comm: Communicator, path: string): Promise<RankRows | ComplexRankRows> {
  const shared = await readAnyShares(comm, path, {});
  if (shared !== undefined) return shared;
  const { kind, head } = await kindOfSource(path, {});
  if (kind === matrixMarket.name && !isComplexFile(head)) return rowsOfText(comm, path, {});
  const matrix = await readAny(path);
  return matrix.field === 'complex' ? complexRows(comm, matrix) : rowsOfAll(comm, matrix);
}

/** Whether the numbers of a file may be complex, by its first bytes. Those of an archive are not looked at. @throws as `read` */
export async function mayBeComplex(path: string): Promise<boolean> {
  const { kind, head } = await kindOfSource(path, {});
  return kind === matrixMarket.name ? isComplexFile(head) : [npz, npy].some(({ name }) => name === kind);
}
