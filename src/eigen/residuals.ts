/** The residuals of pairs, as they are, and what they may be. */

import type { CsrMatrix } from '../core/csr.js';
import { UNIT_ROUNDOFF } from '../core/norms.js';
import { assemble, type Owned } from '../core/owned.js';
import { dtypeOf } from '../core/types.js';
import type { Scalar } from '../memory/scalar.js';
import type { Vector } from '../memory/vector.js';
import { readNorm } from '../solvers/norms.js';
import { Workspace } from '../solvers/workspace.js';
import { ATTAINABLE, LEAST_VALUE } from './limits.js';
import type { EigenProblem } from './method.js';

/** A value that differs by more units of rounding of A from xᵀ A x / xᵀ B x is less exact than that. Chosen. */
const QUOTIENT = 10;

/** What residuals depend on. */
export type MeasuredProblem = Pick<EigenProblem, 'A' | 'B' | 'matrix' | 'mass' | 'tolerance'>;

/** The residual of a pair. */
export interface PairResidual {
  /** λ as it was given, or xᵀ A x / xᵀ B x where that is more exact. */
  readonly value: number;
  /** ‖A x − λ B x‖₂ */
  readonly norm: number;
  /** What the norm may be. */
  readonly target: number;
  readonly isSmall: boolean;
}

export class Residuals implements Disposable {
  /** Products with A. */
  products = 0;
  /** Upper bounds of ‖A‖₂ and ‖B‖₂, or estimates from beneath. */
  #normOfA: number;
  readonly #normOfB: number;
  readonly #problem: MeasuredProblem;
  readonly #owned: Owned;
  readonly #r: Vector;
  readonly #image: Vector;
  readonly #scalar: Scalar;

  constructor(problem: MeasuredProblem) {
    const { A, B, matrix, mass } = problem;
    this.#problem = problem;
    const made = assemble((owned) => {
      const work = owned.own(new Workspace(A));
      return { owned, r: work.vector(), image: work.vector(), scalar: work.scalar() };
    });
    this.#owned = made.owned;
    this.#r = made.r;
    this.#image = made.image;
    this.#scalar = made.scalar;
    this.#normOfA = matrix === undefined ? 0 : boundOfNorm(matrix);
    this.#normOfB = mass === undefined ? (B === undefined ? 1 : 0) : boundOfNorm(mass);
  }

  /** The norm of A, as far as it is known. */
  get normOfA(): number {
    return this.#normOfA;
  }

  get normOfB(): number {
    return this.#normOfB;
  }

  /** Takes a lower bound of ‖A‖₂, such as the modulus of a Ritz value. It counts where no entries are known. */
  raise(norm: number): void {
    if (this.#problem.matrix === undefined && norm > this.#normOfA) this.#normOfA = norm;
  }

  /** The norm that the residual of a pair may have. @param normOfImage ‖B x‖ */
  target(value: number, normOfImage: number, normOfX: number): number {
    const { tolerance } = this.#problem;
    const size = Math.abs(value);
    const largest = (this.#normOfA + size * this.#normOfB) * normOfX;
    const least = ATTAINABLE * this.unit * largest;
    return Math.max(tolerance * Math.max(size * normOfImage, LEAST_VALUE * largest), least);
  }

  /**
   * Computes the residual of a pair: one product with A. The quotient of Rayleigh has an error of some units of rounding of A, which a value of inversion
   * need not have; where they differ by more, the value is that which has suffered, from a much larger 1 / (λ − σ).
   */
  of(given: number, x: Vector): PairResidual {
    const { A, B } = this.#problem;
    const [r, image, scalar] = [this.#r, this.#image, this.#scalar];
    A.apply(x, r);
    this.products++;
    if (B !== undefined) B.apply(x, image);
    const Bx = B === undefined ? x : image;
    const normOfX = readNorm(x, scalar);
    const square = x.dot(Bx, scalar).value;
    const quotient = x.dot(r, scalar).value / square;
    const rounding = (this.unit * (this.#normOfA + Math.abs(quotient) * this.#normOfB) * normOfX * normOfX) / square;
    const isNear = Math.abs(given - quotient) <= QUOTIENT * rounding || !Number.isFinite(quotient);
    const value = isNear ? given : quotient;
    if (!Number.isFinite(value)) return { value, norm: Number.NaN, target: 0, isSmall: false };
    const target = this.target(value, B === undefined ? normOfX : readNorm(image, scalar), normOfX);
    const norm = readNorm(r.axpy(-value, Bx), scalar);
    return { value, norm, target, isSmall: norm <= target };
  }

  /** The unit of rounding of the vectors. */
  get unit(): number {
    return UNIT_ROUNDOFF[dtypeOf(this.#problem.A.vectorType) as 'f64' | 'f32'];
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

/** min(‖A‖∞, ‖A‖_F) ≥ ‖A‖₂ of a symmetric A. */
function boundOfNorm({ rows, rowPtr, values }: CsrMatrix): number {
  let [greatest, squares] = [0, 0];
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      sum += Math.abs(values[k]!);
      squares += values[k]! * values[k]!;
    }
    greatest = Math.max(greatest, sum);
  }
  const frobenius = Math.sqrt(squares);
  return squares > 0 && Number.isFinite(frobenius) ? Math.min(greatest, frobenius) : greatest;
}
