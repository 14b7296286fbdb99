/**
 * Golub and Kahan's bidiagonalization of A, started with b − A x: what lsqr and lsmr share. A V = U B, Aᵀ U = V Bᵀ, with U and V
 * orthonormal and B lower bidiagonal. With a preconditioner it is that of A N for N Nᵀ = M⁻¹, and V has the columns of N V; N is not needed.
 *
 * Source: Golub & Kahan 1965; Paige & Saunders 1982, section 3; with a preconditioner Arridge, Betcke & Harhanen 2014.
 * Cost: a step is a product with A and one with Aᵀ, two norms and two scalings; with a preconditioner M, a norm and a scaling more.
 */
import { mismatch } from '../core/errors.js';
import type { Vector } from '../memory/vector.js';
import { LinearOperator } from '../operators/operator.js';
import { checkOperator } from './arguments.js';
import type { System } from './method.js';
import { normalize, readNorm } from './norms.js';
import type { Reason, SolveOptions } from './solution.js';

/** An operator that has the operator of its transpose: that of a matrix, or a caller's own. */
export interface Transposable extends LinearOperator {
  transposed(): LinearOperator;
}

/** `lsqr` and `lsmr` take these options. */
export interface LeastSquaresOptions extends SolveOptions {
  /**
   * z ← M⁻¹ g for an M like Aᵀ A, symmetric positive definite, `A.cols` × `A.cols`, in the space of A: `normalJacobi(A)`. Where several x
   * minimize the residual, it is the one with the least xᵀ M x that is found. Default: none.
   */
  readonly preconditioner?: LinearOperator;
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
  #isIndefinite = false;
  readonly #norm: ReturnType<System['work']['scalar']>;
  /** The newest column of V, or of N V. */
  readonly v: Vector;
  /** M v */
  readonly g: Vector;
  alpha: number;
  beta: number;

  constructor(system: System) {
    const { A, b, x, M, work } = system;
    this.#system = system;
    this.#norm = work.scalar();
    this.#u = work.vector('b');
    this.g = work.vector('x');
    this.v = M === undefined ? this.g : work.vector('x');
    this.#u.copyFrom(b);
    A.apply(x, this.#u, -1, 1);
    this.beta = this.#normalize(this.#u);
    system.At!.apply(this.#u, this.g);
    this.alpha = this.#turn();
  }

  advance(): void {
    const { A, At } = this.#system;
    if (this.failure !== undefined) return;
    A.apply(this.v, this.#u, 1, -this.alpha);
    this.beta = this.#normalize(this.#u);
    if (this.failure !== undefined) return;
    At!.apply(this.#u, this.g, 1, -this.beta);
    this.alpha = this.#turn();
  }

  /** The reason why there is no next column. */
  get failure(): Reason | undefined {
    if (this.#isIndefinite) return 'not-definite';
    return Number.isFinite(this.alpha) && Number.isFinite(this.beta) ? undefined : 'not-finite';
  }

  /** v ← M⁻¹ g, both scaled so that gᵀ v = 1. @returns √(gᵀ v) before */
  #turn(): number {
    const { M } = this.#system;
    if (M === undefined) return this.#normalize(this.g);
    M.apply(this.g, this.v);
    const square = this.g.dot(this.v, this.#norm).value;
    this.#isIndefinite = square < 0;
    const root = Math.sqrt(square);
    if (!(root > 0 && Number.isFinite(root))) return root;
    normalize(this.g, root);
    normalize(this.v, root);
    return root;
  }

  #normalize(vector: Vector): number {
    const norm = readNorm(vector, this.#norm);
    // A norm that is not finite ends the solve by the norms that follow from it.
    if (norm > 0 && Number.isFinite(norm)) normalize(vector, norm);
    return norm;
  }
}

/** The rotation that turns (a, b) into (length, 0). */
export function rotation(a: number, b: number): { cosine: number; sine: number; length: number } {
  const length = Math.hypot(a, b);
  return length === 0 ? { cosine: 1, sine: 0, length } : { cosine: a / length, sine: b / length, length };
}
