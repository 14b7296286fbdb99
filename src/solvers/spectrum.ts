/**
 * The extreme eigenvalues of M⁻¹ A, estimated by some steps of conjugate gradients, whose coefficients are those of Lanczos'
 * tridiagonal matrix: Saad 2003, section 6.7.3. The greatest one is found soon; the smallest is approached from above.
 */
import type { Vector } from '../memory/vector.js';
import type { System } from './iterate.js';

/** Some steps more than Lanczos needs to find the greatest eigenvalue of a Laplacian to a few percent. */
const STEPS = 40;

export interface Spectrum {
  readonly smallest: number;
  readonly greatest: number;
  /** With A. */
  readonly products: number;
}

/**
 * @param r b − A x; changed
 * @returns undefined if A or M is not definite, or r is 0
 */
export function estimateSpectrum({ A, M, work }: System, r: Vector): Spectrum | undefined {
  const [p, q] = work.vectors(2) as [Vector, Vector];
  const z = M === undefined ? r : work.vector();
  const sum = work.scalar();
  const diagonal: number[] = [];
  const beside: number[] = [];
  M?.apply(r, z);
  p.copyFrom(z);
  let rz = r.dot(z, sum).value;
  const enough = rz * Number.EPSILON ** 2;
  let [alpha, beta] = [1, 0];
  while (diagonal.length < Math.min(STEPS, A.rows) && rz > enough) {
    A.apply(p, q);
    const pq = p.dot(q, sum).value;
    if (!(pq > 0)) return undefined;
    const before = alpha;
    alpha = rz / pq;
    diagonal.push(1 / alpha + beta / before);
    r.axpy(-alpha, q);
    M?.apply(r, z);
    const rzBefore = rz;
    rz = r.dot(z, sum).value;
    if (!(rz >= 0)) return undefined;
    beta = rz / rzBefore;
    beside.push(Math.sqrt(beta) / alpha);
    p.axpby(1, z, beta);
  }
  if (diagonal.length === 0) return undefined;
  return { ...extremes(diagonal, beside), products: diagonal.length };
}

/** The smallest and the greatest eigenvalue of a symmetric tridiagonal matrix, by bisection of the count below (Sturm). */
function extremes(diagonal: readonly number[], beside: readonly number[]): Pick<Spectrum, 'smallest' | 'greatest'> {
  const n = diagonal.length;
  const reach = Math.max(...diagonal.map((d, k) => Math.abs(d) + (beside[k - 1] ?? 0) + (k + 1 < n ? beside[k]! : 0)));
  const isAbove = (x: number, count: number) => countBelow(diagonal, beside, x) < count;
  const kth = (count: number) => {
    let [low, high] = [-reach, reach];
    for (let turn = 0; turn < 60; turn++) {
      const middle = (low + high) / 2;
      if (isAbove(middle, count)) low = middle;
      else high = middle;
    }
    return high;
  };
  return { smallest: kth(1), greatest: kth(n) };
}

function countBelow(diagonal: readonly number[], beside: readonly number[], x: number): number {
  let count = 0;
  let pivot = 1;
  for (let k = 0; k < diagonal.length; k++) {
    pivot = diagonal[k]! - x - (k === 0 ? 0 : beside[k - 1]! ** 2 / pivot);
    if (pivot === 0) pivot = Number.MIN_VALUE;
    if (pivot < 0) count++;
  }
  return count;
}
