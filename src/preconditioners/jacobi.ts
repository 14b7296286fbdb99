/**
 * Jacobi's preconditioner: M is the diagonal of A.
 *
 * For: matrices whose diagonal varies. It costs a multiplication per element, and no set-up but the diagonal.
 */
import { mismatch, SparlaneError } from '../core/errors.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator } from '../operators/operator.js';

/**
 * z ← D⁻¹ r, for D the diagonal of A.
 *
 * @throws SparlaneError `shape` for a matrix that is not square; `structure` if an element of the diagonal is zero, missing or not
 *   finite; `heap` if it does not fit
 */
export function jacobi(A: MatrixOperator): LinearOperator {
  if (!(A instanceof MatrixOperator)) throw mismatch('argument', 'A', 'the operator of a matrix', A);
  if (A.rows !== A.cols) throw mismatch('shape', 'A', 'as many rows as columns', `${A.rows} × ${A.cols}`);
  const diagonal = new Float64Array(A.rows);
  A.matrix.forEachEntry((row, col, value) => {
    if (row === col) diagonal[row] = value;
  });
  const wrong = diagonal.findIndex((value) => value === 0 || !Number.isFinite(value));
  if (wrong >= 0) {
    const text = `A: expected a diagonal of finite numbers other than 0, got ${diagonal[wrong]} in row ${wrong}`;
    throw new SparlaneError('structure', text, { row: wrong });
  }
  return new DiagonalOperator(
    A.space,
    A.vectorType,
    diagonal.map((value) => 1 / value),
  );
}

/** y ← α d ∘ x + β y */
class DiagonalOperator extends LinearOperator {
  readonly #d: Vector;
  /** d ∘ x, if it is scaled or added. */
  #product: Vector | undefined;

  constructor(space: Space, type: LinearOperator['vectorType'], d: Float64Array) {
    super(space, d.length, d.length, type);
    this.#d = new Vector(space, type, d.length).set(d);
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (alpha === 1 && beta === 0) {
      y.multiply(this.#d, x);
      return;
    }
    this.#product ??= y.like();
    y.axpby(alpha, this.#product.multiply(this.#d, x), beta);
  }

  protected override release(): void {
    this.#d.dispose();
    this.#product?.dispose();
  }
}
