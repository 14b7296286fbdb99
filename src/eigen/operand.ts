/** A matrix of the caller as an operator, or the operator of the caller, with the entries of either. */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { likenessOfTranspose } from '../core/symmetry.js';
import { Engine } from '../engine/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator } from '../operators/operator.js';
import type { SystemMatrix } from '../solvers/system.js';

export class Operand implements Disposable {
  readonly A: MatrixOperator;
  /** The entries. */
  readonly matrix: CsrMatrix;
  readonly #isOwn: boolean;

  /**
   * @param columns of the blocks that A is mostly applied to
   * @throws SparlaneError as `engine.operator`
   */
  constructor(engine: Engine, given: SystemMatrix, columns = 1) {
    checkEngine(engine);
    this.#isOwn = !(given instanceof MatrixOperator);
    if (given instanceof LinearOperator && this.#isOwn)
      throw mismatch('argument', 'A', 'a matrix, or the operator of one', given);
    this.matrix = given instanceof MatrixOperator ? given.toCsr() : csrMatrix(given);
    this.A =
      given instanceof MatrixOperator
        ? given
        : engine.operator(this.matrix, { products: 'many', tune: false, columns: columns });
  }

  /** @throws SparlaneError `shape` for a matrix that is not square */
  static square(engine: Engine, given: SystemMatrix, columns = 1): Operand {
    const operand = new Operand(engine, given, columns);
    const { rows, cols } = operand.matrix;
    if (rows === cols) return operand;
    operand[Symbol.dispose]();
    throw mismatch('shape', 'A', 'as many rows as columns', `${rows} × ${cols}`);
  }

  /** Whether A = Aᵀ, up to rounding. */
  get isSymmetric(): boolean {
    return this.matrix.symmetry === 'symmetric' || likenessOfTranspose(this.matrix) !== 'none';
  }

  [Symbol.dispose](): void {
    if (this.#isOwn) this.A.dispose();
  }
}

/** @throws SparlaneError `argument` */
export function checkEngine(engine: Engine): Engine {
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
  return engine;
}
