/**
 * A reordered matrix that acts like the original matrix: permutes x, multiplies, and permutes y back. This moves at
 * least 12 bytes per element of x, and the same per element of y. A whole solve is faster if its vectors are permuted
 * once, before and after (`permuteVector`).
 */
import { mismatch } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import { checkOrdering, gather, type Ordering } from '../reorder/permutation.js';
import { LinearOperator } from './operator.js';

/**
 * A from P A Qᵀ, as returned by `permuteMatrix`: y ← α A x + β y, with x and y in the original order.
 *
 * @param operator P A Qᵀ; owned by the result, and disposed with it
 * @param ordering the ordering that was applied to it
 * @throws SparlaneError `shape` or `argument` if the ordering does not fit its rows and columns, or if the operator is
 *   invalid; `heap` if copies of x and y do not fit. After an error the caller still owns the operator
 */
export function permuted(operator: LinearOperator, ordering: Ordering): LinearOperator {
  if (!(operator instanceof LinearOperator)) throw mismatch('argument', 'operator', 'a linear operator', operator);
  const checked = checkOrdering(ordering, operator.rows, operator.cols);
  return operator.shared.heap.build((scope) => new PermutedOperator(scope, operator, checked));
}

class PermutedOperator extends LinearOperator {
  readonly #operator: LinearOperator;
  readonly #ordering: Ordering;
  readonly #scope: HeapScope;
  /** Vectors in the operator's order; undefined if that is the caller's order. */
  readonly #x: FloatArray | undefined;
  readonly #y: FloatArray | undefined;

  constructor(scope: HeapScope, operator: LinearOperator, ordering: Ordering) {
    const { shared, rows, cols, vectorType } = operator;
    super(shared, rows, cols, vectorType);
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
