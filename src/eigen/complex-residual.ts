/** The residual of a complex pair, in real vectors. */
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';
import { readNorm } from '../solvers/norms.js';

/** A complex number. */
export interface ComplexNumber {
  readonly real: number;
  readonly imaginary: number;
}

/** x + i y; without y, x itself. */
export interface ComplexVector {
  readonly x: Vector;
  readonly y: Vector | undefined;
}

/** Of a complex vector: √(‖x‖² + ‖y‖²). @param scalar to compute with */
export function complexNorm({ x, y }: ComplexVector, scalar: Scalar): number {
  return y === undefined ? readNorm(x, scalar) : Math.hypot(readNorm(x, scalar), readNorm(y, scalar));
}

/** ‖A z − λ z‖₂ for z = x + i y: a product with A for each part. NaN if λ is not finite. @param r, scalar to compute with */
export function complexResidual(
  A: LinearOperator,
  { real, imaginary }: ComplexNumber,
  { x, y }: ComplexVector,
  r: Vector,
  scalar: Scalar,
): number {
  if (!(Number.isFinite(real) && Number.isFinite(imaginary))) return Number.NaN;
  A.apply(x, r);
  r.axpy(-real, x);
  if (y === undefined) return readNorm(r, scalar);
  const first = readNorm(r.axpy(imaginary, y), scalar);
  A.apply(y, r);
  return Math.hypot(first, readNorm(r.axpy(-real, y).axpy(-imaginary, x), scalar));
}
