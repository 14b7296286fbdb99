/**
 * An upper bound of the eigenvalues of diag(m) A for a symmetric A and positive m: those of S = m^½ A m^½, by a few steps of Lanczos from a fixed
 * vector, with a margin; and never more than the largest sum of a row of |diag(m) A| (Gershgorin).
 */
import { extremeEigenvalues } from '../algebra/tridiagonal.js';
import { Owned } from '../core/owned.js';
import { Scalar } from '../memory/scalar.js';
import { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';

/** The largest eigenvalue of a Laplacian is then found to about 2 %. */
const STEPS = 10;
const MARGIN = 1.1;

/**
 * @param A computes where its vectors are
 * @param rowSums of |A|
 * @returns NaN or infinity if numbers are not finite
 */
export function largestEigenvalue(A: LinearOperator, factors: Float64Array, rowSums: ArrayLike<number>): number {
  const bound = largestRowSum(factors, rowSums);
  return factors.length === 0 ? 1 : Number.isFinite(bound) ? Math.min(bound, MARGIN * lanczos(A, factors)) : bound;
}

/** The largest sum of a row of |diag(m) A|; NaN if one is. */
export function largestRowSum(factors: Float64Array, rowSums: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < factors.length; i++) largest = Math.max(largest, factors[i]! * rowSums[i]!);
  return largest;
}

/** The largest Ritz value. */
function lanczos(A: LinearOperator, factors: Float64Array): number {
  const { space, vectorType, rows } = A;
  using owned = new Owned();
  const vector = () => owned.own(new Vector(space, vectorType, rows));
  const [roots, scaled] = [vector().set(factors.map(Math.sqrt)), vector()];
  let [before, v, w] = [vector().fill(0), vector().set(startVector(rows)), vector()];
  const product = owned.own(new Scalar(space));
  const alphas: number[] = [];
  const betas: number[] = [];
  let beta = v.norm(product).value;
  for (let step = 0; step < STEPS && beta > 0; step++) {
    v.scale(1 / beta);
    scaled.multiply(roots, v);
    A.apply(scaled, w);
    w.multiply(roots, w);
    const alpha = v.dot(w, product).value;
    w.axpy(-alpha, v);
    if (step > 0) w.axpy(-beta, before);
    alphas.push(alpha);
    beta = w.norm(product).value;
    betas.push(beta);
    [before, v, w] = [v, w, before];
  }
  return extremeEigenvalues(alphas, betas).greatest;
}

/** Numbers in (−1, 1) that look random. */
function startVector(n: number): Float64Array {
  let state = 1;
  return Float64Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
