/**
 * Norms of vectors of f64 whose squares overflow, or are too small for f64: they are computed again, of the vector times a power of two. Squares of
 * f32 are summed in f64, and need none of this.
 *
 * Cost where it is not needed: the norm is read, which waits for a device. Where it is: a vector, and two more passes.
 */
import type { FloatArrayConstructor } from '../core/types.js';
import type { Scalar } from './scalar.js';
import type { Vector } from './vector.js';

/** From this norm on, elements whose squares vanish are below 2⁻⁸⁷ of it. */
const LEAST_NORM = 2 ** -450;
/** Brings the least numbers of f64 above it, and its inverse the greatest ones far below the greatest square. */
const FACTOR = 2 ** 600;

/** The greatest exponent of a power of two that, like its inverse, leaves all bits of an ordinary element. */
export function greatestExponent(type: FloatArrayConstructor): number {
  return type === Float32Array ? 120 : 1000;
}

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

/** ‖x‖₂ as a number, in any space. @param scalar to compute it with @throws as `correctNorm` */
export function readNorm(x: Vector, scalar: Scalar): number {
  x.norm(scalar);
  if (x.space.heap === undefined) correctNorm(x, scalar);
  return scalar.value;
}

/** The same for each column of a block. @throws as `correctNorm` */
export function readColumnNorms(x: Vector, scalars: readonly Scalar[]): number[] {
  x.columnNorms(scalars);
  if (x.space.heap === undefined) correctColumnNorms(x, scalars);
  return scalars.map(({ value }) => value);
}

/** x ← x / ‖x‖₂, also where the inverse of the norm overflows. @param norm that of x, finite and not 0 */
export function normalize(x: Vector, norm: number): void {
  const exponent = Math.floor(Math.log2(norm));
  const half = Math.abs(exponent) > greatestExponent(x.type) ? 2 ** -Math.trunc(exponent / 2) : 1;
  if (half !== 1) x.scale(half);
  x.scale(1 / (norm * half));
}
