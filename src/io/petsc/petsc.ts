/**
 * Binary files of PETSc: matrices (AIJ) and vectors, one after the other, big-endian, with indices of 32 bits and values of
 * 64 bits, as PETSc writes them unless it is configured otherwise.
 *
 * Source: PETSc, the manual pages of `MatLoad` and `VecLoad`; `PetscBinaryIO.py`.
 */
import { type CsrMatrix, csrMatrix } from '../../core/csr.js';
import type { PlainFile } from '../bytes/bytes.js';
import type { OpenDisk } from '../bytes/disk.js';
import { bytesOf, type NumberType, readFloats, readIndices } from '../bytes/numbers.js';
import { ByteReader } from '../bytes/reader.js';
import { checkBlock } from '../claims.js';
import { checkColumns } from '../kinds/dense.js';
import type { DenseBlock } from '../kinds/kind.js';
import { madeFrom } from '../parse-error.js';
import { type RowsInFile, readerAt } from '../rows-in-file.js';
import { FIRST_CLASS, INT_BYTES, LAST_CLASS, MATRIX_BYTES, PETSC_MAT, PETSC_VEC, PETSC_WIDE } from './magic.js';

const INT: NumberType = { code: 'i4', bigEndian: true };
const SCALAR: NumberType = { code: 'f8', bigEndian: true };
/** In place of the number of entries: a dense matrix. */
const DENSE = -1;

/** The first matrix of a file; a file of vectors only: its first vector. */
export async function readPetscMatrix({ name, chunks }: PlainFile): Promise<CsrMatrix | DenseBlock> {
  const reader = new ByteReader(name, chunks);
  try {
    let vector: DenseBlock | undefined;
    do {
      if ((await classOf(reader)) === PETSC_MAT) return await afterTheRest(reader, await readMat(reader));
      const next = await readVec(reader);
      vector ??= next;
    } while (!(await reader.atEnd()));
    return vector;
  } finally {
    reader.letGo();
  }
}

/**
 * Finds the rows of the matrix with which a file begins. Returns undefined if it begins with something else, or ends elsewhere than this says:
 * `readPetscMatrix` then tells what is wrong.
 */
export async function findPetscRows(file: string, disk: OpenDisk): Promise<RowsInFile | undefined> {
  const reader = readerAt(disk, file, 0);
  if (disk.size < MATRIX_BYTES) return undefined;
  const [object, rows, cols, nnz] = (await header(reader, 4, 'a matrix')) as [number, number, number, number];
  if (object !== PETSC_MAT || Math.min(rows, cols, nnz) < 0) return undefined;
  const columns = MATRIX_BYTES + INT_BYTES * rows;
  const values = columns + INT_BYTES * nnz;
  const end = values + bytesOf(SCALAR) * nnz;
  if (end > disk.size) return undefined;
  if (end < disk.size) {
    const [next] = await header(readerAt(disk, file, end), 1, 'another object of PETSc').catch(() => []);
    if (next === undefined || !isClass(next)) return undefined;
  }
  return {
    ...{ file, rows, cols, nnz, field: 'real' },
    lengths: { begin: MATRIX_BYTES, type: INT },
    columns: { begin: columns, type: INT },
    values: { begin: values, type: SCALAR },
  };
}

/** The first vector of a file, behind a matrix or not. */
export async function readPetscVector({ name, chunks }: PlainFile, columns: number | undefined): Promise<DenseBlock> {
  const reader = new ByteReader(name, chunks);
  try {
    for (;;) {
      const object = await classOf(reader);
      if (object === PETSC_VEC) {
        const vector = await readVec(reader);
        checkColumns(name, vector.rows, 1, columns);
        return await afterTheRest(reader, vector);
      }
      await readMat(reader);
    }
  } finally {
    reader.letGo();
  }
}

/**
 * What was read, once the rest of the file has passed: behind it is the checksum of a compressed file. It begins with another object, unless
 * values have another size than 64 bits.
 */
async function afterTheRest<T>(reader: ByteReader, object: T): Promise<T> {
  if (await reader.atEnd()) return object;
  const at = reader.position;
  const expected = 'the end of the file, or another object of PETSc (values are real, of 64 bits)';
  const [next] = await header(reader, 1, expected);
  if (!isClass(next!)) throw reader.error(expected, `${next}`, at);
  while (!(await reader.atEnd())) await reader.piece(Number.POSITIVE_INFINITY, 'the rest');
  return object;
}

function isClass(object: number): boolean {
  return object >= FIRST_CLASS && object < LAST_CLASS;
}

async function classOf(reader: ByteReader): Promise<number> {
  const at = reader.position;
  const [object] = await header(reader, 1, 'a matrix or a vector of PETSc');
  if (object === PETSC_MAT || object === PETSC_VEC) return object;
  const wide = object === 0 && (await header(reader, 1, 'a matrix or a vector of PETSc'))[0];
  if (wide === PETSC_MAT || wide === PETSC_VEC) throw reader.error('indices of 32 bits', PETSC_WIDE, at);
  throw reader.error(`a matrix (${PETSC_MAT}) or a vector (${PETSC_VEC}) of PETSc`, `${object}`, at);
}

async function readMat(reader: ByteReader): Promise<CsrMatrix> {
  const begin = reader.position;
  const [rows, cols, nnz] = await header(reader, 3, 'rows, columns and entries');
  if (nnz === DENSE) throw reader.error('a sparse matrix (AIJ)', 'a dense one', begin);
  for (const size of [rows!, cols!, nnz!])
    if (size < 0) throw reader.error('sizes from 0 on', `${rows} × ${cols} with ${nnz} entries`, begin);
  const lengths = await readIndices(reader, INT, rows!, 'row lengths');
  const rowPtr = new Uint32Array(rows! + 1);
  let total = 0;
  for (let i = 0; i < rows!; i++) {
    total += lengths[i]!;
    rowPtr[i + 1] = total;
  }
  if (total !== nnz) throw reader.error(`row lengths with the sum ${nnz}`, `the sum ${total}`, begin + 3 * INT_BYTES);
  const colIdx = await readIndices(reader, INT, nnz, 'columns');
  const values = await readFloats(reader, SCALAR, nnz, 'values');
  return madeFrom(reader.file, () => csrMatrix({ rows: rows!, cols: cols!, rowPtr, colIdx, values }));
}

async function readVec(reader: ByteReader): Promise<DenseBlock> {
  const begin = reader.position;
  const [rows] = await header(reader, 1, 'the length of a vector');
  if (rows! < 0) throw reader.error('a length from 0 on', `${rows}`, begin);
  checkBlock(reader.file, rows!, 1);
  return { rows: rows!, columns: 1, values: await readFloats(reader, SCALAR, rows!, 'values') };
}

async function header(reader: ByteReader, count: number, what: string): Promise<number[]> {
  const view = new DataView((await reader.take(count * INT_BYTES, what)).buffer);
  return Array.from({ length: count }, (_, k) => view.getInt32(k * INT_BYTES));
}
