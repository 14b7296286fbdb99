/** What methods for singular values are asked, and what they answer. */
import type { MatrixInput } from '../../core/csr.js';
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { dtypeOf } from '../../core/types.js';
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import type { Transposable } from '../../solvers/bidiagonalize.js';
import type { Reason } from '../../solvers/solution.js';
import { ATTAINABLE, LEAST_VALUE } from '../limits.js';

/** A matrix of the library, arrays of one, an array of rows, or an operator with `transposed()`. */
export type SingularMatrix = MatrixInput | Transposable;

/** A method of `svds`. */
export type SingularMethod = 'lanczos' | 'cross' | 'inverse' | 'randomized';

/** The state of a search. */
export interface SvdsStep {
  /** Steps of Lanczos; of `randomized`: passes over A and Aᵀ. */
  readonly iteration: number;
  /** Triplets that meet the tolerance, as the method has it. */
  readonly converged: number;
}

/** `svds` takes these options. */
export interface SvdsOptions {
  /** The largest or the smallest singular values. Default `largest`. */
  readonly which?: 'largest' | 'smallest';
  /**
   * `lanczos`: Golub, Kahan and Lanczos; `cross`: block Lanczos on AᵀA, for the largest values, down to some 1/1000 of the greatest one; beneath, `lanczos` takes its
   * place; `inverse`: `lanczos` of the inverse, by factors, for the smallest values; `randomized`: the largest ones to a few digits, in few passes over A. Default
   * `auto`: `cross` for the largest values of a matrix in the heap that is larger than the bases, `inverse` for the smallest values where the factors of the matrix can be
   * computed, and it has more than 100 rows and columns; otherwise `lanczos`.
   */
  readonly method?: SingularMethod | 'auto';
  /**
   * A triplet has converged if ‖A v − σ u‖₂ and ‖Aᵀ u − σ v‖₂ are at most `tolerance` · max(σ, 1e-4 ‖A‖₂); 100 units of rounding of ‖A‖₂ are enough in any case. From 0 to
   * 1. Default 1e-8.
   */
  readonly tolerance?: number;
  /** Steps of Lanczos; one of `cross` has 4 vectors. Default: 10 times the rows or columns of A, whichever are fewer, and at least 1000. */
  readonly maxIterations?: number;
  /** Vectors on each side that are kept in memory, of `cross` on the shorter one alone. At least k + 2. Default: 2 k + 10, and at least 30; of the smallest values by `lanczos` 100 or more; of `cross` 2 k + 50, or 4 k + 40 where products take longer than that. */
  readonly basisSize?: number;
  /** `randomized` takes so many vectors beside k. Default 10. */
  readonly oversampling?: number;
  /** `randomized` makes so many products with A Aᵀ, each of which makes the values fall apart more. Default 2. */
  readonly powerIterations?: number;
  /** The seed of the random vectors: 0 to 2³² − 1. Default 1. */
  readonly seed?: number;
  /** An abort ends the search with the best triplets so far; before there are any, while factors are made, it throws its reason. */
  readonly signal?: AbortSignal;
  /** Called after each restart, or pass, and after each step of factors. `false` stops the search; while factors are made it throws an AbortError. */
  readonly onProgress?: (step: SvdsStep) => unknown;
}

/**
 * The reason for the end of a search.
 *
 * - `tolerance`: all triplets meet the tolerance
 * - `passes`: `randomized` has made its passes; `residualNorms` and `errorBound` say how good the triplets are
 * - `iterations`: the greatest number of iterations was reached
 * - `stopped`: `onProgress` returned false, or the signal was aborted
 * - `stagnated`: rounding errors keep a residual above the tolerance
 * - `not-finite`: a number became NaN or infinite
 */
export type SvdsReason =
  | Extract<Reason, 'tolerance' | 'iterations' | 'stopped' | 'stagnated' | 'not-finite'>
  | 'passes';

/** What was chosen, and why. Plain data. */
export interface SvdsDecision {
  readonly method: SingularMethod;
  /** A sentence for each choice and refusal. */
  readonly reasons: readonly string[];
}

/** `svds` returns this. */
export interface SvdsSolution {
  /** Values descend. There are fewer than k if a search was stopped early. */
  readonly values: Float64Array;
  /** A block of vectors of length `rows`: column j belongs to values[j]. Orthonormal; the caller disposes it. */
  readonly U: Vector;
  /** A block of vectors of length `cols`. Orthonormal; the caller disposes it. */
  readonly V: Vector;
  /** The greater of ‖A v − σ u‖₂ and ‖Aᵀ u − σ v‖₂ of each triplet, computed from the vectors at the end. */
  readonly residualNorms: Float64Array;
  /** Triplets whose residuals meet the tolerance. */
  readonly converged: number;
  readonly reason: SvdsReason;
  readonly iterations: number;
  /** Products with A and Aᵀ, of vectors or of blocks, those of the residuals included. */
  readonly products: number;
  /** Solves with factors. */
  readonly solves: number;
  /** `randomized` has an upper bound of ‖A − Q Qᵀ A‖₂ for the range Q that was found, of k + `oversampling` vectors, which fails with a probability of 1e-9 at most. */
  readonly errorBound?: number;
  readonly decision: SvdsDecision;
  /** Time of operators and factors. */
  readonly setupMs: number;
  readonly solveMs: number;
}

/** The search for singular triplets of a map with at least as many rows as columns, as methods see it. */
export interface SingularProblem {
  readonly A: LinearOperator;
  readonly At: LinearOperator;
  /** The columns of A, over all ranks. */
  readonly size: number;
  readonly k: number;
  readonly which: 'largest' | 'smallest';
  readonly tolerance: number;
  /** Whether the map is the inverse of that of the caller. */
  readonly isInverse: boolean;
  /** The greatest number of steps. */
  readonly limit: number;
  readonly basisSize: number;
  readonly seed: number;
  /** Whether the caller has asked to stop. */
  readonly isStopped: () => boolean;
  /** Tells the caller of a step. */
  readonly report: (step: SvdsStep) => void;
}

/** What a method has found. The caller disposes U and V. */
export interface SingularOutcome {
  readonly reason: SvdsReason;
  readonly values: Float64Array;
  readonly U: Vector;
  readonly V: Vector;
  /** An estimate of ‖A‖₂ from beneath. */
  readonly norm: number;
  readonly iterations: number;
  /** With A and Aᵀ. */
  readonly products: number;
  /** The greater of ‖A v − σ u‖ and ‖Aᵀ u − σ v‖ of each triplet, if the method has computed them from the vectors that it returns. */
  readonly residualNorms?: Float64Array;
  readonly errorBound?: number;
}

/** What a triplet is measured by. */
export interface Measure extends Pick<SingularProblem, 'tolerance' | 'isInverse'> {
  readonly norm: number;
  /** The unit of rounding. */
  readonly unit: number;
}

/** The residual that a triplet may have. That of an inverse, whose values differ by many powers of ten, is relative to the value itself. */
export function targetOf(value: number, { norm, tolerance, unit, isInverse }: Measure): number {
  if (isInverse) return Math.max(tolerance * value, unit * norm);
  return Math.max(tolerance * Math.max(value, LEAST_VALUE * norm), ATTAINABLE * unit * norm);
}

/** Whether a residual meets the tolerance of the caller. */
export function isSmall(problem: SingularProblem, residual: number, value: number, norm: number): boolean {
  const { tolerance, A } = problem;
  const unit = UNIT_ROUNDOFF[dtypeOf(A.vectorType)];
  return residual <= targetOf(value, { norm, tolerance, unit, isInverse: false });
}
