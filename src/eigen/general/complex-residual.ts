/** The residual of a complex pair, in real vectors. */
import type { Scalar } from '../../memory/scalar.js';
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { readNorm } from '../../solvers/norms.js';

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

/** The norm of a complex vector is √(‖x‖² + ‖y‖²). @param scalar to compute with */
export function complexNorm({ x, y }: ComplexVector, scalar: Scalar): number {
  return y === undefined ? readNorm(x, scalar) : Math.hypot(readNorm(x, scalar), readNorm(y, scalar));
}

/** A x = λ B x, where no B is the identity. */
export interface GeneralPencil {
  readonly A: LinearOperator;
  readonly B: LinearOperator | undefined;
}

/** ‖A z − λ B z‖₂ for z = x + i y: a product with A for each part. NaN if λ is not finite. @param r, scalar to compute with */
export function complexResidual(
  { A, B }: GeneralPencil,
  { real, imaginary }: ComplexNumber,
  { x, y }: ComplexVector,
  r: Vector,
  scalar: Scalar,
): number {
  if (!(Number.isFinite(real) && Number.isFinite(imaginary))) return Number.NaN;
  const add = (factor: number, part: Vector) => {
    if (B === undefined) r.axpy(factor, part);
    else B.apply(part, r, factor, 1);
  };
  const ofPart = (own: Vector, other: Vector | undefined, factor: number) => {
    A.apply(own, r);
    add(-real, own);
    if (other !== undefined) add(factor, other);
    return readNorm(r, scalar);
  };
  // A x − (real B x − imaginary B y), A y − (imaginary B x + real B y)
  return y === undefined ? ofPart(x, y, 0) : Math.hypot(ofPart(x, y, imaginary), ofPart(y, x, -imaginary));
}

/** ‖B z‖₂; that of z without a B. @param r, scalar to compute with */
export function imageNorm(B: LinearOperator | undefined, z: ComplexVector, r: Vector, scalar: Scalar): number {
  if (B === undefined) return complexNorm(z, scalar);
  const norms = (z.y === undefined ? [z.x] : [z.x, z.y]).map((part) => {
    B.apply(part, r);
    return readNorm(r, scalar);
  });
  return Math.hypot(...norms);
}
