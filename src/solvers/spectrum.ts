/**
 * The extreme eigenvalues of M⁻¹ A, estimated by some steps of conjugate gradients, whose coefficients are those of Lanczos'
 * tridiagonal matrix: Saad 2003, section 6.7.3. The greatest one is found soon; the smallest is approached from above.
 */
import { extremeEigenvalues } from '../algebra/tridiagonal.js';
import { totalOf } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import type { System } from './method.js';

/** Some steps more than Lanczos needs to find the greatest eigenvalue of a Laplacian to a few percent. */
const STEPS = 40;

export interface Spectrum {
  readonly smallest: number;
  readonly greatest: number;
  /** With A. */
  readonly products: number;
}

/**
 * @param r b − A x, not 0; changed
 * @returns the reason why there is none: A or M is not definite, or its numbers overflow
 */
export function estimateSpectrum({ A, M, work }: System, r: Vector): Spectrum | 'not-definite' | 'not-finite' {
  const [p, q] = work.vectors(2) as [Vector, Vector];
  const z = M === undefined ? r : work.vector();
  const sum = work.scalar();
  const diagonal: number[] = [];
  const beside: number[] = [];
  M?.apply(r, z);
  p.copyFrom(z);
  let rz = r.dot(z, sum).value;
  if (rz <= 0) return 'not-definite';
  if (!Number.isFinite(rz)) return 'not-finite';
  const enough = rz * Number.EPSILON ** 2;
  let [alpha, beta] = [1, 0];
  const steps = Math.min(STEPS, totalOf(A.space, A.rows));
  while (diagonal.length < steps && rz > enough) {
    A.apply(p, q);
    const pq = p.dot(q, sum).value;
    if (pq <= 0) return 'not-definite';
    const before = alpha;
    alpha = rz / pq;
    if (!(Number.isFinite(alpha) && Number.isFinite(1 / alpha))) return 'not-finite';
    diagonal.push(1 / alpha + beta / before);
    r.axpy(-alpha, q);
    M?.apply(r, z);
    const rzBefore = rz;
    rz = r.dot(z, sum).value;
    if (rz < 0) return 'not-definite';
    if (!Number.isFinite(rz)) return 'not-finite';
    beta = rz / rzBefore;
    beside.push(Math.sqrt(beta) / alpha);
    p.axpby(1, z, beta);
  }
  const bounds = extremeEigenvalues(diagonal, beside);
  if (!Number.isFinite(bounds.smallest)) return 'not-finite';
  return bounds.smallest > 0 ? { ...bounds, products: diagonal.length } : 'not-definite';
}
