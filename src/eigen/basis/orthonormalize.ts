/**
 * Makes the columns of a block orthonormal, in place, by the Cholesky factors of their Gram matrix.
 *
 * Source: Yamamoto, Nakatsukasa, Yanagisawa & Fukaya 2015, "Roundoff error analysis of the CholeskyQR2 algorithm"; with pivots (`gram-factor.ts`),
 *   so that dependent columns are left out.
 * Cost: a pass is 4 k² n operations for k columns; two or three passes, in which the rank and the orthogonality settle.
 */
import type { Vector } from '../../memory/vector.js';
import { GramFactor, INDEPENDENT } from '../../solvers/gram-factor.js';

const MOST_PASSES = 3;
/** Elements of the Gram matrix may be so far from the identity. */
const ENOUGH = 1e-13;

/**
 * @param X changed: the first columns are a basis of its range, the others are 0
 * @param small f64, columns × columns
 * @returns the rank; X is undefined if it has numbers that are not finite, and the rank is then 0
 */
export function orthonormalize(X: Vector, small: Vector): number {
  const { columns } = X;
  let rank = columns;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    X.gram(X, small);
    const gram = small.toArray() as Float64Array;
    if (!gram.every(Number.isFinite)) return 0;
    const factor = new GramFactor(gram, columns, INDEPENDENT);
    rank = factor.rank;
    if (pass > 0 && isIdentity(gram, columns, rank)) return rank;
    X.combine(X, small.set(factor.inverseRoot()));
  }
  return rank;
}

function isIdentity(gram: Float64Array, columns: number, rank: number): boolean {
  return gram.every((value, at) => {
    const [i, j] = [Math.floor(at / columns), at % columns];
    return Math.abs(value - (i === j && i < rank ? 1 : 0)) <= ENOUGH;
  });
}
