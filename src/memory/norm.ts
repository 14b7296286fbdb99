/**
 * Norms of vectors of f64 whose squares overflow, or are too small for f64: they are computed again, of the vector times a power of two. Squares of
 * f32 are summed in f64, and need none of this.
 *
 * Cost where it is not needed: the norm is read, which waits for a device. Where it is: a vector, and two more passes.
 */
import { LEAST_NORM } from '../core/norms.js';
import type { Scalar } from './scalar.js';
import type { Vector } from './vector.js';

/** The least numbers of f64 times this, and the greatest ones divided by it, have squares that f64 has. */
const FACTOR = 2 ** 600;

/** result ← ‖x‖₂, given the root of the sum of its squares. @throws SparlaneError `heap` if there is no room for a copy of x */
export function correctNorm(x: Vector, result: Scalar): void {
  if (!isDoubtful(x, result.value)) return;
  const factor = result.value < LEAST_NORM ? FACTOR : 1 / FACTOR;
  using scaled = x.like();
  scaled.axpby(factor, x, 0).dot(scaled, result);
  result.setRoot(result).setProduct(result, 1 / factor);
}

/** The same for each column of a block. @throws as `correctNorm` */
export function correctColumnNorms(x: Vector, results: readonly Scalar[]): void {
  for (const [j, result] of results.entries()) {
    if (!isDoubtful(x, result.value)) continue;
    using column = x.like(1);
    x.copyColumnTo(j, column);
    correctNorm(column, result);
  }
}

function isDoubtful({ type }: Vector, norm: number): boolean {
  return type === Float64Array && (norm < LEAST_NORM || norm === Number.POSITIVE_INFINITY);
}
