/**
 * Iterative refinement: x ← x + A⁻¹ (b − A x), until x solves a system that differs from A x = b by rounding errors alone.
 *
 * Source: Arioli, Demmel & Duff, "Solving sparse linear systems with sparse backward error", 1989: where to stop.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import { ROUNDING } from './method.js';

/** How good a solution is. */
export interface SolveQuality {
  /** ‖b − A x‖₂ / ‖b‖₂, computed from x; the norm itself if b = 0. */
  readonly relativeResidual: number;
  /** The largest |b − A x|ᵢ over (|A| |x| + |b|)ᵢ. */
  readonly backwardError: number;
  /** Corrections that were added. */
  readonly corrections: number;
}

/** A correction is slow if it does not make the backward error smaller by this factor. The second slow one is the last. */
const IMPROVEMENT = 0.5;

/** Pivots that were replaced may need more than the usual two. */
const MOST_CORRECTIONS = 10;

/**
 * @param x the first solution, improved in place
 * @param correction x ← A⁻¹ x, by the factors
 */
export function refine(
  matrix: CsrMatrix,
  values: FloatArray,
  b: Float64Array,
  x: Float64Array,
  correction: (residual: Float64Array) => void,
): SolveQuality {
  const r = new Float64Array(b.length);
  let [best, bestX] = [residual(matrix, values, b, x, r), x];
  let [corrections, slow] = [0, 0];
  while (best.backwardError > ROUNDING && corrections < MOST_CORRECTIONS) {
    correction(r);
    const next = bestX.map((value, i) => value + r[i]!);
    const found = residual(matrix, values, b, next, r);
    if (!(found.backwardError < best.backwardError)) break;
    corrections++;
    if (found.backwardError > IMPROVEMENT * best.backwardError) slow++;
    [best, bestX] = [found, next];
    if (slow > 1) break;
  }
  if (bestX !== x) x.set(bestX);
  return { ...best, corrections };
}

/** r ← b − A x */
function residual(
  { rows, rowPtr, colIdx }: CsrMatrix,
  values: FloatArray,
  b: Float64Array,
  x: Float64Array,
  r: Float64Array,
): Omit<SolveQuality, 'corrections'> {
  let [backwardError, square, bSquare] = [0, 0, 0];
  for (let i = 0; i < rows; i++) {
    let sum = b[i]!;
    let size = Math.abs(sum);
    bSquare += sum * sum;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const term = values[k]! * x[colIdx[k]!]!;
      sum -= term;
      size += Math.abs(term);
    }
    r[i] = sum;
    square += sum * sum;
    const error = sum === 0 ? 0 : Math.abs(sum) / size;
    // NaN counts as the worst.
    if (!(error <= backwardError)) backwardError = Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
  }
  return { relativeResidual: Math.sqrt(bSquare === 0 ? square : square / bSquare), backwardError };
}
