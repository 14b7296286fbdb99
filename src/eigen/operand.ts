/** A matrix of the caller as an operator, or the operator of the caller, and what functions need to know of its entries. */
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { likenessOfTranspose } from '../core/symmetry.js';
import { Engine } from '../engine/engine.js';
import { totalOf } from '../memory/space.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator } from '../operators/operator.js';
import { type Discs, discsOf, discsOfRank, hullOf } from './functions/spectrum-bounds.js';
import type { EigenMatrix } from './method.js';
import { greatestOf, leastOf } from './over-ranks.js';
import { isSymmetricBySample } from './symmetry-sample.js';

/** The operator of a matrix. Of one over ranks, each rank has some of the rows. */
type Transposable = LinearOperator & { transposed(): LinearOperator };

/** An operator over ranks: the entries of its rows in its own columns, and those in the columns of other ranks. */
interface RowsOfRank extends Transposable {
  ownMatrix(): CsrMatrix;
  halo(): { readonly matrix: CsrMatrix; readonly boundaryRows: Uint32Array };
}

/** The mean μ of the diagonal, and the maximum norm of A − μ I: its greatest sum of a row. */
export interface ShiftedNorm {
  readonly shift: number;
  readonly norm: number;
}

export class Operand implements Disposable {
  readonly A: Transposable;
  /** The entries of A. They are undefined for an operator over ranks. */
  readonly #matrix: CsrMatrix | undefined;
  readonly #isOwn: boolean;
  #discs: Discs | undefined;

  /**
   * @param columns of the blocks that A is mostly applied to
   * @throws SparlaneError as `engine.operator`; `argument` for an operator without entries; `shape` for a matrix that is not square
   */
  constructor(engine: Engine, given: EigenMatrix, columns = 1) {
    checkEngine(engine);
    this.#isOwn = !(given instanceof LinearOperator);
    if (given instanceof LinearOperator) {
      if (!(given instanceof MatrixOperator || isRowsOfRank(given)))
        throw mismatch('argument', 'A', 'a matrix, or the operator of one', given);
      this.A = given;
      this.#matrix = given instanceof MatrixOperator ? given.toCsr() : undefined;
    } else {
      const matrix = csrMatrix(given);
      this.#matrix = matrix;
      checkSquare(matrix);
      this.A = engine.operator(matrix, { products: 'many', tune: false, columns, blockSums: 'fast' });
    }
    checkSquare(this.A);
  }

  /** Whether A = Aᵀ, up to rounding; over ranks by products with random vectors. */
  get isSymmetric(): boolean {
    const matrix = this.#matrix;
    if (matrix === undefined) return isSymmetricBySample(this.A);
    return matrix.symmetry === 'symmetric' || likenessOfTranspose(matrix) !== 'none';
  }

  /** Gershgorin's interval of all rows. [0, 0] for no rows. */
  get interval(): readonly [least: number, greatest: number] {
    const { space } = this.A;
    const [least, greatest] = hullOf(this.#ownDiscs);
    const ends = [leastOf(space, least), greatestOf(space, greatest)] as const;
    return ends[0] > ends[1] ? [0, 0] : ends;
  }

  get shiftedNorm(): ShiftedNorm {
    const { space, rows } = this.A;
    const { centers, radii } = this.#ownDiscs;
    const size = totalOf(space, rows);
    const shift = totalOf(
      space,
      centers.reduce((sum, center) => sum + center / size, 0),
    );
    let norm = 0;
    for (let i = 0; i < rows; i++) {
      const sum = radii[i]! + Math.abs(centers[i]! - shift);
      if (!(sum <= norm)) norm = sum;
    }
    return { shift, norm: greatestOf(space, norm) };
  }

  get #ownDiscs(): Discs {
    if (this.#discs !== undefined) return this.#discs;
    const A = this.A;
    this.#discs = this.#matrix === undefined ? rankDiscs(A as RowsOfRank) : discsOf(this.#matrix);
    return this.#discs;
  }

  [Symbol.dispose](): void {
    if (this.#isOwn) this.A.dispose();
  }
}

function rankDiscs(A: RowsOfRank): Discs {
  const { matrix, boundaryRows } = A.halo();
  return discsOfRank(A.ownMatrix(), matrix, boundaryRows);
}

function isRowsOfRank(A: LinearOperator): A is RowsOfRank {
  return 'ownMatrix' in A && 'halo' in A && 'transposed' in A;
}

function checkSquare({ rows, cols }: { readonly rows: number; readonly cols: number }): void {
  if (rows !== cols) throw mismatch('shape', 'A', 'as many rows as columns', `${rows} × ${cols}`);
}

/** @throws SparlaneError `argument` */
export function checkEngine(engine: Engine): Engine {
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
  return engine;
}
