/** The other side of a matrix. */
import type { CsrMatrix } from './csr.js';
import type { FloatArray } from './types.js';

/** Where entries are, not what they are, as compressed rows. */
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

/** The same with values. Rows of A may be in any order and have duplicates, which end up side by side, in the order that they had. */
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

/** Where each column begins, shifted by one: placing the entries turns begins into ends, which are the next columns' begins. */
function columnBegins({ cols, nnz, colIdx }: Rows): Uint32Array {
  const shifted = new Uint32Array(cols + 2);
  for (let k = 0; k < nnz; k++) shifted[colIdx[k]! + 2]!++;
  for (let col = 2; col < shifted.length; col++) shifted[col]! += shifted[col - 1]!;
  return shifted;
}
