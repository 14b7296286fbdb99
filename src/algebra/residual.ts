/** The residual of x by the numbers of a matrix, and how much of it rounding may be. */
import type { CsrMatrix } from '../core/csr.js';
import { norm2 } from '../core/norms.js';
import type { FloatArray } from '../core/types.js';

/** b − A x */
export function residualOf({ rows, rowPtr, colIdx, values }: CsrMatrix, x: FloatArray, b: FloatArray): Float64Array {
  const r = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let sum = b[i]!;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) sum -= values[k]! * x[colIdx[k]!]!;
    r[i] = sum;
  }
  return r;
}

/** Veltkamp's factor: a product with it splits a number of 53 bits into two of 26. */
const SPLITTER = 2 ** 27 + 1;

/**
 * b − A x with twice the bits of f64, rounded once: for residuals that are not large beside the rounding errors of their sums. Rows whose products
 * overflow in between are computed as `residualOf` does.
 *
 * Source: Ogita, Rump & Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005: Dot2.
 * Cost: 25 operations an entry.
 */
export function accurateResidualOf(matrix: CsrMatrix, x: FloatArray, b: FloatArray): Float64Array {
  const { rows, rowPtr, colIdx, values } = matrix;
  const r = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let sum = b[i]!;
    let errors = 0;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const a = values[k]!;
      const z = -x[colIdx[k]!]!;
      const product = a * z;
      const aLong = SPLITTER * a;
      const zLong = SPLITTER * z;
      const aHigh = aLong - (aLong - a);
      const zHigh = zLong - (zLong - z);
      const aLow = a - aHigh;
      const zLow = z - zHigh;
      const ofProduct = aLow * zLow - (product - aHigh * zHigh - aLow * zHigh - aHigh * zLow);
      const next = sum + product;
      const part = next - sum;
      errors += sum - (next - part) + (product - part) + ofProduct;
      sum = next;
    }
    r[i] = sum + errors;
  }
  if (r.every(Number.isFinite)) return r;
  const plain = residualOf(matrix, x, b);
  return r.map((value, i) => (Number.isFinite(value) ? value : plain[i]!));
}

/** The norm of (nᵢ + 1) (|A| |x|)ᵢ for the nᵢ entries of row i: times the unit of rounding, a bound of what rounding does to b − A x. */
export function roundingsOf({ rows, rowPtr, colIdx, values }: CsrMatrix, x: FloatArray): number {
  let squares = 0;
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const end = rowPtr[i + 1]!;
    let sum = 0;
    for (let k = begin; k < end; k++) sum += Math.abs(values[k]! * x[colIdx[k]!]!);
    squares += ((end - begin + 1) * sum) ** 2;
  }
  return Math.sqrt(squares);
}

/** ‖Aᵀ (b − A x)‖, and a bound of what rounding does to it over the unit of rounding. */
export function gradientOf(
  matrix: CsrMatrix,
  x: FloatArray,
  b: FloatArray,
): { readonly gradient: number; readonly roundings: number } {
  const { rows, cols, rowPtr, colIdx, values } = matrix;
  const r = residualOf(matrix, x, b);
  const [gradient, roundings] = [new Float64Array(cols), new Float64Array(cols)];
  const entries = new Uint32Array(cols);
  for (let k = 0; k < colIdx.length; k++) entries[colIdx[k]!]!++;
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const end = rowPtr[i + 1]!;
    let ofRow = Math.abs(b[i]!);
    for (let k = begin; k < end; k++) ofRow += (end - begin + 1) * Math.abs(values[k]! * x[colIdx[k]!]!);
    for (let k = begin; k < end; k++) {
      const j = colIdx[k]!;
      gradient[j]! += values[k]! * r[i]!;
      roundings[j]! += Math.abs(values[k]!) * (ofRow + (entries[j]! + 1) * Math.abs(r[i]!));
    }
  }
  return { gradient: norm2(gradient), roundings: norm2(roundings) };
}
