/**
 * What the steps of Lanczos say of eigenvalues that they did not find. The vector after j steps is p(A) v / c, for the first vector v, the polynomial p whose zeros are the Ritz
 * values, and those that restarts have left out, and c = β₁ … βⱼ. It has norm 1, so that v has no greater part than c / p(λ) in an eigenvector of λ; beyond all zeros p grows with λ.
 * Of a random v of n elements that is improbable, if it is much less than 1 / √n.
 *
 * Source: van Dorsselaer, Hochstenbach & van der Vorst 2000, "Computing probabilistic bounds for extreme eigenvalues of symmetric matrices with the Lanczos method".
 * Differs: restarts; the product of the distances from the Ritz values is a determinant, so that no step needs them.
 */

/** The small matrix, and the steps. Numbers of the limit and of what was left out are in the same order: what is wanted is less. */
export interface StepsSoFar {
  /** Row-major; times `sign`, 1 or −1, its eigenvalues are in that order. */
  readonly T: { readonly numbers: Float64Array; readonly size: number; readonly stride: number; readonly sign: number };
  /** Σ log β of all steps. */
  readonly growth: number;
  readonly discarded: readonly number[];
  readonly limit: number;
}

/**
 * The logarithm of the greatest part that the first vector can have in an eigenvector whose value is at most the limit.
 *
 * @returns undefined if a Ritz value is at most the limit, too
 */
export function greatestPart({ T, growth, discarded, limit }: StepsSoFar): number | undefined {
  const determinant = logDeterminant(T, limit);
  if (determinant === undefined) return undefined;
  return discarded.reduce((sum, value) => sum - Math.log(value - limit), growth - determinant);
}

/** log det(± T − limit I), by L D Lᵀ; undefined if that is not positive definite. */
function logDeterminant({ numbers, size, stride, sign }: StepsSoFar['T'], limit: number): number | undefined {
  const L = new Float64Array(size * size);
  let sum = 0;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let left = sign * numbers[i * stride + j]! - (i === j ? limit : 0);
      for (let k = 0; k < j; k++) left -= L[i * size + k]! * L[j * size + k]!;
      if (j < i) L[i * size + j] = left / L[j * size + j]!;
      else if (left > 0) L[i * size + i] = Math.sqrt(left);
      else return undefined;
    }
    sum += 2 * Math.log(L[i * size + i]!);
  }
  return sum;
}
