/**
 * Complex matrices: compressed rows whose values are pairs (re, im), one after the other in one array.
 *
 * Complex numbers are pairs of real ones wherever the library computes: a vector of Cⁿ is one of R²ⁿ, re₀, im₀, re₁, im₁ …, whose inner product
 * x · y is the real part of xᴴ y. There a complex matrix is a real one of blocks [re −im; im re], its real equivalent, and the transpose of that is its
 * conjugate transpose. So vectors, norms, and every method whose coefficients are real need nothing of their own.
 */
import { asFloats, type NumberArray } from './arrays.js';
import { boolean, knownKeys, oneOf } from './checks.js';
import { type CooInput, type CscInput, type CsrInput, type CsrMatrix, csrMatrix, type MatrixInput } from './csr.js';
import { mismatch } from './errors.js';
import { transposedPlaces } from './transpose.js';
import { trust } from './trusted.js';
import type { FloatArray, Symmetry } from './types.js';

/** A complex number. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** The relation of A to Aᵀ or Aᴴ that a source declares. `skew-symmetric`: Aᵀ = −A. */
export type ComplexSymmetry = 'general' | 'symmetric' | 'skew-symmetric' | 'hermitian';
export const COMPLEX_SYMMETRIES: readonly ComplexSymmetry[] = ['general', 'symmetric', 'skew-symmetric', 'hermitian'];

/** Compressed rows, as of a real matrix, with two values for each entry. */
export interface ComplexMatrix extends Omit<CsrMatrix, 'values' | 'field' | 'symmetry'> {
  /** Length 2 nnz: entry k is values[2 k] + i values[2 k + 1]. */
  readonly values: FloatArray;
  readonly field: 'complex';
  /** As declared by the source. Both triangles are stored in any case. */
  readonly symmetry: ComplexSymmetry;
}

/** The members that arrays of a complex matrix have in place of those of a real one. */
export interface ComplexArrays {
  /** Two numbers for each entry: its real part, then its imaginary part. */
  values: NumberArray;
  field?: 'complex';
  /** Default `general`. The arrays hold both triangles in any case. */
  symmetry?: ComplexSymmetry;
}

/** The arrays of a complex matrix: those of a real one, CSR, CSC or COO, with two values for each entry. */
export type ComplexInput =
  | (Omit<CsrInput, keyof ComplexArrays> & ComplexArrays)
  | (Omit<CscInput, keyof ComplexArrays> & ComplexArrays)
  | (Omit<CooInput, keyof ComplexArrays> & ComplexArrays);

const TRUSTED = new WeakSet<object>();

/**
 * Validates the arrays of a complex matrix and converts them to canonical CSR, as `csrMatrix` does for a real one: columns ascend, duplicates are
 * summed. Canonical arrays are not copied.
 *
 * @throws as `csrMatrix`; SparlaneError `shape` if the values are not two for each entry
 *
 * @example
 * complexMatrix({ rows: 1, cols: 2, rowPtr: [0, 2], colIdx: [0, 1], values: [1, 2, 0, -1] }); // [1 + 2i, −i]
 */
export function complexMatrix(input: ComplexInput): ComplexMatrix {
  if (isComplexMatrix(input)) return input;
  if (typeof input !== 'object' || input === null) throw mismatch('argument', 'matrix', 'a complex matrix', input);
  if (input.field !== undefined) oneOf('field', input.field, ['complex']);
  const symmetry = oneOf('symmetry', input.symmetry ?? 'general', COMPLEX_SYMMETRIES);
  const { values: given, field: _, symmetry: __, ...arrays } = input;
  const pairs = asFloats('values', given);
  const nnz = (input.colIdx ?? input.rowIdx)?.length ?? 0;
  if (pairs.length !== 2 * nnz)
    throw mismatch('shape', 'values', `length 2 nnz = ${2 * nnz}, two numbers for each entry`, given, { nnz });
  const parts = [0, 1].map((part) => everySecond(pairs, part));
  const [re, im] = parts.map((values) => csrMatrix({ ...(arrays as CsrInput), values })) as [CsrMatrix, CsrMatrix];
  const { rows, cols } = re;
  if (symmetry !== 'general' && rows !== cols)
    throw mismatch('shape', 'symmetry', "'general' for a matrix that is not square", symmetry, { rows, cols });
  // csrMatrix keeps the values that it gets with canonical arrays.
  return re.values === parts[0]
    ? trusted({ ...re, values: pairs, field: 'complex', symmetry })
    : complexOfParts(re, im, symmetry);
}

