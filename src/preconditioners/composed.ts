/** Preconditioners made of operators and vector operations: they compute in any space, and a recording joins their operations. */
import type { CsrMatrix } from '../core/csr.js';
import type { Dtype, FloatArray } from '../core/types.js';
import type { Space } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import type { Engine } from '../operators/engine.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import { type Made, Preconditioner } from './preconditioner.js';

export abstract class ComposedPreconditioner extends Preconditioner {
  /** M⁻¹ x, if it is scaled or added. */
  #product: Vector | undefined;

  protected constructor(space: Space, made: Made, isSymmetric: boolean) {
    super(space, made, isSymmetric);
  }

  /** y ← M⁻¹ x, by operators and vector operations alone, without allocations. */
  protected abstract compute(x: Vector, y: Vector): void;

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    if (alpha === 1 && beta === 0) {
      this.compute(x, y);
      return;
    }
    this.#product ??= y.like();
    this.compute(x, this.#product);
    y.axpby(alpha, this.#product, beta);
  }

  protected override get isComposed(): boolean {
    return true;
  }

  protected override release(): void {
    this.#product?.dispose();
  }
}

/**
 * The operator of a matrix whose values change. It is stored as `csr`, whose bits do not depend on the number of threads, as those of the
 * format that `auto` selects may.
 */
export class ChangingOperator implements Disposable {
  readonly #engine: Engine;
  readonly #matrix: CsrMatrix;
  readonly #dtype: Dtype;
  #operator: MatrixOperator;

  /** @throws SparlaneError `heap` if it does not fit */
  constructor(engine: Engine, matrix: CsrMatrix, dtype: Dtype) {
    this.#engine = engine;
    this.#matrix = matrix;
    this.#dtype = dtype;
    this.#operator = engine.operator(matrix, { format: 'csr', dtype });
  }

  get operator(): MatrixOperator {
    return this.#operator;
  }

  get bytes(): number {
    return this.#operator.matrix.bytes;
  }

  /** Other values in the same pattern: in place in the heap; a device gets a new operator. */
  refill(values: FloatArray): void {
    const { entries } = this.#operator.matrix;
    if (this.#operator.space.heap !== undefined && entries !== undefined) {
      entries.values.set(values);
      return;
    }
    const made = this.#engine.operator({ ...this.#matrix, values }, { format: 'csr', dtype: this.#dtype });
    this.#operator.dispose();
    this.#operator = made;
  }

  [Symbol.dispose](): void {
    this.#operator.dispose();
  }
}
