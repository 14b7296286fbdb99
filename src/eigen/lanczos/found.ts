/** What a round has found: which Ritz values are wanted and have converged, and whether all that is wanted is known. */
import type { RitzPairs } from './projected.js';

/** A Ritz value is known to be out of range if its residual is this share of its distance from the range. Chosen. */
const CERTAIN = 0.1;

/** The columns of the Ritz vectors that were found. */
export interface Found {
  /** Those that have converged. */
  readonly found: readonly number[];
  /** Whether a round may end with them. */
  readonly isDone: boolean;
}

/** What is known when a round looks for more. */
export interface Known {
  readonly k: number;
  /** The ν that are locked. */
  readonly locked: Float64Array;
  readonly orderOf: (nu: number) => number;
  readonly toleranceOf: (nu: number) => number;
  /** Whether the basis spans the whole space. */
  readonly isComplete: boolean;
  /** What a count says that is missing, or 0 without one: a round may end when it has found as much, and not before it has found something, or a value that is out of range has converged. */
  readonly missing: number;
}

/** What the first round has found. @param wanted the columns of the best k */
export function bestOf(
  { values, residuals }: RitzPairs,
  wanted: readonly number[],
  toleranceOf: Known['toleranceOf'],
  isComplete: boolean,
): Found {
  const found = wanted.filter((j) => isComplete || residuals[j]! <= toleranceOf(values[j]!));
  return { found, isDone: found.length === wanted.length };
}

/** What a later round has found: pairs that are better than the worst of the k that are known. @param order columns, the most wanted first */
export function insideOf(
  { values, residuals }: RitzPairs,
  order: readonly number[],
  { k, locked, orderOf, toleranceOf, isComplete, missing }: Known,
): Found {
  const known = Array.from(locked, orderOf);
  const found: number[] = [];
  for (const j of order) {
    const worst = known.sort((a, b) => a - b)[k - 1] ?? Number.POSITIVE_INFINITY;
    const own = orderOf(values[j]!);
    const tolerance = toleranceOf(values[j]!);
    const isConverged = residuals[j]! <= tolerance || isComplete;
    if (own >= worst - tolerance) {
      const isOut = (missing === 0 || found.length > 0) && residuals[j]! <= CERTAIN * (own - worst);
      return { found, isDone: isConverged || isOut };
    }
    if (!isConverged) return { found, isDone: false };
    found.push(j);
    if (found.length === missing) return { found, isDone: true };
    known.push(own);
  }
  return { found, isDone: isComplete };
}
