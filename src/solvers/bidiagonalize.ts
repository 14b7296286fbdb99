/**
 * Golub and Kahan's bidiagonalization of A, started with b − A x: what lsqr and lsmr share. A V = U B, Aᵀ U = V Bᵀ, with U and V
 * orthonormal and B lower bidiagonal.
 *
 * Source: Golub & Kahan 1965; Paige & Saunders 1982, section 3.
 * Cost: a step is a product with A and one with Aᵀ, two norms and two scalings.
 */
import { mismatch } from '../core/errors.js';
import type { Vector } from '../memory/vector.js';
import { LinearOperator } from '../operators/operator.js';
import { checkOperator, SOLVE_OPTIONS } from './arguments.js';
import type { System } from './iterate.js';
import type { SolveOptions } from './solution.js';

/** An operator that has the operator of its transpose: that of a matrix, or a caller's own. */
export interface Transposable extends LinearOperator {
  transposed(): LinearOperator;
}

/** Methods of least squares have no preconditioner: scale the columns of A instead (`scaleMatrix`). */
export type LeastSquaresOptions = Omit<SolveOptions, 'preconditioner'>;

export const LEAST_SQUARES_OPTIONS: Record<keyof LeastSquaresOptions, true> = withoutPreconditioner(SOLVE_OPTIONS);

function withoutPreconditioner<T extends object>({ preconditioner: _, ...others }: T & { preconditioner: unknown }) {
  return others;
}

/** @throws SparlaneError `argument` if A is no operator, or one without a transpose */
export function transposeOf(A: Transposable): LinearOperator {
  checkOperator(A, 'any');
  if (typeof A.transposed !== 'function') throw mismatch('argument', 'A', 'an operator with transposed()', A);
  const At = A.transposed();
  if (!(At instanceof LinearOperator)) throw mismatch('argument', 'A.transposed()', 'a linear operator', At);
  return At;
}

/** The next column of B: αₖ on the diagonal, βₖ₊₁ below it. Its vectors have norm 1, or 0 if α or β is. */
export class Bidiagonalization {
  readonly #system: System;
  readonly #u: Vector;
  readonly #norm: ReturnType<System['work']['scalar']>;
  /** The newest column of V. */
  readonly v: Vector;
  alpha: number;
  beta: number;

  constructor(system: System) {
    const { A, b, x, work } = system;
    this.#system = system;
    this.#norm = work.scalar();
    this.#u = work.vector('b');
    this.v = work.vector('x');
    this.#u.copyFrom(b);
    A.apply(x, this.#u, -1, 1);
    this.beta = this.#normalize(this.#u);
    system.At!.apply(this.#u, this.v);
    this.alpha = this.#normalize(this.v);
  }

  advance(): void {
    const { A, At } = this.#system;
    A.apply(this.v, this.#u, 1, -this.alpha);
    this.beta = this.#normalize(this.#u);
    At!.apply(this.#u, this.v, 1, -this.beta);
    this.alpha = this.#normalize(this.v);
  }

  #normalize(vector: Vector): number {
    const { value } = vector.norm(this.#norm);
    // A norm that is not finite ends the solve by the norms that follow from it.
    if (value > 0 && Number.isFinite(value)) vector.scale(1 / value);
    return value;
  }
}

/** The rotation that turns (a, b) into (length, 0). */
export function rotation(a: number, b: number): { cosine: number; sine: number; length: number } {
  const length = Math.hypot(a, b);
  return length === 0 ? { cosine: 1, sine: 0, length } : { cosine: a / length, sine: b / length, length };
}
