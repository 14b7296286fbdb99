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

/** ‖v‖₂, also where squares overflow or vanish. */
export function norm(v: Float64Array): number {
  const greatest = v.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (greatest === 0 || !Number.isFinite(greatest)) return greatest;
  return greatest * Math.sqrt(v.reduce((sum, value) => sum + (value / greatest) ** 2, 0));
}
