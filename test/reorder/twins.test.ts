/** Vertices with the same neighbours are found and ordered as one: the fill is that of the graph without joining, or nearly so. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { type DenseMatrix, gallery, kroneckerProduct } from '#dist/index.node.js';
import { dissectionSteps } from '#dist/reorder/dissection.js';
import { columnCounts, eliminationTree, postorder, relabelled } from '#dist/reorder/elimination.js';
import { fillOrderSteps } from '#dist/reorder/fill-order.js';
import { type Graph, symmetricGraph } from '#dist/reorder/graph.js';
import { inverted } from '#dist/reorder/permutation.js';
import { joinChains, LAST, twinsOf } from '#dist/reorder/twins.js';
import { shuffled } from './arbitrary.js';

function resultOf(steps: Generator<number, Uint32Array>): Uint32Array {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function flopsOf(graph: Graph, order: Uint32Array): number {
  const ordered = relabelled(graph, order);
  const parent = eliminationTree(ordered);
  const counts = columnCounts(ordered, parent, postorder(parent));
  return counts.reduce((sum, count) => sum + count * count, 0);
}

/** A matrix with `unknowns` rows for each row of another. */
function withUnknowns(matrix: CsrMatrix, unknowns: number): CsrMatrix {
  const block: DenseMatrix = Array.from({ length: unknowns }, () => new Array<number>(unknowns).fill(1));
  return kroneckerProduct(matrix, block);
}

const neighboursOf = ({ edgePtr, neighbours }: Graph, v: number) =>
  [v, ...neighbours.subarray(edgePtr[v], edgePtr[v + 1])].sort((a, b) => a - b).join();

describe('twins', () => {
  test.each([
    ['3 unknowns a node', gallery('elasticity3d', { nx: 5, ny: 4, nz: 4 }), 3],
    ['2 unknowns a point, in random order', shuffled(withUnknowns(gallery('laplace2d5', { nx: 12, ny: 9 }), 2)), 2],
    ['a dense matrix', withUnknowns(gallery('laplace1d3', { nx: 1 }), 8), 8],
  ])('of %s are joined', (_, matrix, unknowns) => {
    const graph = symmetricGraph(matrix);
    const next = twinsOf(graph)!;
    const { graph: joined } = joinChains(graph, next);
    expect(joined.vertices).toBe(graph.vertices / unknowns);
    for (const [v, twin] of next.entries())
      if (twin !== LAST) expect(neighboursOf(graph, twin)).toBe(neighboursOf(graph, v));
  });

  test.each([
    ['a grid', gallery('laplace2d5', { nx: 20, ny: 20 })],
    ['27 points', gallery('laplace3d27', { nx: 8, ny: 8, nz: 8 })],
    ['a mesh', gallery('delaunay', { n: 300 })],
  ])('are not joined where there are few: %s', (_, matrix) => {
    expect(twinsOf(symmetricGraph(matrix))).toBeUndefined();
  });

  test('joined or not, a graph of any matrix has an order of all its vertices, twins in a row', () => {
    const matrices = fc.record({
      n: fc.integer({ min: 1, max: 40 }),
      unknowns: fc.integer({ min: 1, max: 4 }),
      seed: fc.nat(99),
    });
    fc.assert(
      fc.property(matrices, fc.constantFrom('amd', 'nd'), ({ n, unknowns, seed }, by) => {
        const graph = symmetricGraph(shuffled(withUnknowns(gallery('delaunay', { n: n + 3, seed }), unknowns), seed));
        const order = resultOf(fillOrderSteps(graph, by));
        expect([...order].sort((a, b) => a - b)).toEqual([...order.keys()]);
        const place = inverted(order);
        for (const [v, twin] of (twinsOf(graph) ?? new Int32Array(0)).entries())
          if (twin !== LAST) expect(place[twin]).toBe(place[v]! + 1);
      }),
    );
  });

  test('as one, they fill in as little', () => {
    const graph = symmetricGraph(gallery('elasticity3d', { nx: 10, ny: 10, nz: 10 }));
    const joined = flopsOf(graph, resultOf(fillOrderSteps(graph, 'nd')));
    expect(joined).toBeLessThan(1.1 * flopsOf(graph, resultOf(dissectionSteps(graph))));
  });
});
