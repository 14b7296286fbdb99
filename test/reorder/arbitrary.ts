/** Random orders and graphs, and matrices in a random order. */
import fc from 'fast-check';
import type { CsrMatrix } from '#dist/core/csr.js';
import { permutation, randomStream } from '#dist/gallery/draw.js';
import { permuteMatrix } from '#dist/index.node.js';
import type { Graph } from '#dist/reorder/graph.js';

export function orderOf(length: number): fc.Arbitrary<Uint32Array> {
  const indices = Array.from({ length }, (_, i) => i);
  return fc.shuffledSubarray(indices, { minLength: length }).map((order) => Uint32Array.from(order));
}

export function orderingOf({ rows, cols }: CsrMatrix): fc.Arbitrary<{ rowOrder: Uint32Array; colOrder: Uint32Array }> {
  return fc.record({ rowOrder: orderOf(rows), colOrder: orderOf(cols) });
}

/** The same matrix with its rows and columns in a random order. */
export function shuffled(matrix: CsrMatrix, seed = 7): CsrMatrix {
  const order = permutation(randomStream(seed, 'structure'), matrix.rows);
  return permuteMatrix(matrix, { rowOrder: order, colOrder: order });
}

/** Makes the undirected graph of some edges without loops, in which each edge is there once. */
export function graphOf(vertices: number, edges: readonly (readonly [number, number])[]): Graph {
  const lists = Array.from({ length: vertices }, () => new Set<number>());
  for (const [one, other] of edges) {
    if (one === other) continue;
    lists[one]!.add(other);
    lists[other]!.add(one);
  }
  const edgePtr = new Uint32Array(vertices + 1);
  lists.forEach((list, v) => {
    edgePtr[v + 1] = edgePtr[v]! + list.size;
  });
  return { vertices, edgePtr, neighbours: Uint32Array.from(lists.flatMap((list) => [...list].sort((a, b) => a - b))) };
}

/** Makes graphs with at most `most` vertices, and at most 3.5 times as many edges as that. */
export function anyGraph(most: number): fc.Arbitrary<Graph> {
  return fc.integer({ min: 0, max: most }).chain((vertices) => {
    const vertex = fc.nat(Math.max(0, vertices - 1));
    const edges = fc.array(fc.tuple(vertex, vertex), { maxLength: vertices === 0 ? 0 : Math.ceil(3.5 * most) });
    return edges.map((list) => graphOf(vertices, list));
  });
}
