/** The residual of a solution, computed apart from the library. */
import type { CsrMatrix } from '#dist/core/csr.js';

/** b − A x */
export function residualOf({ rows, rowPtr, colIdx, values }: CsrMatrix, x: ArrayLike<number>, b: ArrayLike<number>) {
  const r = Float64Array.from(b);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) r[i]! -= values[k]! * x[colIdx[k]!]!;
  }
  return r;
}

/** ‖v‖₂ */
export function normOf(v: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < v.length; i++) sum += v[i]! ** 2;
  return Math.sqrt(sum);
}

/** ‖b − A x‖₂ / ‖b‖₂ */
export function relativeResidual(matrix: CsrMatrix, x: ArrayLike<number>, b: ArrayLike<number>): number {
  return normOf(residualOf(matrix, x, b)) / normOf(b);
}
