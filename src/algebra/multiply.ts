/**
 * C = A B, row by row: row i of C is the sum of the rows of B, times the entries of row i of A.
 *
 * Source: Gustavson 1978, "Two Fast Algorithms for Sparse Matrices: Multiplication and Permuted Transposition". Two passes: the first
 *   one counts the entries of each row, so that the arrays have their final size; the second one computes them.
 */
import { sortRow } from '../core/canonical.js';
import { integer } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { newMatrix } from './new-matrix.js';

/**
 * C = A B, with an entry wherever some product contributes, even if the sum is zero. The sum of an entry is in the order of the columns
 * of A. Time: the number of products, and the sort of the rows of C. On the caller's thread; `engine.multiplyMatrices` uses all threads.
 *
 * @param b with as many rows as a has columns
 * @throws SparlaneError `shape` if the sizes do not fit; `argument` for more than 2³² − 1 entries; and as `csrMatrix`
 */
export function multiplyMatrices(a: MatrixInput, b: MatrixInput): CsrMatrix {
  const [left, right] = matricesThatFit(csrMatrix(a), csrMatrix(b));
  const { rows } = left;
  const { cols } = right;
  const rowPtr = countEntries(left, right);
  const nnz = rowPtr[rows]!;
  const colIdx = new Uint32Array(nnz);
  const values = new Float64Array(nnz);
  const sums = new Float64Array(cols);
  // Row i has reached a column if its mark is i + 1.
  const marks = new Uint32Array(cols);
  let write = 0;
  for (let i = 0; i < rows; i++) {
    const begin = write;
    for (let k = left.rowPtr[i]!; k < left.rowPtr[i + 1]!; k++) {
      const factor = left.values[k]!;
      const row = left.colIdx[k]!;
      for (let m = right.rowPtr[row]!; m < right.rowPtr[row + 1]!; m++) {
        const col = right.colIdx[m]!;
        if (marks[col] === i + 1) {
          sums[col]! += factor * right.values[m]!;
        } else {
          marks[col] = i + 1;
          sums[col] = factor * right.values[m]!;
          colIdx[write++] = col;
        }
      }
    }
    for (let k = begin; k < write; k++) values[k] = sums[colIdx[k]!]!;
    sortRow(colIdx, values, begin, write);
  }
  return newMatrix({ rows, cols, rowPtr, colIdx, values });
}

/** The factors of a product. @throws SparlaneError `shape` if their sizes do not fit */
export function matricesThatFit(left: CsrMatrix, right: CsrMatrix): readonly [left: CsrMatrix, right: CsrMatrix] {
  if (left.cols !== right.rows)
    throw mismatch('shape', 'b', `${left.cols} rows, as a has columns`, right.rows, {
      cols: left.cols,
      rows: right.rows,
    });
  return [left, right];
}

function countEntries(left: CsrMatrix, right: CsrMatrix): Uint32Array {
  const rowPtr = new Uint32Array(left.rows + 1);
  const marks = new Uint32Array(right.cols);
  let count = 0;
  for (let i = 0; i < left.rows; i++) {
    for (let k = left.rowPtr[i]!; k < left.rowPtr[i + 1]!; k++) {
      const row = left.colIdx[k]!;
      for (let m = right.rowPtr[row]!; m < right.rowPtr[row + 1]!; m++) {
        const col = right.colIdx[m]!;
        if (marks[col] === i + 1) continue;
        marks[col] = i + 1;
        count++;
      }
    }
    rowPtr[i + 1] = integer('entries of the product', count);
  }
  return rowPtr;
}
