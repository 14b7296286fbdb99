/**
 * A system in a better order of its unknowns: P A Pᵀ (P x) = P b. Products and triangular solves then read neighbouring elements. Only b, x0
 * and x are permuted, once each; the norms of residuals stay the same up to rounding.
 */
import type { CsrMatrix } from '../core/csr.js';
import { Vector } from '../memory/vector.js';
import type { VectorLike } from '../operators/operator.js';
import { chooseOrder, type OrderName } from '../preconditioners/triangular/order.js';
import { inversePermutation, permuteMatrix, permuteVector } from '../reorder/permutation.js';

export interface OrderedSystem {
  readonly matrix: CsrMatrix;
  /** A matrix of the caller, of the same pattern, in this order. */
  readonly reorder: (matrix: CsrMatrix) => CsrMatrix;
  /** A vector of the caller in the order of `matrix`; as it is if it does not fit, which the solve refuses. */
  readonly there: (x: VectorLike) => VectorLike;
  /** Brings x back to the order of the caller. */
  readonly back: (x: Vector) => void;
}

/** @param matrix square @returns undefined if its order is kept: the wanted one, or for `auto` a good one */
export function orderUnknowns(matrix: CsrMatrix, wanted: OrderName | 'auto'): OrderedSystem | undefined {
  const { order } = chooseOrder(matrix, wanted);
  if (order === undefined) return undefined;
  const before = inversePermutation(order);
  const reorder = (given: CsrMatrix) => permuteMatrix(given, { rowOrder: order, colOrder: order });
  return {
    matrix: reorder(matrix),
    reorder,
    there(x) {
      const fits = x instanceof Vector ? x.columns === 1 : x instanceof Float64Array || x instanceof Float32Array;
      if (!fits || x.length !== order.length) return x;
      return permuteVector(x instanceof Vector ? x.toArray() : x, order);
    },
    back: (x) => void x.set(permuteVector(x.toArray(), before)),
  };
}
