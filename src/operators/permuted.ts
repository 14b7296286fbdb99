/**
 * A reordered matrix that acts like the original matrix: permutes x, multiplies, and permutes y back. This moves at
 * least 12 bytes per element of x, and the same per element of y. A whole solve is faster if its vectors are permuted
 * once, before and after (`permuteVector`).
 */
import { mismatch } from '../core/errors.js';
import { assemble, type Owned } from '../core/owned.js';
import { Vector } from '../memory/vector.js';
import { checkOrdering, type Ordering, type OrderingInput } from '../reorder/permutation.js';
import { LinearOperator } from './operator.js';
import { Shuffle } from './shuffle.js';

/**
 * A from P A Qᵀ, as returned by `permuteMatrix`: y ← α A x + β y, with x and y in the original order.
 *
 * @param operator P A Qᵀ; owned by the result, and disposed with it
 * @param ordering the ordering that was applied to it
 * @throws SparlaneError `shape` or `argument` if the ordering does not fit its rows and columns, or if the operator is
 *   invalid; `heap` if copies of x and y do not fit. After an error the caller still owns the operator
 */
export function permuted(operator: LinearOperator, ordering: OrderingInput): LinearOperator {
  if (!(operator instanceof LinearOperator)) throw mismatch('argument', 'operator', 'a linear operator', operator);
  const checked = checkOrdering(ordering, operator.rows, operator.cols);
  return assemble((owned) => new PermutedOperator(owned, operator, checked));
}

/** A vector in the operator's order, and the permutation that leads to it. */
interface Ordered {
  readonly vector: Vector;
  readonly shuffle: Shuffle;
}

class PermutedOperator extends LinearOperator {
  readonly #operator: LinearOperator;
  readonly #owned: Owned;
  /** Undefined if the operator's order is the caller's. */
  readonly #x: Ordered | undefined;
  readonly #y: Ordered | undefined;

  constructor(owned: Owned, operator: LinearOperator, { rowOrder, colOrder }: Ordering) {
    const { space, rows, cols, vectorType } = operator;
    super(space, rows, cols, vectorType);
    const ordered = (order: Uint32Array): Ordered => ({
      vector: owned.own(new Vector(space, vectorType, order.length)),
      shuffle: owned.own(new Shuffle(space, order)),
    });
    this.#operator = operator;
    this.#owned = owned;
    this.#x = colOrder && ordered(colOrder);
    this.#y = rowOrder && ordered(rowOrder);
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const [from, to] = [this.#x, this.#y];
    from?.shuffle.gather(x, from.vector);
    if (beta !== 0) to?.shuffle.gather(y, to.vector);
    this.#operator.apply(from?.vector ?? x, to?.vector ?? y, alpha, beta);
    to?.shuffle.scatter(to.vector, y);
  }

  protected override release(): void {
    this.#owned[Symbol.dispose]();
    this.#operator.dispose();
  }
}
