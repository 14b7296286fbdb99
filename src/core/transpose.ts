/** The other side of a matrix. */
import type { CsrMatrix } from './csr.js';

/** Where entries are, not what they are, as compressed rows. */
export interface Pattern {
  /** Row i has the columns idx[ptr[i]] … idx[ptr[i + 1] − 1], ascending. */
  readonly ptr: Uint32Array;
  readonly idx: Uint32Array;
}

/** The pattern of Aᵀ: a counting sort by column. O(rows + cols + nnz). */
export function transposedPattern({ rows, cols, nnz, rowPtr, colIdx }: CsrMatrix): Pattern {
  // Shifted by one, so that placing the entries turns begins into ends, which are the next rows' begins.
  const shifted = new Uint32Array(cols + 2);
  for (let k = 0; k < nnz; k++) shifted[colIdx[k]! + 2]!++;
  for (let col = 2; col < shifted.length; col++) shifted[col]! += shifted[col - 1]!;
  const idx = new Uint32Array(nnz);
  for (let row = 0; row < rows; row++) {
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) idx[shifted[colIdx[k]! + 1]!++] = row;
  }
  return { ptr: shifted.subarray(0, cols + 1), idx };
}
