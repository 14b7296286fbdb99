/**
 * e^{tA} X by Taylor polynomials of tA / s, s times: for any square A.
 *
 * Source: Al-Mohy & Higham 2011, "Computing the action of the matrix exponential", algorithm 3.2; the bounds θ of tables 3.1 there and A.3 of
 *   Higham, Functions of Matrices, 2008, for a backward error of 2⁻⁵³.
 * Differs: bounds are maximum norms, sums of rows, which each rank has, in place of 1-norms; a polynomial ends early by the 2-norms of columns, which the engine computes, in place of maximum norms; each column must have arrived.
 * Cost: at most m s products with blocks, two norms and two updates for each; four blocks. With an A far from normal, norms of powers first.
 */
import { mismatch } from '../../core/errors.js';
import { Owned } from '../../core/owned.js';
import { Scalar } from '../../memory/scalar.js';
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { readColumnNorms } from '../../solvers/norms.js';
import type { ShiftedNorm } from '../operand.js';
import { oneNormOfPower, type Shifted } from './one-norm.js';

/** θ of the degrees 1 to 30: the largest ‖tA / s‖ at which the backward error of the polynomial is at most 2⁻⁵³. */
const FIRST_THETA = [
  ...[2.29e-16, 2.58e-8, 1.39e-5, 3.4e-4, 2.4e-3, 9.07e-3, 2.38e-2, 5e-2, 8.96e-2, 0.144],
  ...[0.214, 0.3, 0.4, 0.514, 0.641, 0.781, 0.931, 1.09, 1.26, 1.44],
  ...[1.62, 1.82, 2.01, 2.22, 2.43, 2.64, 2.86, 3.08, 3.31, 3.54],
];
/** The degrees that are tried, with their θ: the first ones, and some beyond. */
const THETA: readonly (readonly [degree: number, theta: number])[] = [
  ...FIRST_THETA.map((theta, k) => [k + 1, theta] as const),
  ...([
    [35, 4.7],
    [40, 6],
    [45, 7.2],
    [50, 8.5],
    [55, 9.9],
  ] as const),
];

/** Powers whose norms are looked at, and what they cost beside the products that they may save: p_max and l of the paper. */
const MOST_POWERS = 8;
const NORM_COST = 2;

export interface TaylorPlan {
  readonly degree: number;
  readonly stages: number;
  /** The mean of the diagonal, which is taken off A first. */
  readonly shift: number;
  /** Products with blocks that the plan took. */
  readonly products: number;
}

/**
 * @param transpose gives the operator of Aᵀ, where it is needed
 * @param columns of X
 */
export function planTaylor(
  A: LinearOperator,
  { shift, norm }: ShiftedNorm,
  t: number,
  columns: number,
  transpose: () => LinearOperator,
): TaylorPlan {
  const size = Math.abs(t) * norm;
  if (!Number.isFinite(size) || !Number.isFinite(t * shift))
    throw mismatch('argument', 't', 'one for which t A is finite', t);
  if (size === 0) return { degree: 0, stages: 1, shift, products: 0 };
  const simple = cheapest(size, 0);
  const [last, theta] = THETA.at(-1)!;
  const enough = (2 * NORM_COST * theta * MOST_POWERS * (MOST_POWERS + 3)) / (columns * last);
  if (size <= enough) return { ...simple, shift, products: 0 };
  let products = 0;
  // The maximum norm of a power is the 1-norm of its transpose.
  const B: Shifted = { A: transpose(), At: A, shift };
  const roots = Array.from({ length: MOST_POWERS }, (_, k) => {
    const power = oneNormOfPower(B, k + 2);
    products += power.products;
    return Math.abs(t) * power.norm ** (1 / (k + 2));
  });
  const others = roots.slice(1).map((root, k) => cheapest(Math.max(root, roots[k]!), (k + 2) * (k + 1) - 1));
  // The norms of powers may overflow, or be underestimated.
  const sound = others.filter(({ degree, stages }) => degree * stages > 0);
  const best = sound.reduce((a, b) => (b.degree * b.stages < a.degree * a.stages ? b : a), simple);
  return { ...best, shift, products };
}

/** The degree, at least `from`, and the stages with the fewest products for a norm. */
function cheapest(norm: number, from: number): { readonly degree: number; readonly stages: number } {
  let best = { degree: 0, stages: 0 };
  for (const [degree, theta] of THETA) {
    const stages = Math.max(1, Math.ceil(norm / theta));
    const isLess = best.degree === 0 || degree * stages < best.degree * best.stages;
    if (degree >= from && Number.isFinite(stages) && isLess) best = { degree, stages };
  }
  return best;
}

/**
 * y ← e^{tA} y. Yields after each product.
 *
 * @param rtol the norms of two terms, beside that of the sum, at which a polynomial ends
 * @returns products with the block
 */
export function* taylorSteps(
  A: LinearOperator,
  plan: TaylorPlan,
  t: number,
  y: Vector,
  rtol: number,
): Generator<void, number> {
  const { degree, stages, shift } = plan;
  const growth = growthOf((t * shift) / stages, t);
  using owned = new Owned();
  let [term, next] = [owned.own(y.like()), owned.own(y.like())];
  const scalars = Array.from({ length: y.columns }, () => owned.own(new Scalar(y.space)));
  let products = 0;
  for (let stage = 0; stage < stages; stage++) {
    term.copyFrom(y);
    let before = readColumnNorms(term, scalars);
    for (let k = 1; k <= degree; k++) {
      const factor = t / (stages * k);
      A.apply(term, next, factor);
      next.axpy(-factor * shift, term);
      [term, next] = [next, term];
      products++;
      y.axpy(1, term);
      const norms = readColumnNorms(term, scalars);
      const sums = readColumnNorms(y, scalars);
      if (norms.every((norm, j) => norm + before[j]! <= rtol * sums[j]!)) break;
      before = norms;
      yield;
    }
    y.scale(growth);
  }
  return products;
}

/** e^exponent @throws SparlaneError `argument` if it overflows */
export function growthOf(exponent: number, t: number): number {
  const growth = Math.exp(exponent);
  if (!Number.isFinite(growth)) throw mismatch('argument', 't', 'one for which e^(t A) does not overflow', t);
  return growth;
}
