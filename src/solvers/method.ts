/** The interface of a method: a generator over iterations, which `iterate.ts` runs to the tolerance. */
import { UNIT_ROUNDOFF } from '../core/norms.js';
import type { Vector } from '../memory/vector.js';
import type { ComplexMaps, LinearOperator } from '../operators/operator.js';
import type { Reason } from './solution.js';
import type { Workspace } from './workspace.js';

/** A x = b, with the preconditioner z ← M⁻¹ r. */
export interface System {
  readonly A: LinearOperator;
  /** Of A, if its vectors are pairs (re, im): a method may then use complex coefficients. */
  readonly complex: ComplexMaps | undefined;
  /** Aᵀ, for methods of least squares. */
  readonly At: LinearOperator | undefined;
  readonly b: Vector;
  readonly x: Vector;
  readonly M: LinearOperator | undefined;
  readonly work: Workspace;
  /** Iterations between two yields. */
  readonly every: number;
}

/** The state after `iterations` more iterations and `products` more products; the first is that of the given x. */
export interface Progress extends Norms {
  readonly iterations: number;
  /** With A or Aᵀ. */
  readonly products: number;
  /** Whether x gets this norm only when the generator ends or begins another cycle. */
  readonly isAhead?: boolean;
  /** α and β of the step, of cg in the heap: the matrix of Lanczos. */
  readonly coefficients?: readonly [alpha: number, beta: number];
}

/** Sees each check of a method, with the norm that the residual, or the gradient of least squares, must reach. @returns whether the method is to be left */
export type Watch = (progress: Progress, tolerance: number) => boolean;

/** How far x is from a solution. */
export interface Norms {
  /** ‖b − A x‖₂ */
  readonly residualNorm: number;
  /** ‖Aᵀ (b − A x)‖₂, of methods of least squares. */
  readonly gradientNorm?: number;
}

/** Returns a reason, or undefined if the solution is found as far as it can tell. `spec`: its name and parameters; default: that of the function. */
export type Method = ((system: System) => Generator<Progress, Reason | undefined>) & { readonly spec?: string };

/** Vectors whose cosine is below this are orthogonal up to rounding: in bicgstab (r̃, r) and (t, s) have no digits, and a step has no direction. */
export const ORTHOGONAL: number = UNIT_ROUNDOFF.f64;

/** After a restart from x, a true norm must have become this much smaller; otherwise rounding errors prevail. */
export const IMPROVEMENT = 0.5;
