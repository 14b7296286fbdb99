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
 * @param A computes where its vectors are; of several ranks each bounds its own matrix, without the others
 * @param rowSums of |A|
 * @returns NaN or infinity if numbers are not finite
 */
export function largestEigenvalue(A: LinearOperator, factors: Float64Array, rowSums: ArrayLike<number>): number {
  const bound = largestRowSum(factors, rowSums);
  if (factors.length === 0) return 1;
  return Number.isFinite(bound) ? Math.min(bound, MARGIN * lanczos(A, factors, OWN)) : bound;
}

/** The same for the matrix of all ranks, by all of them together. @param bound by sums of rows, finite @param seed differs from rank to rank */
export function largestOverRanks(A: LinearOperator, factors: Float64Array, bound: number, seed: number): number {
  return Math.min(bound, MARGIN * lanczos(A, factors, SHARED, seed));
}

/** The largest sum of a row of |diag(m) A|; NaN if one is. */
export function largestRowSum(factors: Float64Array, rowSums: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < factors.length; i++) largest = Math.max(largest, factors[i]! * rowSums[i]!);
  return largest;
}

/** The largest Ritz value. */
function lanczos(A: LinearOperator, factors: Float64Array, { dot, norm }: DotProducts, seed: number = 1): number {
  const { space, vectorType, rows } = A;
  using owned = new Owned();
  const vector = () => owned.own(new Vector(space, vectorType, rows));
  const [roots, scaled] = [vector().set(factors.map(Math.sqrt)), vector()];
  let [before, v, w] = [vector().fill(0), vector().set(startVector(rows, seed)), vector()];
  const product = owned.own(new Scalar(space));
  const alphas: number[] = [];
  const betas: number[] = [];
  let beta = norm(v, product);
  for (let step = 0; step < STEPS && beta > 0; step++) {
    v.scale(1 / beta);
    scaled.multiply(roots, v);
    A.apply(scaled, w);
    w.multiply(roots, w);
    const alpha = dot(v, w, product);
    w.axpy(-alpha, v);
    if (step > 0) w.axpy(-beta, before);
    alphas.push(alpha);
    beta = norm(w, product);
    betas.push(beta);
    [before, v, w] = [v, w, before];
  }
  return extremeEigenvalues(alphas, betas).greatest;
}

interface DotProducts {
  readonly dot: (x: Vector, y: Vector, result: Scalar) => number;
  readonly norm: (x: Vector, result: Scalar) => number;
}

/** Over all ranks that share the vectors. */
const SHARED: DotProducts = {
  dot: (x, y, result) => x.dot(y, result).value,
  norm: (x, result) => x.norm(result).value,
};

/** Of this rank's parts: ranks may have other numbers of levels, so none waits for the others. */
const OWN: DotProducts = {
  dot(x, y, result) {
    if (x.space.ranks === undefined) return SHARED.dot(x, y, result);
    const [own, other] = [x.toArray(), y.toArray()];
    let sum = 0;
    for (let i = 0; i < own.length; i++) sum += own[i]! * other[i]!;
    return sum;
  },
  norm: (x, result) => (x.space.ranks === undefined ? SHARED.norm(x, result) : Math.sqrt(OWN.dot(x, x, result))),
};

/** Numbers in (−1, 1) that look random. */
function startVector(n: number, seed: number): Float64Array {
  let state = seed;
  return Float64Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}
