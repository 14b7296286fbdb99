/**
 * The hub: every matrix enters as compressed sparse rows, is validated here once, and is trusted from then on.
 *
 * Canonical: columns ascend strictly within a row, so there are no duplicates. Arrays that are canonical already are
 * taken as they are, without a copy; others are sorted and their duplicates summed into new arrays.
 */
import { integer, oneOf } from './checks.js';
import { mismatch, show } from './errors.js';
import type { Field, FloatArray, Symmetry } from './types.js';

export interface CsrMatrix {
  readonly rows: number;
  readonly cols: number;
  /** Stored entries, explicit zeros included; at most 2³² − 1. */
  readonly nnz: number;
  /** Length rows + 1: row i holds the entries rowPtr[i] … rowPtr[i + 1] − 1. */
  readonly rowPtr: Uint32Array;
  /** Length nnz, ascending strictly within a row. */
  readonly colIdx: Uint32Array;
  /** Length nnz. All ones when `field` is `pattern`. */
  readonly values: FloatArray;
  readonly field: Field;
  /** As the source says; both triangles are stored whatever it says. */
  readonly symmetry: Symmetry;
}

export type NumberArray = ArrayLike<number>;

/** CSR arrays as a caller has them: any numbers in any array-like, rows in any order of columns. */
export interface CsrInput {
  rows: number;
  cols: number;
  rowPtr: NumberArray;
  colIdx: NumberArray;
  /** Left out: a pattern, every entry 1. */
  values?: NumberArray;
  field?: Field;
  symmetry?: Symmetry;
}

/**
 * Validates CSR arrays and makes them canonical. O(rows + nnz).
 *
 * @throws SparlaneError `shape` where lengths do not fit, `structure` where pointers decrease or a column is out of
 *   range, `argument` where a number is negative, fractional or too large.
 */
export function csrMatrix(input: CsrInput): CsrMatrix {
  if (typeof input !== 'object' || input === null) {
    throw mismatch('argument', 'matrix', '{ rows, cols, rowPtr, colIdx, values }', input);
  }
  const rows = integer('rows', input.rows);
  const cols = integer('cols', input.cols);
  const rowPtr = asIndices('rowPtr', input.rowPtr);
  const colIdx = asIndices('colIdx', input.colIdx);
  const nnz = integer('nnz', colIdx.length);
  if (rowPtr.length !== rows + 1) {
    throw mismatch('shape', 'rowPtr', `length rows + 1 = ${rows + 1}`, input.rowPtr, { rows, length: rowPtr.length });
  }
  checkRowPtr(rowPtr, nnz);
  const values = input.values === undefined ? new Float64Array(nnz).fill(1) : asFloats('values', input.values);
  if (values.length !== nnz) {
    throw mismatch('shape', 'values', `length nnz = ${nnz}`, input.values, { nnz, length: values.length });
  }
  const field = oneOf('field', input.field ?? (input.values ? 'real' : 'pattern'), ['real', 'integer', 'pattern']);
  const symmetry = oneOf('symmetry', input.symmetry ?? 'general', ['general', 'symmetric', 'skew-symmetric']);
  if (symmetry !== 'general' && rows !== cols) {
    throw mismatch('shape', 'symmetry', "'general' for a matrix that is not square", symmetry, { rows, cols });
  }
  const matrix: CsrMatrix = { rows, cols, nnz, rowPtr, colIdx, values, field, symmetry };
  return checkColumns(matrix) ? matrix : canonical(matrix);
}

/** Sorts the rows of a matrix whose columns are in range, and sums duplicates. Allocates new arrays. */
export function canonical(matrix: CsrMatrix): CsrMatrix {
  const { rows, rowPtr } = matrix;
  const colIdx = matrix.colIdx.slice();
  const values = matrix.values.slice();
  for (let i = 0; i < rows; i++) sortRow(colIdx, values, rowPtr[i]!, rowPtr[i + 1]!);
  const newPtr = rowPtr.slice();
  const nnz = sumDuplicates(newPtr, colIdx, values);
  if (nnz === matrix.nnz) return { ...matrix, colIdx, values };
  return { ...matrix, nnz, rowPtr: newPtr, colIdx: colIdx.slice(0, nnz), values: values.slice(0, nnz) };
}

/** Sorts one row by column, in place and stably; a row that is sorted costs one comparison per entry. */
export function sortRow(colIdx: Uint32Array, values: FloatArray, begin: number, end: number): void {
  let sorted = begin + 1;
  while (sorted < end && colIdx[sorted - 1]! <= colIdx[sorted]!) sorted++;
  if (sorted >= end) return;
  if (end - begin > INSERTION_SORT_LIMIT) {
    sortLongRow(colIdx, values, begin, end);
    return;
  }
  for (let k = sorted; k < end; k++) {
    const column = colIdx[k]!;
    const value = values[k]!;
    let hole = k;
    for (; hole > begin && colIdx[hole - 1]! > column; hole--) {
      colIdx[hole] = colIdx[hole - 1]!;
      values[hole] = values[hole - 1]!;
    }
    colIdx[hole] = column;
    values[hole] = value;
  }
}

