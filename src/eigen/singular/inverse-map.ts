/**
 * The inverse of A for the smallest singular values, by the factors of K = [α I, A; Aᵀ, −δ I] for an A with at least as many rows as columns.
 *
 * With δ = 0, K (s, x) = (b, 0) has x = A⁺ b, and K (s, x) = (0, g) has s = (A⁺)ᵀ g: the pseudo-inverse, whose singular values are 1 / σ. Its condition is
 * that of A, not its square. Where A is singular, or nearly so, δ > 0 makes K quasi-definite, and (0, −α g) gives (Aᵀ A + α δ I)⁻¹ g, whose largest
 * values belong to the smallest σ, 0 included.
 *
 * Source: Björck, Numerical Methods for Least Squares Problems, 1996, sections 2.5 and 6.4; Vanderbei 1995, "Symmetric quasidefinite matrices".
 * Cost: the factors of a matrix of rows + columns; a solve for each product.
 */

import { transposeMatrix } from '../../algebra/transpose.js';
import { type CsrMatrix, csrMatrix } from '../../core/csr.js';
import { mapSteps } from '../../core/drain.js';
import { largestModulus } from '../../core/norms.js';
import { dtypeOf } from '../../core/types.js';
import { isOfMatrix } from '../../direct/choose.js';
import type { Prediction } from '../../direct/method.js';
import type { Engine } from '../../engine/engine.js';
import { randomStream, unit } from '../../gallery/draw.js';
import { Vector } from '../../memory/vector.js';
import { functionOperator } from '../../operators/function-operator.js';
import type { LinearOperator } from '../../operators/operator.js';
import { Factorization } from '../../preconditioners/factorization.js';
import type { Basis } from '../basis/basis.js';
import type { SvdsStep } from './singular.js';

/** α over the largest modulus of an entry, as in `direct/augmented.ts`. */
const ALPHA = 1e-4;
/** √(α δ) over the largest modulus, for a singular A: values below are not told apart before the end, and those above lose its square in accuracy. Chosen. */
const REGULAR = 1e-5;
/** A regular K has residuals near 1e-15. Chosen. */
const POOR = 1e-8;

export class InverseMap implements Disposable {
  readonly #factors: Factorization;
  readonly #matrix: CsrMatrix;
  readonly #alpha: number;
  /** Whether δ > 0. */
  readonly isRegularized: boolean;
  /** From vectors like x, to vectors like b; of a regularized one to vectors like x. */
  readonly forward: LinearOperator;
  readonly back: LinearOperator;
  solves = 0;

  /**
   * @param A whose space and type the vectors have
   * @param refuse says why the factors of a prediction are not wanted
   * @throws SparlaneError `heap`, `backend`, `structure`; Declined for what `refuse` says
   */
  static *steps(
    engine: Engine,
    A: LinearOperator,
    matrix: CsrMatrix,
    refuse: ((prediction: Prediction) => string | undefined) | undefined,
  ): Generator<SvdsStep, InverseMap> {
    const alpha = ALPHA * (largestModulus(matrix.values) || 1);
    const factors = (delta: number) => factorSteps(engine, augmented(matrix, alpha, delta), refuse);
    try {
      const plain = yield* factors(0);
      if (isGood(plain)) return new InverseMap(A, matrix, alpha, plain, false);
      plain.dispose();
    } catch (error) {
      if (!isOfMatrix(error)) throw error;
    }
    const delta = (REGULAR * (alpha / ALPHA)) ** 2 / alpha;
    return new InverseMap(A, matrix, alpha, yield* factors(delta), true);
  }

