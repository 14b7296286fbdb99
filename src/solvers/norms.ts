/** Norms as numbers, in any space: those of solves, whose squares may overflow or vanish. */
import type { FloatArrayConstructor } from '../core/types.js';
import { correctColumnNorms, correctNorm } from '../memory/norm.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';

/** The greatest exponent of a power of two that, like its inverse, leaves all bits of an ordinary element. */
export function greatestExponent(type: FloatArrayConstructor): number {
  return type === Float32Array ? 120 : 1000;
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
