/** The connected parts of the graph of a matrix, by breadth-first searches: O(rows + nnz). */
import { csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { appendNeighbours, symmetricGraph } from './graph.js';

/** The parts of a graph that are connected: none has an edge to another one. They are numbered from 0 in the order of their first vertices. */
export interface ConnectedParts {
  /** `partOf[v]` is the part that vertex v belongs to, of as many elements as the matrix has rows. */
  readonly partOf: Uint32Array;
  /** Vertices of each part. */
  readonly sizes: readonly number[];
  /** `first[p]` is the first vertex of part p. */
  readonly first: readonly number[];
}

/**
 * Returns the connected parts of the graph with an edge {i, j} for each entry in row i and column j of a square matrix. Entries that are stored are edges,
 * zeros included; directions do not matter. Takes time and memory in proportion to rows + nnz.
 *
 * @throws SparlaneError `shape` for a matrix that is not square; as `csrMatrix`
 */
export function connectedParts(input: MatrixInput): ConnectedParts {
  const matrix = csrMatrix(input);
  const { rows, cols } = matrix;
  if (rows !== cols) throw mismatch('shape', 'matrix', 'as many columns as rows', `${rows} × ${cols}`, { rows, cols });
  const graph = symmetricGraph(matrix);
  const { vertices } = graph;
  const queue = new Uint32Array(vertices);
  /** The number of the part of each vertex, from 1. */
  const seenBy = new Uint32Array(vertices);
  const [sizes, first]: [number[], number[]] = [[], []];
  for (let start = 0; start < vertices; start++) {
    if (seenBy[start] !== 0) continue;
    const part = first.push(start);
    queue[0] = start;
    seenBy[start] = part;
    let [begin, end] = [0, 1];
    while (begin < end) [begin, end] = [end, appendNeighbours(graph, queue, begin, end, seenBy, part)];
    sizes.push(end);
  }
  return { partOf: seenBy.map((part) => part - 1), sizes, first };
}
