/**
 * The largest singular triplets to a few digits, by the range of A on random vectors.
 *
 * Source: Halko, Martinsson & Tropp 2011, "Finding structure with randomness": algorithms 4.4 and 5.1, and the error estimate of section 4.3.
 * For: matrices whose singular values fall soon, or of which a few digits are enough: it takes 2 q + 2 passes of block products, and no more.
 * Cost: with l = k + oversampling columns and q power iterations, 2 q + 2 block products and 2 q + 1 of 10 columns for the estimate, and some
 *   8 (2 q + 2) l² operations for each row of A.
 */
import { Owned } from '../../core/owned.js';
import { normal } from '../../gallery/draw.js';
import { Scalar } from '../../memory/scalar.js';
import { Vector } from '../../memory/vector.js';
import { readColumnNorms } from '../../solvers/norms.js';
import { orthonormalize } from '../basis/orthonormalize.js';
import { jacobiSvd } from '../dense/jacobi-svd.js';
import { streamIn } from '../random.js';
import type { SingularOutcome, SingularProblem, SvdsStep } from './singular.js';

/** Vectors of the error estimate: it fails with a probability of 10 to the power of minus this. */
const TRIALS = 10;

export interface RandomizedSizes {
  readonly oversampling: number;
  readonly powerIterations: number;
}

/** Steps: passes over A and Aᵀ. */
export function* randomizedSvd(
  problem: SingularProblem,
  { oversampling, powerIterations }: RandomizedSizes,
): Generator<SvdsStep, SingularOutcome> {
  const { A, At, size, k, seed, report, isStopped } = problem;
  const { space, vectorType, rows, cols } = A;
  const l = Math.min(k + oversampling, size);
  using owned = new Owned();
  const block = (length: number, columns: number) =>
    owned.own(new Vector(space, vectorType, length, undefined, columns));
  const small = block64(l, l);
  const random = streamIn(space, seed);
  const gaussian = (x: Vector) => x.set(new vectorType(x.length * x.columns).map(() => normal(random)));
  const [Q, W] = [block(rows, l), block(cols, l)];
  gaussian(W);
  A.apply(W, Q);
  orthonormalize(Q, small);
  let [iteration, products] = [1, 1];
  for (let q = 0; q < powerIterations && !isStopped(); q++) {
    At.apply(Q, W);
    orthonormalize(W, small);
    A.apply(W, Q);
    orthonormalize(Q, small);
    iteration += 2;
    products += 2;
    const step = { iteration, converged: 0 };
    report(step);
    yield step;
  }
  At.apply(Q, W);
  // Qᵀ A = Wᵀ = Rᵀ Pᵀ for W = P R.
  const P = block(cols, l).copyFrom(W);
  orthonormalize(P, small);
  P.gram(W, small);
  const R = small.toArray() as Float64Array;
  const isSound = R.every(Number.isFinite);
  const { values, U, V } = jacobiSvd(isSound ? R : R.fill(0), l, l); // R = U Σ Vᵀ, so A ≈ Q V Σ Uᵀ Pᵀ
  const [left, right] = [
    new Vector(space, vectorType, rows, undefined, k),
    new Vector(space, vectorType, cols, undefined, k),
  ];
  const turn = block64(l, k);
  left.combine(Q, turn.set(firstColumns(V, l, k)));
  right.combine(P, turn.set(firstColumns(U, l, k)));
  const errorBound = boundOfError();
  return {
    ...{ reason: isSound ? (isStopped() ? 'stopped' : 'passes') : 'not-finite', values: values.slice(0, k) },
    ...{ U: left, V: right, norm: values[0]!, iterations: iteration + 1, products: products + 1, errorBound },
  };

  function block64(length: number, columns: number): Vector {
    return owned.own(new Vector(space, Float64Array, length, undefined, columns));
  }

  /**
   * An upper bound of ‖E‖₂ for E = A − Q Qᵀ A, but with a probability of 1e-10 for each q: by that of (E Eᵀ)^q E, whose norm is the power 2 q + 1. Without powers it may be
   * 8 √cols times too large, with them only that to the power 1 / (2 q + 1).
   */
  function boundOfError(): number {
    const [x, y] = [block(cols, TRIALS), block(rows, TRIALS)];
    const scalars = Array.from({ length: TRIALS }, () => owned.own(new Scalar(space)));
    const part = block64(l, TRIALS);
    gaussian(x);
    let [log, bound] = [0, Number.POSITIVE_INFINITY];
    for (let q = 0; q <= powerIterations; q++) {
      A.apply(x, y);
      products++;
      Q.gram(y, part);
      y.combine(Q, part, -1, 1);
      const norm = Math.max(...readColumnNorms(y, scalars));
      if (!(norm > 0 && Number.isFinite(norm))) return norm;
      log += Math.log(norm);
      // Where E is but rounding errors, its powers have more of them.
      bound = Math.min(bound, Math.exp((Math.log(10 * Math.sqrt(2 / Math.PI)) + log) / (2 * q + 1)));
      if (q === powerIterations) break;
      // As columns of norm 1 at most, no power overflows.
      At.apply(y, x, 1 / norm);
      products++;
      const back = Math.max(...readColumnNorms(x, scalars));
      if (!(back > 0 && Number.isFinite(back))) return back;
      x.scale(1 / back);
      log += Math.log(back);
    }
    return bound;
  }
}

/** The first columns of a matrix that has `size` of them. */
function firstColumns(matrix: Float64Array, size: number, count: number): Float64Array {
  return matrix.filter((_, at) => at % size < count);
}
