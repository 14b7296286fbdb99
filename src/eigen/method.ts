/** What eigenvalue methods are asked, and what they answer. */
import type { CsrMatrix, MatrixInput } from '../core/csr.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';
import type { SetupStep } from '../preconditioners/preconditioner.js';
import type { Reason } from '../solvers/solution.js';
import type { PairResidual } from './residuals.js';

/** Which eigenvalues: the least, the greatest, or those nearest to a shift. */
export type Which = 'smallest' | 'largest' | 'nearest';

/** A matrix of the library, arrays of one, an array of rows, or any linear operator. */
export type EigenMatrix = MatrixInput | LinearOperator;

/**
 * The reason for the end of a search.
 *
 * - `tolerance`: all pairs meet the tolerance, and nothing in their range was found to be missing
 * - `iterations`: the greatest number of iterations was reached
 * - `stopped`: `onProgress` returned false, or the signal was aborted
 * - `stagnated`: rounding errors keep a residual above the tolerance
 * - `incomplete`: all pairs meet the tolerance, but a count by inertia says that another eigenvalue is in their range
 * - `not-finite`: a number became NaN or infinite
 */
export type EigenReason =
  | Extract<Reason, 'tolerance' | 'iterations' | 'stopped' | 'stagnated' | 'not-finite'>
  | 'incomplete';

/** The state of a search. */
export interface EigenStep {
  readonly stage: SetupStep['stage'] | 'iterations';
  readonly iteration: number;
  /** Pairs that meet the tolerance, as the method has it. */
  readonly converged: number;
}

/** `eigs` takes these options. */
export interface EigsOptions {
  /** Default `smallest`. */
  readonly which?: Which;
  /**
   * For `nearest`: the number to which eigenvalues are near; default 0. For `smallest`: a number below all eigenvalues, where it is known; the nearer, the
   * better.
   */
  readonly shift?: number;
  /** B of A x = λ B x: symmetric positive semi-definite, such as a mass matrix. Default: the identity. */
  readonly B?: EigenMatrix;
  /** A method by name. Default `auto`: chosen for the matrix. */
  readonly method?: string;
  /** For `lobpcg`: a name, `none`, or the operator z ← M⁻¹ r in the space of A. Default: chosen by the method. */
  readonly preconditioner?: string | LinearOperator;
  /**
   * A pair has converged if ‖A x − λ B x‖₂ is at most `tolerance` · max(|λ| ‖B x‖₂, 1e-4 (‖A‖ + |λ| ‖B‖) ‖x‖₂); a residual of 100 units of rounding of (‖A‖ + |λ| ‖B‖)
   * ‖x‖₂ is enough in any case. From 0 to 1. Default 1e-8.
   */
  readonly tolerance?: number;
  /** Steps of Lanczos, or iterations of another method. Default: 10 times the size of A, and at least 10,000. */
  readonly maxIterations?: number;
  /** The first vector. Default: seeded random numbers. It is not changed. */
  readonly start?: VectorInput;
  /** Vectors that are kept in memory: more of them need fewer steps. At least k + 10. Default: 2 k + 10, and at least 30. */
  readonly basisSize?: number;
  /** An abort ends the search with the best pairs so far; before there are any it throws its reason. */
  readonly signal?: AbortSignal;
  /**
   * Called after each restart, or iteration, and after each step of factors and preconditioners, whose `stage` says so. `false` stops the search; before there are
   * pairs that throws an AbortError.
   */
  readonly onProgress?: (step: EigenStep) => unknown;
}

/** A x = λ B x, checked, as methods see it. */
export interface EigenProblem {
  readonly engine: Engine;
  readonly A: LinearOperator;
  /** Undefined for the identity. */
  readonly B: LinearOperator | undefined;
  /** The entries of A, if they are known. */
  readonly matrix: CsrMatrix | undefined;
  /** The entries of B, if they are known. */
  readonly mass: CsrMatrix | undefined;
  /** Whether A or B has entries that differ from those across the diagonal, by rounding errors. */
  readonly isRounded: boolean;
  /** The rows of A, over all ranks. */
  readonly size: number;
  readonly k: number;
  readonly which: Which;
  readonly shift: number | undefined;
  readonly tolerance: number;
  /** The greatest number of iterations. */
  readonly limit: number;
  readonly basisSize: number;
  readonly start: VectorInput | undefined;
  readonly preconditioner: string | LinearOperator | undefined;
  /** Whether another method follows, so that this one may throw Declined where it would take very long. */
  readonly mayDecline: boolean;
  /** Whether the caller has asked to stop. */
  readonly isStopped: () => boolean;
  /** Tells the caller of a step. */
  readonly report: (step: EigenStep) => void;
  /** A sentence for each choice and refusal; methods add theirs. */
  readonly reasons: string[];
}

/** What a method has found. */
export interface EigenOutcome {
  readonly reason: EigenReason;
  /** One at least, the best first; fewer than k if a search was stopped, or B has a smaller rank. */
  readonly values: Float64Array;
  /** A block with a column for each value: of norm 1, or with xᵀ B x = 1. The caller disposes it. */
  readonly vectors: Vector;
  /** The residuals of these vectors, where the method has computed them. */
  readonly residuals?: readonly (PairResidual | undefined)[];
  readonly iterations: number;
  /** Products with A. */
  readonly products: number;
  /** Solves with factors. */
  readonly solves: number;
  /** The greatest |θ| that was seen: a lower bound of ‖A‖, for an operator without entries. */
  readonly normOfA?: number;
  /** The time of factors and preconditioners. */
  readonly setupMs: number;
}

export interface EigenMethod {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** @throws SparlaneError `argument` for a problem that the method cannot solve; errors of products and factors */
  readonly steps: (problem: EigenProblem) => Generator<EigenStep, EigenOutcome>;
}

/** What was chosen, and why. Plain data. */
export interface EigenDecision {
  readonly method: string;
  /** A sentence for each choice, refusal and proof, in order. */
  readonly reasons: readonly string[];
}

/** `eigs` returns this. */
export interface EigenSolution {
  /** Values ascend for `smallest`, descend for `largest`, and are in the order of their distances from the shift for `nearest`. */
  readonly values: Float64Array;
  /** A block of vectors in the space of A: column j belongs to values[j]. Orthonormal; with B: Xᵀ B X = I. The caller disposes it. */
  readonly vectors: Vector;
  /** ‖A x − λ B x‖₂ of each pair, computed from the vectors at the end. */
  readonly residualNorms: Float64Array;
  /** The pairs whose residuals meet the tolerance. */
  readonly converged: number;
  readonly reason: EigenReason;
  readonly iterations: number;
  /** Products with A, those of the residuals included. */
  readonly products: number;
  /** Solves with factors. */
  readonly solves: number;
  readonly decision: EigenDecision;
  /** Time of operators and factors. */
  readonly setupMs: number;
  readonly solveMs: number;
}