/** The complex matrix re + i im of two real ones with entries at the same places. Keeps the pointers and the columns of the first. */
export function complexOfParts(re: CsrMatrix, im: CsrMatrix, symmetry: ComplexSymmetry): ComplexMatrix {
  const { rows, cols, nnz, rowPtr, colIdx } = re;
  const values = interleaved(re.values, im.values);
  return trusted({ rows, cols, nnz, rowPtr, colIdx, values, field: 'complex', symmetry });
}

/** Returns the real parts and the imaginary parts of the entries, as two matrices. */
export function partsOfComplex({ rows, cols, nnz, rowPtr, colIdx, values, symmetry }: ComplexMatrix): CsrMatrix[] {
  return [0, 1].map((part) => {
    const arrays = { rowPtr, colIdx, values: everySecond(values, part) };
    return trust({ rows, cols, nnz, ...arrays, field: 'real', symmetry: symmetryOfPart(symmetry, part) });
  });
}

/** Returns the symmetry that the real parts of a complex matrix have (`part` 0), or its imaginary parts (1). */
export function symmetryOfPart(symmetry: ComplexSymmetry, part: number): Symmetry {
  if (symmetry !== 'hermitian') return symmetry;
  return part === 0 ? 'symmetric' : 'skew-symmetric';
}

/**
 * The complex matrix re + i im, with an entry wherever one of the two has one.
 *
 * @param im default: no entries
 * @throws as `csrMatrix`; SparlaneError `shape` if the sizes differ
 */
export function complexFrom(re: CsrMatrix, im?: CsrMatrix, symmetry?: ComplexSymmetry): ComplexMatrix {
  const a = csrMatrix(re);
  const b = csrMatrix(im ?? { ...a, rowPtr: new Uint32Array(a.rows + 1), colIdx: [], values: [], field: 'real' });
  const { rows, cols } = a;
  if (b.rows !== rows || b.cols !== cols)
    throw mismatch('shape', 'im', `${rows} × ${cols}, as re`, `${b.rows} × ${b.cols}`);
  const count = a.nnz + b.nnz;
  const [rowIdx, colIdx, values] = [new Uint32Array(count), new Uint32Array(count), new Float64Array(2 * count)];
  let at = 0;
  for (const [part, matrix] of [a, b].entries()) {
    for (let i = 0; i < rows; i++) {
      for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++, at++) {
        rowIdx[at] = i;
        colIdx[at] = matrix.colIdx[k]!;
        values[2 * at + part] = matrix.values[k]!;
      }
    }
  }
  const isAlike = im === undefined || a.symmetry === b.symmetry;
  return complexMatrix({
    rows,
    cols,
    rowIdx,
    colIdx,
    values,
    symmetry: symmetry ?? (isAlike ? a.symmetry : 'general'),
  });
}

/** Whether this very object was checked by `complexMatrix`, and still has its arrays. */
export function isComplexMatrix(matrix: unknown): matrix is ComplexMatrix {
  if (typeof matrix !== 'object' || matrix === null || !TRUSTED.has(matrix)) return false;
  const { rows, nnz, rowPtr, colIdx, values } = matrix as ComplexMatrix;
  return rowPtr.length === rows + 1 && colIdx.length === nnz && values.length === 2 * nnz;
}

function trusted(matrix: ComplexMatrix): ComplexMatrix {
  TRUSTED.add(Object.freeze(matrix));
  return matrix;
}

/**
 * The real matrix of the same pattern whose values are the numbers of the entries, from 1 on. What moves its entries, such as a layout, or a division
 * among ranks, moves those of the complex matrix: `pairsOf` finds their pairs.
 */
export function numberedEntries({ rows, cols, nnz, rowPtr, colIdx }: ComplexMatrix): CsrMatrix {
  const values = new Float64Array(nnz);
  for (let k = 0; k < nnz; k++) values[k] = k + 1;
  return trust({ rows, cols, nnz, rowPtr, colIdx, values, field: 'real', symmetry: 'general' });
}

