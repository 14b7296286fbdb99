/** What the checks of solvers compute without the library. */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';

export function diagonal(n: number, value: number): CsrMatrix {
  const colIdx = Uint32Array.from({ length: n }, (_, i) => i);
  const rowPtr = Uint32Array.from({ length: n + 1 }, (_, i) => i);
  return csrMatrix({ rows: n, cols: n, rowPtr, colIdx, values: new Float64Array(n).fill(value) });
}

/** b − A x, in plain TypeScript. */
export function residualOf(
  { rows, rowPtr, colIdx, values }: CsrMatrix,
  x: ArrayLike<number>,
  b: Float64Array,
): Float64Array {
  const r = b.slice();
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) r[i]! -= values[k]! * x[colIdx[k]!]!;
  }
  return r;
}

/** Aᵀ r */
export function timesTransposed({ rows, cols, rowPtr, colIdx, values }: CsrMatrix, r: Float64Array): Float64Array {
  const g = new Float64Array(cols);
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) g[colIdx[k]!]! += values[k]! * r[i]!;
  }
  return g;
}

/** ‖v‖₂ */
export function norm(v: Float64Array): number {
  return Math.sqrt(v.reduce((sum, value) => sum + value * value, 0));
}
