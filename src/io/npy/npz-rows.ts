/** Finds the compressed rows of an `.npz` whose arrays are stored as they are, so that a range of rows is read without the others. */
import type { OpenDisk } from '../bytes/disk.js';
import { isInteger } from '../bytes/numbers.js';
import { LOCAL_SIGNATURE, readLocal, readSignature } from '../bytes/zip-records.js';
import { type RowsInFile, readerAt } from '../rows-in-file.js';
import { type NpyHeader, readNpyHeader } from './header.js';
import { checkLengths } from './lengths.js';
import { floatsOf } from './npy.js';

/** The numbers of an array of the archive begin at byte `begin` of the file. */
interface StoredArray extends NpyHeader {
  readonly begin: number;
}

/** A matrix in compressed rows has these arrays, of which `format` is text. */
const MEMBERS = ['format', 'shape', 'indptr', 'indices', 'data'] as const;
const ROWS_FORMAT = 'csr';
/** A file of an archive that is stored as it is has this method. */
const STORED = 0;

/**
 * Returns undefined for an archive with another format, or deflated or streamed arrays, and unless it `takesComplex`, with complex numbers.
 *
 * @throws SparlaneError `parse` if arrays disagree
 */
export async function findNpzRows(
  file: string,
  disk: OpenDisk,
  takesComplex: boolean,
): Promise<RowsInFile | undefined> {
  const arrays = await findArrays(file, disk, takesComplex);
  if (arrays === undefined || !MEMBERS.every((member) => arrays.has(member))) return undefined;
  const [format, shape, indptr, indices, data] = MEMBERS.map((member) => arrays.get(member)!) as [
    StoredArray,
    StoredArray,
    StoredArray,
    StoredArray,
    StoredArray,
  ];
  const isText = format.type === undefined && format.size <= MAX_FORMAT_BYTES;
  if (!isText || shape.count !== 2 || indptr.type === undefined || indices.type === undefined) return undefined;
  const name = await readerAt(disk, file, format.begin).take(format.size, 'the name of a format');
  if (String.fromCharCode(...name.filter((code) => code > 0)) !== ROWS_FORMAT || data.type === undefined)
    return undefined;
  const [rows, cols] = await floatsOf(readerAt(disk, file, shape.begin), shape, 'shape');
  const sizes = { format: ROWS_FORMAT, rows: rows!, cols: cols!, lastPointer: undefined } as const;
  checkLengths(file, { indptr, indices, data }, sizes);
  return {
    ...{ file, rows: rows!, cols: cols!, nnz: data.count },
    field: data.numbers === 2 ? 'complex' : isInteger(data.type) ? 'integer' : 'real',
    pointers: { begin: indptr.begin, type: indptr.type },
    columns: { begin: indices.begin, type: indices.type },
    values: { begin: data.begin, type: data.type },
  };
}

/** The name of a format, in bytes or in characters of four bytes, is not longer. Chosen. */
const MAX_FORMAT_BYTES = 64;

async function findArrays(
  file: string,
  disk: OpenDisk,
  takesComplex: boolean,
): Promise<Map<string, StoredArray> | undefined> {
  const arrays = new Map<string, StoredArray>();
  for (let begin = 0; ; ) {
    const reader = readerAt(disk, file, begin);
    if ((await readSignature(reader)) !== LOCAL_SIGNATURE) return arrays;
    const { path, method, isEncrypted, isStreamed, packedSize } = await readLocal(reader, begin);
    if (method !== STORED || isEncrypted || isStreamed) return undefined;
    begin = reader.position + packedSize;
    const header = await readNpyHeader(reader, true);
    const member = path.replace(/\.npy$/, '');
    if (header.numbers === 2 && !(takesComplex && member === 'data')) return undefined;
    arrays.set(member, { ...header, begin: reader.position });
  }
}
