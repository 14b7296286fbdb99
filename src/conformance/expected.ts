/**
 * The expected result of y ← α A x + β y, and the tolerance of a product. Computed from the arrays of the canonical
 * CSR, so independent of a format's layout and kernels.
 *
 * The bound, row by row: |yᵢ − expectedᵢ| ≤ 2 γₙ (|α||A||x| + |β||y|)ᵢ with γₙ = n u / (1 − n u), where n is the row's
 * entries + 2 and u the unit roundoff of the sums. In any order of summation, a term of a row is rounded at most n
 * times: once as a product, at most entries − 1 times in sums, once by α, once in the sum with β y. And n roundings
 * cause an error of at most γₙ (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, §3.1 and §4.2). The
 * factor 2 is needed because the expected sum, left to right in f64, is rounded too. In addition, the bound has the
 * smallest positive number for each rounding: products below the normal range lose bits, which no relative bound
 * covers.
 */

import type { CsrMatrix } from '../core/csr.js';
import { UNIT_ROUNDOFF } from '../core/norms.js';
import { DTYPE_TYPES, type Dtype, type FloatArray, rounded } from '../core/types.js';

export interface ExpectedProduct {
  /** y, in f64. */
  readonly y: Float64Array;
  /** (|α||A||x| + |β||y|)ᵢ: the scale of relative errors. */
  readonly scale: Float64Array;
  /** Maximum |error| of each element. */
  readonly tolerance: Float64Array;
  /** If a scale is larger than this, sums may have overflowed, and y is not checked. */
  readonly greatest: number;
}

interface Precision {
  readonly unitRoundoff: number;
  readonly smallest: number;
  readonly greatest: number;
}

const F64: Precision = { unitRoundoff: UNIT_ROUNDOFF.f64, smallest: Number.MIN_VALUE, greatest: Number.MAX_VALUE };
const F32: Precision = { unitRoundoff: UNIT_ROUNDOFF.f32, smallest: 2 ** -149, greatest: (2 - 2 ** -23) * 2 ** 127 };

/**
 * @param x as in the product, in the precision of its vectors
 * @param y before the product; not read if β = 0
 */
export function expectedProduct(
  matrix: CsrMatrix,
  dtype: Dtype,
  x: FloatArray,
  y: FloatArray,
  alpha: number,
  beta: number,
): ExpectedProduct {
  const { rows, rowPtr, colIdx, values } = matrix;
  const stored = rounded(values, dtype);
  const isSingle = DTYPE_TYPES[dtype].vectors === 'f32';
  const precision = isSingle ? F32 : F64;
  const a = isSingle ? Math.fround(alpha) : alpha;
  const b = isSingle ? Math.fround(beta) : beta;
  const expected = new Float64Array(rows);
  const scale = new Float64Array(rows);
  const tolerance = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const begin = rowPtr[i]!;
    const end = rowPtr[i + 1]!;
    let sum = 0;
    let magnitude = 0;
    for (let k = begin; k < end; k++) {
      const product = stored[k]! * x[colIdx[k]!]!;
      sum += product;
      magnitude += Math.abs(product);
    }
    expected[i] = b === 0 ? a * sum : a * sum + b * y[i]!;
    scale[i] = Math.abs(a) * magnitude + (b === 0 ? 0 : Math.abs(b * y[i]!));
    tolerance[i] = 2 * gamma(end - begin + 2, precision) * scale[i]! + (end - begin + 2) * precision.smallest;
  }
  return { y: expected, scale, tolerance, greatest: precision.greatest };
}

function gamma(roundings: number, { unitRoundoff }: Precision): number {
  return (roundings * unitRoundoff) / (1 - roundings * unitRoundoff);
}

export interface Comparison {
  /** Maximum |error| / scale of an element; infinite if y is NaN but should be a number. */
  readonly maxError: number;
  /** The first element whose error exceeds its tolerance, or −1. */
  readonly firstWrong: number;
}

export function compareProduct(expected: ExpectedProduct, y: FloatArray): Comparison {
  const { scale, tolerance, greatest } = expected;
  let maxError = 0;
  let firstWrong = -1;
  for (let i = 0; i < scale.length; i++) {
    if (!(scale[i]! <= greatest)) continue;
    const error = Math.abs(y[i]! - expected.y[i]!);
    if (!(error <= tolerance[i]!) && firstWrong < 0) firstWrong = i;
    if (error !== 0) maxError = Math.max(maxError, Number.isNaN(error) ? Infinity : error / scale[i]!);
  }
  return { maxError, firstWrong };
}
