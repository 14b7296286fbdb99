/**
 * Compressed rows in a binary file on a disk, of which a range is read without the others: the arrays of all rows lie one after the other, so the entries of
 * a range are a piece of each.
 */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import type { Field } from '../core/types.js';
import { chunksFrom, type Disk } from './bytes/disk.js';
import { bytesOf, type NumberType, readFloats, readIndices } from './bytes/numbers.js';
import { ByteReader } from './bytes/reader.js';
import { madeFrom } from './parse-error.js';

/** Numbers of one type follow each other in a file. */
export interface NumbersInFile {
  /** The first number begins at this byte. */
  readonly begin: number;
  readonly type: NumberType;
}

export interface RowsInFile {
  /** Errors call the file so. */
  readonly file: string;
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  readonly field: Field;
  /** The file has the number of entries of each row here; undefined if it has pointers instead. */
  readonly lengths?: NumbersInFile;
  /** The file has the number of entries before each row here, and of all. */
  readonly pointers?: NumbersInFile;
  readonly columns: NumbersInFile;
  readonly values: NumbersInFile;
}

/** Reads a file from a place on. */
export function readerAt(disk: Disk, file: string, begin: number): ByteReader {
  return new ByteReader(file, chunksFrom(disk.readAt, begin), begin);
}

/** Returns how many entries each row of a range has. @throws SparlaneError `parse` for pointers that decrease */
export async function readLengths(disk: Disk, where: RowsInFile, begin: number, end: number): Promise<Uint32Array> {
  const { file, lengths, pointers } = where;
  if (lengths !== undefined) return indices(disk, file, lengths, begin, end - begin, 'row lengths');
  const ends = await indices(disk, file, pointers!, begin, end - begin + 1, 'pointers');
  for (let i = 1; i < ends.length; i++)
    if (ends[i]! < ends[i - 1]!)
      throw readerAt(disk, file, pointers!.begin).error('pointers that ascend', `${ends[i]} after ${ends[i - 1]}`);
  return ends.subarray(1).map((next, i) => next - ends[i]!);
}

/**
 * Returns the rows of a range, of which the first one is row 0.
 *
 * @param lengths of these rows @param first the entries before them
 * @throws SparlaneError `parse`
 */
export async function readRowRange(
  disk: Disk,
  { file, cols, field, columns, values }: RowsInFile,
  lengths: Uint32Array,
  first: number,
): Promise<CsrMatrix> {
  const rows = lengths.length;
  const rowPtr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) rowPtr[i + 1] = rowPtr[i]! + lengths[i]!;
  const nnz = rowPtr[rows]!;
  const colIdx = await indices(disk, file, columns, first, nnz, 'columns');
  const begin = values.begin + first * bytesOf(values.type);
  const numbers = await readFloats(readerAt(disk, file, begin), values.type, nnz, 'values');
  return madeFrom(file, () => csrMatrix({ rows, cols, rowPtr, colIdx, values: numbers, field }));
}

function indices(
  disk: Disk,
  file: string,
  { begin, type }: NumbersInFile,
  first: number,
  count: number,
  what: string,
): Promise<Uint32Array> {
  return readIndices(readerAt(disk, file, begin + first * bytesOf(type)), type, count, what);
}
