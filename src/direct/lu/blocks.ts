/**
 * Block triangular form: rows and columns in an order in which A is block upper triangular, and no diagonal block can be divided further.
 * Only the diagonal blocks are factored; entries above them are used as they are.
 *
 * Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1, 1972; Duff & Reid, "An implementation of Tarjan's
 *   algorithm for the block triangularization of a matrix", ACM TOMS 4, 1978; `assembly/order/blocks.ts`.
 * Cost: O(n + nnz).
 */
import type { Pattern } from '../../core/transpose.js';
import { OrderMemory } from '../../reorder/order-memory.js';

export interface BlockTriangle {
  /** Columns in their new sequence; the row of column `order[k]` is `rowOf[order[k]]`. */
  readonly order: Uint32Array;
  /** blocks + 1: the first place of each block in `order`. */
  readonly blockPtr: Uint32Array;
}

/** Integers by column. */
const WORDS_PER_COLUMN = 12;

/**
 * @param columns the rows of each column
 * @param rowOf a transversal of all columns
 */
export function blockTriangular({ ptr, idx }: Pattern, rowOf: Uint32Array): BlockTriangle {
  const n = rowOf.length;
  using memory = OrderMemory.take(idx.length + WORDS_PER_COLUMN * (n + 1));
  const [order, blockPtr] = [memory.reserve(n), memory.reserve(n + 1)];
  const [ptrAt, idxAt] = [memory.place(ptr), memory.place(idx)];
  const blocks = memory.run.blockTriangular(n, ptrAt, idxAt, memory.place(rowOf), order, blockPtr);
  return { order: memory.read(order, n), blockPtr: memory.read(blockPtr, blocks + 1) };
}
