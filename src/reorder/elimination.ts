/**
 * The elimination tree of a symmetric matrix, its postorder, and the number of entries in each column of the Cholesky factor, without
 * computing the factor.
 *
 * Source: Liu, "The role of elimination trees in sparse factorization", 1990; Gilbert, Ng & Peyton, "An efficient algorithm to compute row
 *   and column counts for sparse Cholesky factorization", 1994; `assembly/order/elimination.ts`.
 * The parent of column j is the row of the first entry below the diagonal of column j of the factor. Vertices are eliminated in the order of
 * their numbers.
 */
import type { Graph } from './graph.js';
import { OrderMemory } from './order-memory.js';

/** The parent of a root. */
export const ROOT = -1;

/** The same graph with vertex `order[i]` as vertex i. The neighbours of a vertex may be in any order. */
export function relabelled(graph: Graph, order: Uint32Array): Graph {
  const { vertices, edgePtr, neighbours } = graph;
  using memory = OrderMemory.take();
  const [newPtr, newNeighbours] = [memory.reserve(vertices + 1), memory.reserve(neighbours.length)];
  const [ptr, idx] = [memory.place(edgePtr), memory.place(neighbours)];
  memory.run.relabel(vertices, ptr, idx, memory.place(order), newPtr, newNeighbours);
  return {
    vertices,
    edgePtr: memory.read(newPtr, vertices + 1),
    neighbours: memory.read(newNeighbours, neighbours.length),
  };
}

/** The parent of each vertex, greater than the vertex; or ROOT. Nearly O(edges). */
export function eliminationTree(graph: Graph): Int32Array {
  const { vertices, edgePtr, neighbours } = graph;
  using memory = OrderMemory.take();
  const parent = memory.reserve(vertices);
  memory.run.eliminationTree(vertices, memory.place(edgePtr), memory.place(neighbours), parent);
  return new Int32Array(memory.read(parent, vertices).buffer);
}

/**
 * A postorder of a forest: `order[k]` is the k-th vertex. Children come by ascending weight, the heaviest one next to its parent.
 *
 * @param weight small numbers: the cost is linear in the greatest one; by default all are equal
 */
export function postorder(parent: Int32Array, weight?: Uint32Array): Uint32Array {
  const n = parent.length;
  using memory = OrderMemory.take();
  const order = memory.reserve(n);
  memory.run.postorder(n, memory.place(parent), weight === undefined ? 0 : memory.place(weight), order);
  return memory.read(order, n);
}

/** The entries of each column of the factor, with the diagonal. Nearly O(edges). @param post a postorder of the tree */
export function columnCounts(graph: Graph, parent: Int32Array, post: Uint32Array): Uint32Array {
  const { vertices, edgePtr, neighbours } = graph;
  using memory = OrderMemory.take();
  const counts = memory.reserve(vertices);
  const [ptr, idx] = [memory.place(edgePtr), memory.place(neighbours)];
  memory.run.columnCounts(vertices, ptr, idx, memory.place(parent), memory.place(post), counts);
  return memory.read(counts, vertices);
}
