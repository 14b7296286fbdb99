/** Matrices → binary files of PETSc, of which several writers write their rows at the same time: every array has its place. */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { turnAround } from '../bytes/numbers.js';
import { PETSC_MAT } from './magic.js';

/** Bytes and where they belong in a file. */
export interface PlacedBytes {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Some rows of a matrix, and what is before them. */
export interface RowsOfFile {
  /** Of the whole matrix. */
  readonly shape: Pick<CsrMatrix, 'rows' | 'cols' | 'nnz'>;
  readonly firstRow: number;
  /** The entries of the rows before. */
  readonly firstEntry: number;
  readonly matrix: CsrMatrix;
}

/** PETSc's integers have 32 bits. */
const MOST = 2 ** 31 - 1;
const HEADER_BYTES = 16;
const PIECE_NUMBERS: number = 2 ** 15;

/** @throws SparlaneError `heap` for sizes that PETSc's integers of 32 bits do not hold */
export function* petscBytes({ shape, firstRow, firstEntry, matrix }: RowsOfFile): Generator<PlacedBytes> {
  const { rows, cols, nnz } = shape;
  const most = Math.max(rows, cols, nnz);
  if (most > MOST) throw mismatch('heap', 'matrix', `at most ${MOST} rows, columns and entries for PETSc`, most);
  if (firstRow === 0) yield { at: 0, bytes: bigEndian(Int32Array.of(PETSC_MAT, rows, cols, nnz)) };
  const { rowPtr, colIdx, values } = matrix;
  const lengths = Int32Array.from({ length: matrix.rows }, (_, i) => rowPtr[i + 1]! - rowPtr[i]!);
  yield* pieces(HEADER_BYTES + 4 * firstRow, lengths);
  yield* pieces(HEADER_BYTES + 4 * (rows + firstEntry), colIdx);
  yield* pieces(HEADER_BYTES + 4 * (rows + nnz) + 8 * firstEntry, values);
}

function* pieces(begin: number, numbers: Int32Array | Uint32Array | CsrMatrix['values']): Generator<PlacedBytes> {
  const isFloat = numbers instanceof Float32Array || numbers instanceof Float64Array;
  for (let k = 0; k < numbers.length; k += PIECE_NUMBERS) {
    const piece = numbers.subarray(k, k + PIECE_NUMBERS);
    const bytes = bigEndian(isFloat ? Float64Array.from(piece) : Int32Array.from(piece));
    yield { at: begin + k * (isFloat ? 8 : 4), bytes };
  }
}

/** The bytes of numbers that are nobody else's. */
function bigEndian(numbers: Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>): Uint8Array {
  const bytes = new Uint8Array(numbers.buffer);
  turnAround(bytes, numbers.BYTES_PER_ELEMENT);
  return bytes;
}
