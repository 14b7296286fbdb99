/** Writes binary files of PETSc. Several writers may write their rows at the same time, since every array has its place. */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { turnAround } from '../bytes/numbers.js';
import { INT_BYTES, MATRIX_BYTES, PETSC_MAT } from './magic.js';

/** Bytes belong at place `at` of a file. */
export interface PlacedBytes {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A writer has some rows of a matrix, and knows what is before them. */
export interface RowsOfFile {
  /** Of the whole matrix. */
  readonly shape: Pick<CsrMatrix, 'rows' | 'cols' | 'nnz'>;
  readonly firstRow: number;
  /** So many entries are in the rows before. */
  readonly firstEntry: number;
  readonly matrix: CsrMatrix;
}

/** PETSc's integers have 32 bits. */
const MOST = 2 ** 31 - 1;
/** So many numbers are copied and turned around at a time. Chosen. */
const PIECE_NUMBERS: number = 2 ** 15;

/** @throws SparlaneError `heap` for sizes that PETSc's integers of 32 bits do not hold */
export function* petscBytes({ shape, firstRow, firstEntry, matrix }: RowsOfFile): Generator<PlacedBytes> {
  const { rows, cols, nnz } = shape;
  const most = Math.max(rows, cols, nnz);
  if (most > MOST) throw mismatch('heap', 'matrix', `at most ${MOST} rows, columns and entries for PETSc`, most);
  if (firstRow === 0) yield { at: 0, bytes: bigEndian(Int32Array.of(PETSC_MAT, rows, cols, nnz)) };
  const { rowPtr, colIdx, values } = matrix;
  const lengths = Int32Array.from({ length: matrix.rows }, (_, i) => rowPtr[i + 1]! - rowPtr[i]!);
  yield* pieces(MATRIX_BYTES + INT_BYTES * firstRow, lengths);
  yield* pieces(MATRIX_BYTES + INT_BYTES * (rows + firstEntry), colIdx);
  yield* pieces(MATRIX_BYTES + INT_BYTES * (rows + nnz) + Float64Array.BYTES_PER_ELEMENT * firstEntry, values);
}

function* pieces(begin: number, numbers: Int32Array | Uint32Array | CsrMatrix['values']): Generator<PlacedBytes> {
  const isFloat = numbers instanceof Float32Array || numbers instanceof Float64Array;
  for (let k = 0; k < numbers.length; k += PIECE_NUMBERS) {
    const piece = numbers.subarray(k, k + PIECE_NUMBERS);
    const copy = isFloat ? Float64Array.from(piece) : Int32Array.from(piece);
    yield { at: begin + k * copy.BYTES_PER_ELEMENT, bytes: bigEndian(copy) };
  }
}

/** Returns the bytes of numbers, which it turns around in place. */
function bigEndian(numbers: Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>): Uint8Array {
  const bytes = new Uint8Array(numbers.buffer);
  turnAround(bytes, numbers.BYTES_PER_ELEMENT);
  return bytes;
}