  private constructor(
    A: LinearOperator,
    matrix: CsrMatrix,
    alpha: number,
    factors: Factorization,
    isRegularized: boolean,
  ) {
    const { rows, cols } = matrix;
    this.#factors = factors;
    this.#matrix = matrix;
    this.#alpha = alpha;
    this.isRegularized = isRegularized;
    const operator = (to: number, from: number, solve: (x: Vector) => Float64Array) =>
      functionOperator(A, to, from, (x, y) => void y.set(y.type.from(solve(x))), { dtype: dtypeOf(A.vectorType) });
    if (isRegularized) {
      this.forward = operator(cols, cols, (x) => this.#solve(x, rows, -alpha).subarray(rows));
      this.back = this.forward;
    } else {
      this.forward = operator(rows, cols, (x) => this.#solve(x, rows).subarray(0, rows));
      this.back = operator(cols, rows, (x) => this.#solve(x, 0).subarray(rows));
    }
  }

  /** The solution for a right-hand side with x from a place on. */
  #solve(x: Vector, place: number, times = 1): Float64Array {
    const { rows, cols } = this.#matrix;
    const right = new Float64Array(rows + cols);
    right.set(x.toArray(), place);
    if (times !== 1) for (let i = 0; i < right.length; i++) right[i]! *= times;
    this.solves++;
    return this.#factors.solve(right);
  }

  /** y ← (Aᵀ A)⁻¹ x, or that of Aᵀ A + α δ I. */
  applySquare(x: Vector, y: Vector): void {
    if (this.isRegularized) this.forward.apply(x, y);
    else {
      using middle = new Vector(x.space, x.type, this.#matrix.rows);
      this.forward.apply(x, middle);
      this.back.apply(middle, y);
    }
  }

  /**
   * The regularized map without the parts of some vectors on either side. Those of the value 0 have values of 10¹⁰ here, beside which others would keep few
   * digits; rounding errors of a solve lie along them, and vanish too.
   */
  without(vectors: Basis): LinearOperator {
    const { space, vectorType, cols } = this.forward;
    const dtype = dtypeOf(vectorType);
    return functionOperator(
      { space },
      cols,
      cols,
      (x, y) => {
        using rest = x.like().copyFrom(x);
        vectors.subtract(rest, vectors.project(rest));
        this.forward.apply(rest, y);
        vectors.subtract(y, vectors.project(y));
      },
      { dtype },
    );
  }

  /** y ← what the range of A leaves of b, about: a vector with Aᵀ y = 0. */
  project(b: Vector, y: Vector): void {
    const s = this.#solve(b, 0, this.#alpha);
    y.set(y.type.from(s.subarray(0, this.#matrix.rows)));
  }

  [Symbol.dispose](): void {
    this.forward.dispose();
    this.back.dispose();
    this.#factors.dispose();
  }
}

function factorSteps(
  engine: Engine,
  matrix: CsrMatrix,
  refuse: ((prediction: Prediction) => string | undefined) | undefined,
): Generator<SvdsStep, Factorization> {
  const start = performance.now();
  const request = { matrix, dtype: 'f64', spec: 'direct', start, method: 'auto', order: 'auto', refuse } as const;
  return mapSteps(Factorization.steps(engine, request), () => ({ iteration: 0, converged: 0 }));
}

/** Whether no pivot had to be replaced, and a solve is as good as rounding allows. */
function isGood(factors: Factorization): boolean {
  if (factors.explain().pivots.perturbed > 0) return false;
  const random = randomStream(1, 'values');
  const solution = factors.solve(Float64Array.from({ length: factors.rows }, () => unit(random) - 0.5));
  return solution.every(Number.isFinite) && factors.lastSolve!.relativeResidual <= POOR;
}

/** [α I, A; Aᵀ, −δ I], without entries where δ is 0. */
function augmented(matrix: CsrMatrix, alpha: number, delta: number): CsrMatrix {
  const { rows, cols, nnz } = matrix;
  const across = transposeMatrix(matrix);
  const entries = rows + 2 * nnz + (delta > 0 ? cols : 0);
  const rowPtr = new Uint32Array(rows + cols + 1);
  const colIdx = new Uint32Array(entries);
  const values = new Float64Array(entries);
  let at = 0;
  const add = (column: number, value: number) => {
    colIdx[at] = column;
    values[at++] = value;
  };
  for (let i = 0; i < rows; i++) {
    add(i, alpha);
    for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++) add(rows + matrix.colIdx[k]!, matrix.values[k]!);
    rowPtr[i + 1] = at;
  }
  for (let j = 0; j < cols; j++) {
    for (let k = across.rowPtr[j]!; k < across.rowPtr[j + 1]!; k++) add(across.colIdx[k]!, across.values[k]!);
    if (delta > 0) add(rows + j, -delta);
    rowPtr[rows + j + 1] = at;
  }
  return csrMatrix({ rows: rows + cols, cols: rows + cols, rowPtr, colIdx, values, symmetry: 'symmetric' });
}