/** Where the quadratic sort stops being a good idea; any value from 16 to 64 will do. */
const INSERTION_SORT_LIMIT = 32;

/** column · 2²¹ does not overflow 2⁵³, so column and place sort as one number, in native code. */
const PLACES = 2 ** 21;

function sortLongRow(colIdx: Uint32Array, values: FloatArray, begin: number, end: number): void {
  const length = end - begin;
  const columns = colIdx.slice(begin, end);
  const copy = values.slice(begin, end);
  const emit = (place: number, k: number) => {
    colIdx[begin + k] = columns[place]!;
    values[begin + k] = copy[place]!;
  };
  if (length <= PLACES) {
    const keys = Float64Array.from(columns, (column, place) => column * PLACES + place).sort();
    for (let k = 0; k < length; k++) emit(keys[k]! % PLACES, k);
  } else {
    const places = Uint32Array.from(columns, (_, place) => place);
    places.sort((a, b) => columns[a]! - columns[b]! || a - b);
    for (let k = 0; k < length; k++) emit(places[k]!, k);
  }
}

/** Sums equal columns of sorted rows, in place, from left to right; returns the number of entries left. */
export function sumDuplicates(rowPtr: Uint32Array, colIdx: Uint32Array, values: FloatArray): number {
  let write = 0;
  let begin = 0;
  for (let i = 0; i + 1 < rowPtr.length; i++) {
    const end = rowPtr[i + 1]!;
    const first = write;
    for (let k = begin; k < end; k++) {
      if (write > first && colIdx[write - 1] === colIdx[k]) {
        values[write - 1]! += values[k]!;
      } else {
        colIdx[write] = colIdx[k]!;
        values[write++] = values[k]!;
      }
    }
    begin = end;
    rowPtr[i + 1] = write;
  }
  return write;
}

function checkRowPtr(rowPtr: Uint32Array, nnz: number): void {
  if (rowPtr[0] !== 0) throw mismatch('structure', 'rowPtr[0]', '0', rowPtr[0]);
  for (let i = 1; i < rowPtr.length; i++) {
    if (rowPtr[i]! < rowPtr[i - 1]!) {
      throw mismatch('structure', `rowPtr[${i}]`, `at least rowPtr[${i - 1}] = ${rowPtr[i - 1]}`, rowPtr[i], {
        index: i,
      });
    }
  }
  const last = rowPtr.length - 1;
  if (rowPtr[last] !== nnz)
    throw mismatch('structure', `rowPtr[${last}]`, `the length of colIdx = ${nnz}`, rowPtr[last]);
}

/** Throws at a column out of range; false where some row is not strictly ascending. */
function checkColumns({ rows, cols, rowPtr, colIdx }: CsrMatrix): boolean {
  let ascending = true;
  for (let i = 0; i < rows; i++) {
    let previous = -1;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const column = colIdx[k]!;
      if (column >= cols) {
        throw mismatch('structure', `colIdx[${k}]`, `a column below cols = ${cols}`, column, {
          index: k,
          row: i,
          cols,
        });
      }
      if (column <= previous) ascending = false;
      previous = column;
    }
  }
  return ascending;
}

/** Indices as Uint32Array; without a copy where they are 32-bit integers already. */
function asIndices(name: string, source: NumberArray): Uint32Array {
  if (source instanceof Uint32Array) return checkAttached(name, source);
  if (!isArrayLike(source)) throw mismatch('argument', name, 'an array of integers', source);
  if (source instanceof Int32Array) checkAttached(name, source);
  for (let k = 0; k < source.length; k++) {
    const value = source[k]!;
    if (!(Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff)) {
      throw mismatch('argument', `${name}[${k}]`, 'an integer from 0 to 4294967295', value, { index: k });
    }
  }
  if (source instanceof Int32Array) return new Uint32Array(source.buffer, source.byteOffset, source.length);
  return Uint32Array.from(source);
}

/** Values as Float64Array or Float32Array; without a copy where they are one already. */
export function asFloats(name: string, source: NumberArray): FloatArray {
  if (source instanceof Float64Array || source instanceof Float32Array) return checkAttached(name, source);
  if (!isArrayLike(source)) throw mismatch('argument', name, 'an array of numbers', source);
  for (let k = 0; k < source.length; k++) {
    if (typeof source[k] !== 'number') throw mismatch('argument', `${name}[${k}]`, 'a number', source[k], { index: k });
  }
  return Float64Array.from(source);
}

/** A detached buffer reads as length 0; say so, instead of complaining about the length. */
export function checkAttached<T extends ArrayBufferView>(name: string, view: T): T {
  const { buffer } = view;
  const detached = 'detached' in buffer ? buffer.detached : buffer instanceof ArrayBuffer && isDetached(buffer);
  if (detached) throw mismatch('argument', name, 'an array whose buffer is attached', `a detached ${show(view)}`);
  return view;
}

/** `ArrayBuffer.prototype.detached` came with Node 22; a view cannot be made over a detached buffer in any version. */
function isDetached(buffer: ArrayBuffer): boolean {
  if (buffer.byteLength > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

function isArrayLike(value: unknown): value is NumberArray {
  return typeof value === 'object' && value !== null && Number.isInteger((value as NumberArray).length);
}
