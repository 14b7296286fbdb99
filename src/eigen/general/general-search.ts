/** What a search for eigenvalues of a matrix that is not symmetric is given, and what it returns. */
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator, VectorInput } from '../../operators/operator.js';
import type { EigenReason, EigenStep } from '../method.js';
import type { ComplexNumber } from './complex-residual.js';
import type { ComplexShift } from './complex-shift.js';

/** The operator whose eigenvalues θ are at the edge where those of A that are wanted belong. */
export interface SpectralMap {
  /** y ← C x */
  apply(x: Vector, y: Vector): void;
  /** λ of A; not for a complex shift, which has values of its own. */
  valueOf(theta: ComplexNumber): ComplexNumber;
  /** Compares two values θ, as the function that `Array.sort` takes. */
  compare(one: ComplexNumber, other: ComplexNumber): number;
  /** Whether C is A itself: estimates of residuals are then those of A. */
  readonly isPlain: boolean;
  /** Whether C = (A − σ B)⁻¹ B. */
  readonly isInverse: boolean;
  /** Products with A of one application. */
  readonly products: number;
  /** Defined where C maps pairs of vectors, u + i v, by a complex shift. */
  readonly complex?: ComplexShift;
}

/** An eigenvalue may have a condition number up to here, where a residual says how far it may be off. Chosen: beyond, another eigenvalue might be near enough. */
export const WORST_CONDITION = 1e4;

export interface GeneralSearch {
  readonly A: LinearOperator;
  readonly B: LinearOperator | undefined;
  readonly map: SpectralMap;
  readonly size: number;
  readonly k: number;
  readonly tolerance: number;
  /** Steps at most. */
  readonly limit: number;
  readonly basisSize: number;
  readonly start: VectorInput | undefined;
  readonly isStopped: () => boolean;
  readonly report: (step: EigenStep) => void;
}

/** The end of a search; blocks have a column for each value, and belong to the caller. */
export interface GeneralOutcome {
  readonly reason: Exclude<EigenReason, 'incomplete'>;
  readonly values: { readonly real: Float64Array; readonly imaginary: Float64Array };
  readonly vectors: { readonly real: Vector; readonly imaginary: Vector };
  readonly residualNorms: Float64Array;
  readonly converged: number;
  readonly iterations: number;
  /** Products for residuals. */
  readonly products: number;
}
