/** The connected parts of the graph of a matrix, by breadth-first searches: O(rows + nnz). */
import type { CsrMatrix } from '../core/csr.js';
import { appendNeighbours, symmetricGraph } from './graph.js';

/** The parts of a graph that are connected: none has an edge to another one. */
export interface Parts {
  /** `partOf[v]` is the part that vertex v belongs to. */
  readonly partOf: Uint32Array;
  /** Vertices of each part. */
  readonly sizes: readonly number[];
  /** A vertex of each part. */
  readonly first: readonly number[];
}

/** Entries that are stored are edges, zeros included. */
export function partsOf(matrix: CsrMatrix): Parts {
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
