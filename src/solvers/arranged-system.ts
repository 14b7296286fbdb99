/**
 * A x = b as methods see it: A in a format, with its unknowns in an order, P A Pᵀ (P x) = P b, and its null space. Immutable: other values, or another order,
 * make another one. In a good order, products and triangular solves read neighbouring elements. Only b, x0 and x are permuted, once each; the norms of
 * residuals stay the same up to rounding.
 */

import type { Products } from '../choice/choose.js';
import { ComplexOperator } from '../complex/operator.js';
import { oneOf } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import type { Engine } from '../engine/engine.js';
import { Vector } from '../memory/vector.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { floatsOf, numbersOf } from '../operators/numbers.js';
import { LinearOperator, type VectorLike } from '../operators/operator.js';
import type { OperatorOptions } from '../operators/operator-options.js';
import { knowsPlaces } from '../preconditioners/registry.js';
import { chooseOrder, type OrderName } from '../preconditioners/triangular/order.js';
import { permuteMatrix, permuteVector } from '../reorder/permutation.js';
import { type NullSpace, type NullSpaceOption, nullSpaceOf } from './null-space.js';
import type { SetupOptions } from './system.js';

/** What is asked of the order of the unknowns, the format of A and its null space; `auto` leaves a choice. */
export interface ArrangementWish {
  readonly order: OrderName | 'auto';
  readonly format: string;
  /** How many products with A are expected, for the choice of its format. */
  readonly products: Products;
  readonly nullSpace: NullSpaceOption;
}

/**
 * Returns the order in which A is to be arranged: the caller's wish, or `natural` where A cannot be reordered.
 *
 * @throws SparlaneError `argument` for an order or a format that A cannot have
 */
export function checkedOrder(
  A: CsrMatrix | MatrixOperator,
  options: Pick<SetupOptions, 'order' | 'format'>,
  preconditioner: NonNullable<SetupOptions['preconditioner']>,
): ArrangementWish['order'] {
  const order = oneOf('order', options.order ?? 'auto', ['auto', 'natural', 'rcm']);
  const isOperator = A instanceof MatrixOperator;
  if (isOperator && options.format !== undefined)
    throw mismatch('argument', 'format', 'none for an operator', options.format);
  if (isOperator || preconditioner instanceof LinearOperator) {
    if (options.order === undefined) return 'natural';
    throw mismatch('argument', 'order', 'none for an operator, or with an operator as preconditioner', order);
  }
  if (typeof preconditioner !== 'string' || !knowsPlaces(preconditioner, A)) return order;
  if (order !== 'rcm') return 'natural';
  const expected = `natural for ${preconditioner}, which tells rows apart by their places`;
  throw mismatch('argument', 'order', expected, order);
}

export class ArrangedSystem implements Disposable {
  readonly A: MatrixOperator;
  readonly nullSpace: NullSpace | undefined;
  readonly #isOwn: boolean;
  readonly #order: Uint32Array | undefined;
  readonly #read: () => CsrMatrix;

  /**
   * @param matrix a canonical matrix, or an operator, which is not disposed
   * @param read gives the matrix of an operator; it is called where numbers are needed
   * @throws SparlaneError as the operator and the null space
   */
  static of(
    engine: Engine,
    matrix: CsrMatrix | MatrixOperator,
    read: () => CsrMatrix,
    { order, format, products, nullSpace }: ArrangementWish,
  ): ArrangedSystem {
    if (matrix instanceof MatrixOperator) return new ArrangedSystem(matrix, false, read, undefined, nullSpace);
    const chosen = matrix.rows === matrix.cols ? chooseOrder(matrix, order).order : undefined;
    const layout = format === 'auto' ? { products, tune: false } : { format };
    return ArrangedSystem.#stored(engine, matrix, chosen, layout, nullSpace);
  }

  static #stored(
    engine: Engine,
    matrix: CsrMatrix,
    order: Uint32Array | undefined,
    layout: OperatorOptions,
    nullSpace: NullSpaceOption,
  ): ArrangedSystem {
    const csr = order === undefined ? matrix : permuteMatrix(matrix, { rowOrder: order, colOrder: order });
    const A = engine.operator(csr, layout);
    try {
      return new ArrangedSystem(A, true, () => csr, order, nullSpace);
    } catch (error) {
      A.dispose();
      throw error;
    }
  }

  private constructor(
    A: MatrixOperator,
    isOwn: boolean,
    read: () => CsrMatrix,
    order: Uint32Array | undefined,
    nullSpace: NullSpaceOption,
  ) {
    this.A = A;
    this.#isOwn = isOwn;
    this.#read = read;
    this.#order = order;
    this.nullSpace =
      nullSpace === 'none'
        ? undefined
        : nullSpaceOf(
            this.csr,
            nullSpace,
            (name, z) => this.there(numbersOf(name, A.vectorType, z)),
            A instanceof ComplexOperator,
          );
  }

  /** The same system with other values, in the order of the caller's matrix. */
  withValues(engine: Engine, matrix: CsrMatrix, nullSpace: NullSpaceOption): ArrangedSystem {
    return ArrangedSystem.#stored(engine, matrix, this.#order, { format: this.A.format }, nullSpace);
  }

  /** A in this order. */
  get csr(): CsrMatrix {
    return this.#read();
  }

  get order(): OrderName {
    return this.#order === undefined ? 'natural' : 'rcm';
  }

  /** Brings a vector of the caller into this order. @returns x itself if it does not fit: the solve refuses it */
  there(x: VectorLike): VectorLike {
    const order = this.#order;
    const fits = x instanceof Vector ? x.columns === 1 : x instanceof Float64Array || x instanceof Float32Array;
    if (order === undefined || !fits || x.length !== order.length) return x;
    return permuteVector(floatsOf(x), order);
  }

  /** Brings x back to the order of the caller. */
  back(x: Vector): void {
    if (this.#order === undefined) return;
    const there = x.toArray();
    const numbers = there.slice();
    for (const [i, place] of this.#order.entries()) numbers[place] = there[i]!;
    x.set(numbers);
  }

  [Symbol.dispose](): void {
    if (this.#isOwn) this.A.dispose();
  }
}
