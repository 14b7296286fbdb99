/**
 * A x = b as methods see it: A in a format, with its unknowns in an order, P A Pᵀ (P x) = P b, and its null space. Immutable: other values, or another order,
 * make another one. In a good order, products and triangular solves read neighbouring elements. Only b, x0 and x are permuted, once each; the norms of
 * residuals stay the same up to rounding.
 */
import type { CsrMatrix } from '../core/csr.js';
import type { Engine } from '../engine/engine.js';
import { Vector } from '../memory/vector.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { numbersOf } from '../operators/numbers.js';
import type { VectorLike } from '../operators/operator.js';
import { chooseOrder, type OrderName } from '../preconditioners/triangular/order.js';
import { permuteMatrix, permuteVector } from '../reorder/permutation.js';
import { type NullSpace, type NullSpaceOption, nullSpaceOf } from './null-space.js';

export interface Arrangement {
  readonly order: OrderName | 'auto';
  readonly format: string;
  readonly nullSpace: NullSpaceOption;
}

export class ArrangedSystem implements Disposable {
  readonly A: MatrixOperator;
  readonly nullSpace: NullSpace | undefined;
  /** Of the caller; undefined if it gave an operator. */
  readonly #matrix: CsrMatrix | undefined;
  readonly #order: Uint32Array | undefined;
  #csr: CsrMatrix | undefined;

  /** @param matrix a canonical matrix, or an operator, which is not disposed @throws SparlaneError as the operator and the null space */
  static of(
    engine: Engine,
    matrix: CsrMatrix | MatrixOperator,
    { order, format, nullSpace }: Arrangement,
  ): ArrangedSystem {
    if (matrix instanceof MatrixOperator) return new ArrangedSystem(matrix, undefined, undefined, undefined, nullSpace);
    const chosen = matrix.rows === matrix.cols ? chooseOrder(matrix, order).order : undefined;
    return ArrangedSystem.#stored(engine, matrix, chosen, format, nullSpace);
  }

  static #stored(
    engine: Engine,
    matrix: CsrMatrix,
    order: Uint32Array | undefined,
    format: string,
    nullSpace: NullSpaceOption,
  ): ArrangedSystem {
    const csr = order === undefined ? matrix : permuteMatrix(matrix, { rowOrder: order, colOrder: order });
    const A = engine.operator(csr, format === 'auto' ? { products: 'many', tune: false } : { format });
    try {
      return new ArrangedSystem(A, matrix, csr, order, nullSpace);
    } catch (error) {
      A.dispose();
      throw error;
    }
  }

  private constructor(
    A: MatrixOperator,
    matrix: CsrMatrix | undefined,
    csr: CsrMatrix | undefined,
    order: Uint32Array | undefined,
    nullSpace: NullSpaceOption,
  ) {
    this.A = A;
    this.#matrix = matrix;
    this.#csr = csr;
    this.#order = order;
    this.nullSpace =
      nullSpace === 'none'
        ? undefined
        : nullSpaceOf(this.csr, nullSpace, (name, z) => this.there(numbersOf(name, A.vectorType, z)));
  }

  /** The same system with other values, in the order of the caller's matrix. */
  withValues(engine: Engine, matrix: CsrMatrix, nullSpace: NullSpaceOption): ArrangedSystem {
    return ArrangedSystem.#stored(engine, matrix, this.#order, this.A.format, nullSpace);
  }

  get csr(): CsrMatrix {
    this.#csr ??= this.A.toCsr();
    return this.#csr;
  }

  get order(): OrderName {
    return this.#order === undefined ? 'natural' : 'rcm';
  }

  /** A vector of the caller in this order; as it is if it does not fit, which the solve refuses. */
  there(x: VectorLike): VectorLike {
    const order = this.#order;
    const fits = x instanceof Vector ? x.columns === 1 : x instanceof Float64Array || x instanceof Float32Array;
    if (order === undefined || !fits || x.length !== order.length) return x;
    return permuteVector(x instanceof Vector ? x.toArray() : x, order);
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
    if (this.#matrix !== undefined) this.A.dispose();
  }
}