/** The pairs of entries that are given by their numbers. */
export function pairsOf(numbers: NumberArray, { values }: ComplexMatrix): FloatArray {
  const pairs = new (values instanceof Float64Array ? Float64Array : Float32Array)(2 * numbers.length);
  for (let k = 0; k < numbers.length; k++) {
    pairs[2 * k] = values[2 * numbers[k]! - 2]!;
    pairs[2 * k + 1] = values[2 * numbers[k]! - 1]!;
  }
  return pairs;
}

/** Returns the real parts (`part` 0) or the imaginary parts (1) of pairs. */
export function everySecond(pairs: FloatArray, part: number): FloatArray {
  const numbers =
    pairs instanceof Float64Array ? new Float64Array(pairs.length / 2) : new Float32Array(pairs.length / 2);
  for (let k = 0; k < numbers.length; k++) numbers[k] = pairs[2 * k + part]!;
  return numbers;
}

function interleaved(re: FloatArray, im: FloatArray): FloatArray {
  const pairs = re instanceof Float64Array ? new Float64Array(2 * re.length) : new Float32Array(2 * re.length);
  for (let k = 0; k < re.length; k++) {
    pairs[2 * k] = re[k]!;
    pairs[2 * k + 1] = im[k]!;
  }
  return pairs;
}

/** Returns Aᴴ, or with `conjugate: false` Aᵀ. O(rows + cols + nnz). */
export function adjointMatrix(matrix: ComplexMatrix, options: { readonly conjugate?: boolean } = {}): ComplexMatrix {
  knownKeys('options', options, { conjugate: true });
  const conjugate = boolean('conjugate', options.conjugate ?? true);
  const checked = complexMatrix(matrix);
  const { rows, cols, nnz, symmetry, values: source } = checked;
  const { ptr, idx, source: places } = transposedPlaces(checked);
  const values = new Float64Array(2 * nnz);
  for (let k = 0; k < nnz; k++) {
    const im = source[2 * places[k]! + 1]!;
    values[2 * k] = source[2 * places[k]!]!;
    values[2 * k + 1] = conjugate ? -im : im;
  }
  return trusted({ rows: cols, cols: rows, nnz, rowPtr: ptr, colIdx: idx, values, field: 'complex', symmetry });
}

/**
 * The real matrix of twice the size that does the same to pairs: each entry is a block [re −im; im re] of it. It is symmetric if A is Hermitian, and then
 * positive definite if A is. So whatever computes with real matrices, such as factors and preconditioners, computes with complex ones.
 */
export function realEquivalent(matrix: ComplexMatrix): CsrMatrix {
  const { rows, cols, nnz, rowPtr: from, colIdx: columns, values: pairs, symmetry } = complexMatrix(matrix);
  const [rowPtr, colIdx, values] = [new Uint32Array(2 * rows + 1), new Uint32Array(4 * nnz), new Float64Array(4 * nnz)];
  for (let i = 0; i < rows; i++) {
    const begin = 4 * from[i]!;
    const width = 2 * (from[i + 1]! - from[i]!);
    rowPtr[2 * i + 1] = begin + width;
    rowPtr[2 * i + 2] = begin + 2 * width;
    for (let k = from[i]!, at = begin; k < from[i + 1]!; k++, at += 2) {
      const re = pairs[2 * k]!;
      const im = pairs[2 * k + 1]!;
      const below = at + width;
      colIdx[at] = 2 * columns[k]!;
      colIdx[at + 1] = 2 * columns[k]! + 1;
      colIdx[below] = 2 * columns[k]!;
      colIdx[below + 1] = 2 * columns[k]! + 1;
      values[at] = re;
      values[at + 1] = -im;
      values[below] = im;
      values[below + 1] = re;
    }
  }
  const sizes = { rows: 2 * rows, cols: 2 * cols, nnz: 4 * nnz };
  const symmetryOfReal = symmetry === 'hermitian' ? 'symmetric' : 'general';
  return trust({ ...sizes, rowPtr, colIdx, values, field: 'real', symmetry: symmetryOfReal });
}

/** Returns a real matrix, checked, or the real equivalent of a complex one. @throws as `csrMatrix` */
export function realMatrix(input: MatrixInput | ComplexMatrix): CsrMatrix {
  return isComplexMatrix(input) ? realEquivalent(input) : csrMatrix(input as MatrixInput);
}
