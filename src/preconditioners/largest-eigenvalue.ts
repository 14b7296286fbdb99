/**
 * An upper bound of the eigenvalues of D⁻¹ A for a symmetric A with a positive diagonal D: those of S = D^-½ A D^-½, by a few steps of
 * Lanczos from a fixed vector, with a margin; and never more than the largest sum of a row of |D⁻¹ A| (Gershgorin).
 */
import { extremeEigenvalues } from '../algebra/tridiagonal.js';
import type { CsrMatrix } from '../core/csr.js';
import { norm2 } from '../core/norms.js';
import type { FloatArray } from '../core/types.js';

/** The largest eigenvalue of a Laplacian is then found to about 2 %. */
const STEPS = 10;
const MARGIN = 1.1;

export function largestEigenvalue(
  matrix: Pick<CsrMatrix, 'rows' | 'rowPtr' | 'colIdx'>,
  values: FloatArray,
  diagonal: Float64Array,
): number {
  const { rows, rowPtr, colIdx } = matrix;
  if (rows === 0) return 1;
  let rowSum = 0;
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sum += Math.abs(values[k]!);
    rowSum = Math.max(rowSum, sum / diagonal[i]!);
  }
  const scale = diagonal.map((value) => 1 / Math.sqrt(value));
  const multiply = (x: Float64Array, y: Float64Array) => {
    for (let i = 0; i < rows; i++) {
      let sum = 0;
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sum += values[k]! * scale[colIdx[k]!]! * x[colIdx[k]!]!;
      y[i] = scale[i]! * sum;
    }
  };
  return Math.min(rowSum, MARGIN * lanczos(rows, multiply));
}

/** The largest Ritz value. */
function lanczos(n: number, multiply: (x: Float64Array, y: Float64Array) => void): number {
  let before: Float64Array = new Float64Array(n);
  let v = startVector(n);
  let w: Float64Array = new Float64Array(n);
  const alphas: number[] = [];
  const betas: number[] = [];
  let beta = norm2(v);
  for (let step = 0; step < STEPS && beta > 0; step++) {
    for (let i = 0; i < n; i++) v[i]! /= beta;
    multiply(v, w);
    let alpha = 0;
    for (let i = 0; i < n; i++) alpha += v[i]! * w[i]!;
    const last = step === 0 ? 0 : beta;
    for (let i = 0; i < n; i++) w[i]! -= alpha * v[i]! + last * before[i]!;
    alphas.push(alpha);
    beta = norm2(w);
    betas.push(beta);
    [before, v, w] = [v, w, before];
  }
  return extremeEigenvalues(alphas, betas).greatest;
}

/** Numbers in (−1, 1) that look random. */
function startVector(n: number): Float64Array {
  let state = 1;
  return Float64Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
