/** What `solve` is asked beside the options of every method, and what it says of its choice. */
import type { MatrixInput } from '../core/csr.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { LinearOperator } from '../operators/operator.js';
import type { PreconditionerReport } from '../preconditioners/preconditioner.js';
import type { OrderName } from '../preconditioners/triangular/order.js';
import type { SystemFacts } from './decide.js';
import type { NamedMethod } from './methods.js';
import type { NullSpaceOption } from './null-space.js';
import type { Reason, SolveOptions } from './solution.js';

/** A matrix of the library, arrays of one, an array of rows, or the operator of a matrix. */
export type SystemMatrix = MatrixInput | MatrixOperator;

/** `solve` takes these options. */
export interface SolveSystemOptions extends Omit<SolveOptions, 'preconditioner'> {
  /** A method with its parameters: `cg`, `gmres?restart=50`. Default `auto`: chosen for the matrix. */
  readonly method?: string;
  /** A preconditioner by name, `none`, or the operator z ← M⁻¹ r. Default `auto`: chosen for the matrix. */
  readonly preconditioner?: string | LinearOperator;
  /** The format of the matrix. Default `auto`, for 200 products; in `createSolver`, for many. Only for a matrix that is not an operator yet. */
  readonly format?: string;
  /**
   * The order of the unknowns within the solve: `natural`, that of the matrix; `rcm`, reverse Cuthill-McKee. Default `auto`: `rcm` if
   * neighbours are far from each other. Only for a matrix that is not an operator yet, and a preconditioner that is none; x comes in the order
   * of the matrix.
   */
  readonly order?: OrderName | 'auto';
  /**
   * Vectors z with A z = 0 and Aᵀ z = 0; `constant`: one of ones. b is projected, so that the system has a solution, and x has no part in them: its mean is 0. Default
   * `auto`: constants are recognized where the sums of rows and columns are 0, those of each part where the graph of the matrix is in parts. `none`: no null
   * space.
   */
  readonly nullSpace?: NullSpaceOption;
  /** The solve ends after so many milliseconds, with the x of that moment and the reason `time`. Default: no limit. */
  readonly limitMs?: number;
}

/** The part of the options that a set-up depends on. */
export type SetupOptions = Pick<SolveSystemOptions, 'method' | 'preconditioner' | 'format' | 'order' | 'nullSpace'>;

/** A method that was run. */
export interface Attempt {
  readonly method: string;
  /** `none`, or `given` for an operator of the caller. */
  readonly preconditioner: string;
  /** `slow`: left, with its x, for a method that was expected to end before it. */
  readonly reason: Reason | 'slow';
  readonly iterations: number;
  /** The time that was expected when it began, on one thread; undefined if it was not chosen by time. */
  readonly expectedMs: number | undefined;
}

/** What a decision says of a preconditioner that is multigrid; absent for all others. */
export type MultigridSizes = Pick<
  PreconditionerReport,
  'blockRows' | 'levels' | 'gridComplexity' | 'operatorComplexity'
>;

/** What was chosen, and why. Plain data. */
export interface SolveDecision extends Pick<Attempt, 'method' | 'preconditioner'>, MultigridSizes {
  /** Of the matrix; undefined if both method and preconditioner were named. */
  readonly facts: SystemFacts | undefined;
  /** The order of the unknowns within the solve. */
  readonly order: OrderName;
  /** A sentence for each choice and refusal, in order. */
  readonly reasons: readonly string[];
  /** The methods that were run; the last one is `method`, and the solution is its own. */
  readonly attempts: readonly Attempt[];
}

/** A method with its preconditioner. */
export interface Prepared {
  readonly method: NamedMethod;
  readonly M: LinearOperator | undefined;
  /** The name of M, `given` or `none`. */
  readonly preconditioner: string;
  /** A sentence for each choice and refusal. */
  readonly reasons: readonly string[];
}
