/**
 * Block triangular form: rows and columns in an order in which A is block upper triangular, and no diagonal block can be divided further.
 * Only the diagonal blocks are factored; entries above them are used as they are.
 *
 * Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1, 1972; Duff & Reid, "An implementation of Tarjan's
 *   algorithm for the block triangularization of a matrix", ACM TOMS 4, 1978.
 * Differs: without recursion.
 * Cost: O(n + nnz).
 */
import { at, filled, NONE, put, reserve } from './words';

/** Of a vertex in a block: greater than all sequence numbers. */
const DONE: u32 = 0xffffffff;

/**
 * @param rowOf a transversal of all columns
 * @param order the columns in their new sequence are written there
 * @param blockPtr room for n + 1: the first place of each block in `order`
 * @returns the number of blocks
 */
export function blockTriangular(n: i32, ptr: usize, idx: usize, rowOf: usize, order: usize, blockPtr: usize): i32 {
  // Vertex j is column j with its row; an edge leads to the columns of the rows of its entries. A strong component is complete after all
  // that it reaches, so its entries lie above the diagonal.
  const columnOf = reserve(n);
  /** A vertex has 0 until it is reached, then 1 + its sequence number, and `DONE` once it is in a block. */
  const reached = filled(n, 0);
  /** The least sequence number that is known to be reachable from a vertex. */
  const low = reserve(n);
  const next = reserve(n);
  const path = reserve(n);
  /** `waiting` has the vertices that were reached and are in no block yet. */
  const waiting = reserve(n);
  for (let j = 0; j < n; j++) put(columnOf, at(rowOf, j), j);
  memory.copy(next, ptr, (<usize>n) << 2);
  let blocks = 0;
  let placed = 0;
  let waits = 0;
  let sequence = 0;
  put(blockPtr, 0, 0);
  for (let root = 0; root < n; root++) {
    if (at(reached, root) !== 0) continue;
    let depth = 0;
    put(path, 0, root);
    put(reached, root, ++sequence);
    put(low, root, sequence);
    put(waiting, waits++, root);
    while (depth >= 0) {
      const j = at(path, depth);
      let least = <u32>at(low, j);
      let child = NONE;
      let k = at(next, j);
      for (const end = at(ptr, j + 1); k < end; k++) {
        const other = at(columnOf, at(idx, k));
        const when = <u32>at(reached, other);
        if (when === 0) {
          child = other;
          break;
        }
        least = min(least, when);
      }
      put(low, j, least);
      put(next, j, k);
      if (child !== NONE) {
        put(next, j, k + 1);
        put(reached, child, ++sequence);
        put(low, child, sequence);
        put(waiting, waits++, child);
        put(path, ++depth, child);
        continue;
      }
      if (least === <u32>at(reached, j)) {
        for (let other = NONE; other !== j; ) {
          other = at(waiting, --waits);
          put(reached, other, DONE);
          put(order, placed++, other);
        }
        put(blockPtr, ++blocks, placed);
      }
      depth--;
      if (depth >= 0) {
        const parent = at(path, depth);
        if (least < <u32>at(low, parent)) put(low, parent, least);
      }
    }
  }
  return blocks;
}
