/**
 * A reordered matrix that behaves as the matrix was: x is put in order, multiplied, and y put back. Costs 12 bytes or more
 * moved for each element of x, and again of y; a whole solve is better permuted once, at its ends (`permuteVector`).
 */
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import { checkOrdering, gather, type Ordering } from '../reorder/permutation.js';
import { LinearOperator } from './operator.js';

/**
 * A from P A Qᵀ, as `permuteMatrix` makes it: y ← α A x + β y for x and y in the order that they always had.
 *
 * @param operator P A Qᵀ; the permuted one's from here on, and disposed with it
 * @param ordering what it was reordered by
 * @throws SparlaneError `shape` or `argument` where the ordering is none of its rows and columns, or the operator is none, `heap` where there is no
 *   room for a copy of x and y; the operator is then still the caller's
 */
export function permuted(operator: LinearOperator, ordering: Ordering): LinearOperator {
  if (!(operator instanceof LinearOperator)) throw mismatch('argument', 'operator', 'a linear operator', operator);
  const checked = checkOrdering(ordering, operator.rows, operator.cols);
  return operator.heap.build((scope) => new PermutedOperator(scope, operator, checked));
}

class PermutedOperator extends LinearOperator {
  readonly #operator: LinearOperator;
  readonly #ordering: Ordering;
  readonly #scope: HeapScope;
  /** Vectors in the operator's order; none where that is the caller's. */
  readonly #x: FloatArray | undefined;
  readonly #y: FloatArray | undefined;

  constructor(scope: HeapScope, operator: LinearOperator, ordering: Ordering) {
    const { heap, rows, cols, vectorType } = operator;
    super(heap, rows, cols, vectorType);
    this.#operator = operator;
    this.#ordering = ordering;
    this.#scope = scope;
    this.#x = ordering.colOrder && scope.array<FloatArray>(vectorType, cols);
    this.#y = ordering.rowOrder && scope.array<FloatArray>(vectorType, rows);
  }

  protected override run(x: FloatArray, y: FloatArray, alpha: number, beta: number): void {
    const { rowOrder, colOrder } = this.#ordering;
    const orderedX = this.#x ?? x;
    const orderedY = this.#y ?? y;
    if (colOrder !== undefined) gather(x, colOrder, orderedX);
    if (rowOrder !== undefined && beta !== 0) gather(y, rowOrder, orderedY);
    this.#operator.apply(orderedX, orderedY, alpha, beta);
    if (rowOrder === undefined) return;
    for (let i = 0; i < rowOrder.length; i++) y[rowOrder[i]!] = orderedY[i]!;
  }

  protected override release(): void {
    this.#scope[Symbol.dispose]();
    this.#operator.dispose();
  }
}
