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
  let beta = ownNorm(v, product);
  for (let step = 0; step < STEPS && beta > 0; step++) {
    v.scale(1 / beta);
    scaled.multiply(roots, v);
    A.apply(scaled, w);
    w.multiply(roots, w);
    const alpha = ownDot(v, w, product);
    w.axpy(-alpha, v);
    if (step > 0) w.axpy(-beta, before);
    alphas.push(alpha);
    beta = ownNorm(w, product);
    betas.push(beta);
    [before, v, w] = [v, w, before];
  }
  return extremeEigenvalues(alphas, betas).greatest;
}

/** xᵀ y of this rank's parts: each rank bounds its own matrix, and with multigrid some have more levels than others, so none waits for the others here. */
function ownDot(x: Vector, y: Vector, result: Scalar): number {
  if (x.space.ranks === undefined) return x.dot(y, result).value;
  const [own, other] = [x.toArray(), y.toArray()];
  let sum = 0;
  for (let i = 0; i < own.length; i++) sum += own[i]! * other[i]!;
  return sum;
}

function ownNorm(x: Vector, result: Scalar): number {
  return x.space.ranks === undefined ? x.norm(result).value : Math.sqrt(ownDot(x, x, result));
}

/** Numbers in (−1, 1) that look random. */
function startVector(n: number): Float64Array {
  let state = 1;
  return Float64Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
