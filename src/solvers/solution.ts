/** What a solver is asked, and what it answers. */
import type { Vector } from '../memory/vector.js';
import type { LinearOperator, VectorInput } from '../operators/operator.js';

/**
 * The reason for the end of a solve.
 *
 * - `tolerance`: the true residual ‖b − A x‖₂ is at most the tolerance; or, of lsqr and lsmr, ‖Aᵀ (b − A x)‖₂ is at most rtol ‖Aᵀ b‖₂
 * - `iterations`: the greatest number of iterations was reached
 * - `not-definite`: the method needs a positive definite matrix or preconditioner, and found that it is not
 * - `breakdown`: a division by zero within the method, which another method may not have
 * - `stagnated`: rounding errors keep the true residual above the tolerance
 * - `not-finite`: a number became NaN or infinite
 * - `stopped`: `onStep` returned false, or the signal was aborted
 * - `time`: `limitMs` of `solve` were not enough
 */
export type Reason =
  | 'tolerance'
  | 'iterations'
  | 'not-definite'
  | 'breakdown'
  | 'stagnated'
  | 'not-finite'
  | 'stopped'
  | 'time';

/** The state after some iterations. */
export interface Step {
  readonly iteration: number;
  /** ‖b − A x‖₂ as the method has it, without another product. */
  readonly residualNorm: number;
}

/** Every iterative method takes these options. */
export interface SolveOptions {
  /** The first x. Default: zeros. It is not changed. */
  readonly x0?: VectorInput;
  /** The tolerance, relative to ‖b‖₂: 0 to 1. Default 1e-8. */
  readonly rtol?: number;
  /** The absolute tolerance, at least 0. The solve ends at max(rtol ‖b‖₂, atol). Default 0. */
  readonly atol?: number;
  /** Default: 10 times the number of unknowns, and at least 1000. */
  readonly maxIterations?: number;
  /** z ← M⁻¹ r in the space of A. Default: none. */
  readonly preconditioner?: LinearOperator;
  /** Called after every check; `false` stops the solve. */
  readonly onStep?: (step: Step) => unknown;
  /** Stops the solve when it aborts. */
  readonly signal?: AbortSignal;
  /**
   * Iterations between two checks of the residual. Reading it waits for a device. Default: 1 in the heap; on a device, those of some 1 ms by the
   * sizes of A and M, 1 to 16. gmres, lsqr and lsmr check every iteration.
   */
  readonly checkEvery?: number;
  /**
   * Measures the parts of `solveMs`. Steps are then not recorded, and a device waits after every product: the same bits, in more time.
   * Default false.
   */
  readonly timing?: boolean;
}

/** The parts of a solve's time, in ms. */
export interface SolveTiming {
  /** With A and Aᵀ. */
  readonly products: number;
  readonly preconditioner: number;
  /** All else: updates, dot products, the small problems of gmres. */
  readonly vectors: number;
}

/** Every iterative method returns this. */
export interface Solution {
  /** In the space of A; the caller disposes it. */
  readonly x: Vector;
  readonly converged: boolean;
  readonly reason: Reason;
  readonly iterations: number;
  /** Products with A and Aᵀ, those that compute the true residual included. */
  readonly products: number;
  /** ‖b − A x‖₂ / ‖b‖₂, computed from x at the end; the norm itself if b = 0. */
  readonly relativeResidual: number;
  /** The residual norms of all checks, as the method had them: element k is that after k · `checkEvery` iterations. */
  readonly residualNorms: Float64Array;
  /** Iterations between two checks. */
  readonly checkEvery: number;
  /** Time of the operator and of the preconditioner that `solve` made; 0 for a method that was given both. */
  readonly setupMs: number;
  /** Time of the iterations, and of the true residual. */
  readonly solveMs: number;
  /** The parts of `solveMs`, with the option `timing`. */
  readonly timing?: SolveTiming;
}
