/**
 * Block triangular form: rows and columns in an order in which A is block upper triangular, and no diagonal block can be divided further.
 * Only the diagonal blocks are factored; entries above them are used as they are.
 *
 * Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1, 1972; Duff & Reid, "An implementation of Tarjan's
 *   algorithm for the block triangularization of a matrix", ACM TOMS 4, 1978.
 * Differs: without recursion.
 * Cost: O(n + nnz).
 */
import type { Pattern } from '../../core/transpose.js';

export interface BlockTriangle {
  /** Columns in their new sequence; the row of column `order[k]` is `rowOf[order[k]]`. */
  readonly order: Uint32Array;
  /** blocks + 1: the first place of each block in `order`. */
  readonly blockPtr: Uint32Array;
}

/**
 * @param columns the rows of each column
 * @param rowOf a transversal of all columns
 */
export function blockTriangular({ ptr, idx }: Pattern, rowOf: Uint32Array): BlockTriangle {
  const n = rowOf.length;
  // Vertex j is column j with its row; an edge leads to the columns of the rows of its entries. A strong component is complete after all
  // that it reaches, so its entries lie above the diagonal.
  const columnOf = new Uint32Array(n);
  for (let j = 0; j < n; j++) columnOf[rowOf[j]!] = j;
  const order = new Uint32Array(n);
  const blockPtr = [0];
  let placed = 0;
  /** 1 + the sequence number of a vertex; 0: not reached; `DONE`: in a block. */
  const reached = new Uint32Array(n);
  const DONE = 0xffff_ffff;
  /** The least sequence number that is known to be reachable from a vertex. */
  const low = new Uint32Array(n);
  const next = ptr.slice(0, n);
  const path = new Uint32Array(n);
  /** Vertices that were reached and are in no block yet. */
  const waiting = new Uint32Array(n);
  let waits = 0;
  let sequence = 0;
  for (let root = 0; root < n; root++) {
    if (reached[root] !== 0) continue;
    let depth = 0;
    path[0] = root;
    reached[root] = low[root] = ++sequence;
    waiting[waits++] = root;
    while (depth >= 0) {
      const j = path[depth]!;
      const end = ptr[j + 1]!;
      let least = low[j]!;
      let k = next[j]!;
      let child = DONE;
      for (; k < end; k++) {
        const other = columnOf[idx[k]!]!;
        const when = reached[other]!;
        if (when === 0) {
          child = other;
          break;
        }
        // A vertex in a block has the largest number.
        if (when < least) least = when;
      }
      low[j] = least;
      next[j] = k;
      if (child !== DONE) {
        next[j] = k + 1;
        reached[child] = low[child] = ++sequence;
        waiting[waits++] = child;
        path[++depth] = child;
        continue;
      }
      if (least === reached[j]) {
        for (let other = DONE; other !== j; ) {
          other = waiting[--waits]!;
          reached[other] = DONE;
          order[placed++] = other;
        }
        blockPtr.push(placed);
      }
      depth--;
      if (depth >= 0) {
        const parent = path[depth]!;
        if (least < low[parent]!) low[parent] = least;
      }
    }
  }
  return { order, blockPtr: Uint32Array.from(blockPtr) };
}
