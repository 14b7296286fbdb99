/**
 * Reverse Cuthill-McKee: entries lie close to the diagonal, and the elements of x that a row needs were used shortly before.
 *
 * Source: Cuthill & McKee 1969, George 1971; see `cuthill-mckee.ts`.
 * A square matrix is ordered by the graph of A + Aᵀ, with one order for rows and columns: P A Pᵀ has the eigenvalues of A.
 * Any other matrix is ordered by its bipartite graph, in which columns are as far apart as in AᵀA, with separate orders.
 */
import { csrMatrix, type MatrixInput } from '../core/csr.js';
import { cuthillMckee } from './cuthill-mckee.js';
import { bipartiteGraph, type Graph, symmetricGraph } from './graph.js';
import type { Ordering } from './permutation.js';

/** An ordering that moves rows and columns. */
export interface FullOrdering extends Ordering {
  readonly rowOrder: Uint32Array;
  readonly colOrder: Uint32Array;
}

/** Orders of rows and columns; the same array if the matrix is square. O(rows + cols + nnz). @throws as `csrMatrix` */
export function rcm(input: MatrixInput): FullOrdering {
  const matrix = csrMatrix(input);
  const { rows, cols } = matrix;
  if (rows === cols) {
    const order = rcmOfGraph(symmetricGraph(matrix));
    return { rowOrder: order, colOrder: order };
  }
  const order = cuthillMckee(bipartiteGraph(matrix)).reverse();
  return {
    rowOrder: order.filter((vertex) => vertex < rows),
    colOrder: order.filter((vertex) => vertex >= rows).map((vertex) => vertex - rows),
  };
}

/** Returns the vertex at each place of the order. O(vertices + edges) */
export function rcmOfGraph(graph: Graph): Uint32Array {
  return cuthillMckee(graph).reverse();
}
