/**
 * Compressed rows in a binary file on a disk, of which a range is read without the others: the arrays of all rows lie one after the other, so the entries of
 * a range are a piece of each.
 */
import { type ComplexMatrix, complexMatrix } from '../core/complex.js';
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import type { Field } from '../core/types.js';
import { chunksFrom, type OpenDisk } from './bytes/disk.js';
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
  /** Complex values are pairs of numbers. */
  readonly field: Field | 'complex';
  /** The file has the number of entries of each row here; undefined if it has pointers instead. */
  readonly lengths?: NumbersInFile;
  /** The file has the number of entries before each row here, and of all. */
  readonly pointers?: NumbersInFile;
  readonly columns: NumbersInFile;
  readonly values: NumbersInFile;
}

/** A header is read in pieces of so many bytes: most have fewer. Chosen. */
const HEADER_BYTES: number = 2 ** 12;

/** Reads a file from a place on. @param end of what is read; default: it is a header, whose end is not known */
export function readerAt(disk: OpenDisk, file: string, begin: number, end?: number): ByteReader {
  const chunks = end === undefined ? chunksFrom(disk, begin, disk.size, HEADER_BYTES) : chunksFrom(disk, begin, end);
  return new ByteReader(file, chunks, begin);
}

/** Returns how many entries each row of a range has. @throws SparlaneError `parse` for pointers that decrease */
export async function readLengths(disk: OpenDisk, where: RowsInFile, begin: number, end: number): Promise<Uint32Array> {
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
  disk: OpenDisk,
  { file, cols, field, columns, values }: RowsInFile,
  lengths: Uint32Array,
  first: number,
): Promise<CsrMatrix | ComplexMatrix> {
  const rows = lengths.length;
  const rowPtr = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) rowPtr[i + 1] = rowPtr[i]! + lengths[i]!;
  const nnz = rowPtr[rows]!;
  const colIdx = await indices(disk, file, columns, first, nnz, 'columns');
  const parts = field === 'complex' ? 2 : 1;
  const reader = readerOf(disk, file, values, parts * first, parts * nnz);
  const numbers = await readFloats(reader, values.type, parts * nnz, 'values');
  const arrays = { rows, cols, rowPtr, colIdx, values: numbers };
  return madeFrom(file, () =>
    field === 'complex' ? complexMatrix({ ...arrays, field }) : csrMatrix({ ...arrays, field }),
  );
}

/** Reads some numbers of an array. */
export function readerOf(
  disk: OpenDisk,
  file: string,
  { begin, type }: NumbersInFile,
  first: number,
  count: number,
): ByteReader {
  const placeOf = (number: number) => begin + number * bytesOf(type);
  return readerAt(disk, file, placeOf(first), placeOf(first + count));
}

function indices(
  disk: OpenDisk,
  file: string,
  where: NumbersInFile,
  first: number,
  count: number,
  what: string,
): Promise<Uint32Array> {
  return readIndices(readerOf(disk, file, where, first, count), where.type, count, what);
}
