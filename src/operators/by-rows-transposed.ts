/** The transpose of a matrix in several memories: Aᵀ x is the sum of the products of its parts, added in their order. */
import { SparlaneError } from '../core/errors.js';
import { assemble, type Owned } from '../core/owned.js';
import { Vector } from '../memory/vector.js';
import { type ByRowsOperator, type RowsPart, reportOf } from './by-rows.js';
import { MatrixOperator } from './matrix-operator.js';
import type { CheckedTransposeOptions } from './transpose-options.js';
import { TransposedInfo } from './transposed.js';

/** The transpose of a part. */
interface Addend extends Pick<RowsPart, 'rows' | 'columns'> {
  readonly operator: MatrixOperator;
  /** In the memory of the part: its rows of x, and its part of the sum, of the length of y. */
  readonly x: Vector;
  readonly y: Vector;
}

/**
 * Makes the transposed operator of `owner`, which must outlive it. If there is no room for the transpose of a part beside the part, the entries
 * of the part are scattered instead, as with `memory: 'shared'`.
 *
 * @throws SparlaneError `heap`, and as `transposed`; nothing stays allocated
 */
export function transposeByRows(owner: ByRowsOperator, how: CheckedTransposeOptions): MatrixOperator {
  const start = performance.now();
  return assemble((owned) => {
    const addends = owner.parts.map(({ operator: part, rows, columns }): Addend => {
      const operator = owned.own(transposeOf(part, how));
      const vector = (length: number) => owned.own(new Vector(part.space, part.vectorType, length));
      return { operator, rows, columns, x: vector(part.rows), y: vector(part.cols) };
    });
    const term = owned.own(new Vector(owner.space, owner.vectorType, owner.cols));
    return new TransposedByRows(owner, addends, term, owned, performance.now() - start);
  });
}

function transposeOf(part: MatrixOperator, how: CheckedTransposeOptions): MatrixOperator {
  try {
    return part.transposed(how);
  } catch (error) {
    if (how.memory === 'shared' || !(error instanceof SparlaneError && error.code === 'heap')) throw error;
    try {
      return part.transposed({ memory: 'shared' });
    } catch {
      // The part is stored in a format that cannot scatter entries.
      throw error;
    }
  }
}

class TransposedByRows extends MatrixOperator {
  readonly #addends: readonly Addend[];
  /** The part of the sum that is added next. */
  readonly #term: Vector;
  readonly #owned: Owned;

  constructor(owner: ByRowsOperator, addends: readonly Addend[], term: Vector, owned: Owned, setupMs: number) {
    const info = new TransposedInfo(owner.matrix, 'parts');
    const operators = addends.map(({ operator }) => operator);
    super(owner.space, info, reportOf(operators), { decision: operators[0]!.decision }, setupMs);
    this.#addends = addends;
    this.#term = term;
    this.#owned = owned;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { space } = this;
    const width = x.type.BYTES_PER_ELEMENT;
    if (beta === 0) y.fill(0);
    else y.scale(beta);
    for (const { operator, rows, columns, x: own, y: sum } of this.#addends) {
      const [first, length] = [columns.begin * width, columns.end - columns.begin];
      if (length === 0) continue;
      const bytes = length * width;
      own.space.bring(own.block, 0, space, x.block, rows.begin * width, (rows.end - rows.begin) * width);
      operator.apply(own, sum, alpha);
      space.bring(this.#term.block, 0, sum.space, sum.block, first, bytes);
      const slice = space.slice(y.block, first, bytes);
      new Vector(space, y.type, length, slice).axpy(1, new Vector(space, y.type, length, this.#term.block));
      space.releaseSlice(slice);
    }
  }

  protected override release(): void {
    this.#owned[Symbol.dispose]();
  }
}
