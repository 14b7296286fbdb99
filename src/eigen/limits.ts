/** What searches for eigenvalues and singular values have in common where the caller names nothing, and what counts as exact. */

export const DEFAULT_TOLERANCE = 1e-8;

/** A search for eigenvalues may take so many steps, however small the matrix is. */
export const LEAST_STEPS = 10_000;

/** A basis has so many vectors beside one or two for each pair that is wanted, and so many in any case. Chosen. */
export const BASIS_BESIDE = 10;
const LEAST_BASIS = 30;

/** The number of vectors of a basis for k pairs, if the caller names none. */
export function usualBasisSize(k: number): number {
  return Math.max(2 * k + BASIS_BESIDE, LEAST_BASIS);
}

/** Beside the norm of A, a value counts as at least this large: the tolerance of one that is 0 is relative to that. Chosen. */
export const LEAST_VALUE = 1e-4;

/** A residual of so many units of rounding of A is as small as products make it. Chosen: residuals after convergence are some 5. */
export const ATTAINABLE = 100;

/** Random vectors are drawn anew so many times, until one is independent of a basis that is not full. */
export const MOST_DRAWS = 10;
