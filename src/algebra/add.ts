/** α A + β B. */
import { finite, integer } from '../core/checks.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Symmetry } from '../core/types.js';
import { newMatrix } from './new-matrix.js';

/**
 * α A + β B, with an entry wherever A or B has one, even if it is zero. O(rows + entries), on the caller's thread; for several operations
 * in a row, or large matrices, `engine.matrix(a).add(b)` uses all threads.
 *
 * @param a of the same size as b
 * @param alpha finite; default 1
 * @param beta finite; default 1
 * @throws SparlaneError `shape` if the sizes differ; `argument`, also for more than 2³² − 1 entries; and as `csrMatrix`
 */
export function addMatrices(a: MatrixInput, b: MatrixInput, alpha = 1, beta = 1): CsrMatrix {
  const [left, right] = [csrMatrix(a), csrMatrix(b)];
  checkSizes(left, right);
  const { rows, cols } = left;
  const factors = [finite('alpha', alpha), finite('beta', beta)] as const;
  const rowPtr = countUnions(left, right);
  const colIdx = new Uint32Array(rowPtr[rows]!);
  const values = new Float64Array(rowPtr[rows]!);
  for (let i = 0; i < rows; i++) mergeRow(left, right, i, factors, colIdx, values, rowPtr[i]!);
  return newMatrix({ rows, cols, rowPtr, colIdx, values, symmetry: symmetryOfSum(left, right) });
}

/** @throws SparlaneError `shape` if the sizes differ */
export function checkSizes({ rows, cols }: CsrMatrix, b: CsrMatrix): void {
  if (b.rows !== rows || b.cols !== cols)
    throw mismatch('shape', 'b', `${rows} × ${cols}, as a`, `${b.rows} × ${b.cols}`);
}

export function symmetryOfSum(a: CsrMatrix, b: CsrMatrix): Symmetry {
  return a.symmetry === b.symmetry ? a.symmetry : 'general';
}

/** The row pointers of the sum. */
function countUnions(a: CsrMatrix, b: CsrMatrix): Uint32Array {
  const rowPtr = new Uint32Array(a.rows + 1);
  let count = 0;
  for (let i = 0; i < a.rows; i++) {
    const [endA, endB] = [a.rowPtr[i + 1]!, b.rowPtr[i + 1]!];
    let k = a.rowPtr[i]!;
    let m = b.rowPtr[i]!;
    count += endA - k + endB - m;
    while (k < endA && m < endB) {
      const [colA, colB] = [a.colIdx[k]!, b.colIdx[m]!];
      if (colA === colB) count--;
      if (colA <= colB) k++;
      if (colB <= colA) m++;
    }
    rowPtr[i + 1] = integer('entries of the sum', count);
  }
  return rowPtr;
}

/** Writes row i of the sum from place `write` on. */
function mergeRow(
  a: CsrMatrix,
  b: CsrMatrix,
  i: number,
  [alpha, beta]: readonly [number, number],
  colIdx: Uint32Array,
  values: Float64Array,
  write: number,
): void {
  const [endA, endB] = [a.rowPtr[i + 1]!, b.rowPtr[i + 1]!];
  let k = a.rowPtr[i]!;
  let m = b.rowPtr[i]!;
  while (k < endA && m < endB) {
    const [colA, colB] = [a.colIdx[k]!, b.colIdx[m]!];
    colIdx[write] = colA < colB ? colA : colB;
    if (colA < colB) values[write++] = alpha * a.values[k++]!;
    else if (colB < colA) values[write++] = beta * b.values[m++]!;
    else values[write++] = alpha * a.values[k++]! + beta * b.values[m++]!;
  }
  for (; k < endA; k++) {
    colIdx[write] = a.colIdx[k]!;
    values[write++] = alpha * a.values[k]!;
  }
  for (; m < endB; m++) {
    colIdx[write] = b.colIdx[m]!;
    values[write++] = beta * b.values[m]!;
  }
}
