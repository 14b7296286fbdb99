/** Bisection and nested dissection: parts are balanced, cuts are small, orders have little fill. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gallery } from '#dist/index.node.js';
import { amd } from '#dist/reorder/amd.js';
import { bisect, cutOf, withWeights } from '#dist/reorder/bisect.js';
import { dissectionSteps } from '#dist/reorder/dissection.js';
import { columnCounts, eliminationTree, postorder, relabelled } from '#dist/reorder/elimination.js';
import { type Graph, symmetricGraph } from '#dist/reorder/graph.js';
import { shuffled } from './arbitrary.js';

function dissection(graph: Graph): Uint32Array {
  const steps = dissectionSteps(graph);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThanOrEqual(1);
  }
}

function flopsOf(graph: Graph, order: Uint32Array): number {
  const ordered = relabelled(graph, order);
  const parent = eliminationTree(ordered);
  const counts = columnCounts(ordered, parent, postorder(parent));
  return counts.reduce((sum, count) => sum + count * count, 0);
}

const weightOf = (sides: Uint8Array) => sides.reduce((sum, side) => sum + side, 0);

describe('bisect', () => {
  test.each([
    ['a path', gallery('laplace1d3', { nx: 1000 }), 1],
    ['a grid', gallery('laplace2d5', { nx: 60, ny: 60 }), 66],
    ['a long grid', gallery('laplace2d5', { nx: 400, ny: 10 }), 11],
    ['a cube', gallery('laplace3d7', { nx: 14, ny: 14, nz: 14 }), 215],
  ])('cuts %s in two, with few edges between', (_, matrix, most) => {
    for (const given of [matrix, shuffled(matrix)]) {
      const graph = withWeights(symmetricGraph(given));
      const sides = bisect(graph);
      expect(cutOf(graph, sides)).toBeLessThanOrEqual(2 * most);
      expect(Math.abs(weightOf(sides) - graph.vertices / 2)).toBeLessThanOrEqual(0.05 * graph.vertices + 1);
    }
    const graph = withWeights(symmetricGraph(matrix));
    expect(cutOf(graph, bisect(graph))).toBeLessThanOrEqual(most);
  });

  test('balances weights, not vertices', () => {
    const graph = withWeights(symmetricGraph(gallery('laplace1d3', { nx: 300 })));
    graph.vertexWeight.fill(5, 0, 100);
    const sides = bisect(graph);
    const total = 5 * 100 + 200;
    const ofOne = graph.vertexWeight.reduce((sum, weight, v) => sum + weight * sides[v]!, 0);
    expect(Math.abs(ofOne - total / 2)).toBeLessThanOrEqual(0.05 * total + 5);
    expect(cutOf(graph, sides)).toBe(1);
  });

  test('of any graph is balanced', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), fc.infiniteStream(fc.nat()), (vertices, numbers) => {
        const edges = Array.from({ length: 2 * vertices }, () => [numbers.next().value, numbers.next().value]);
        const sets = Array.from({ length: vertices }, () => new Set<number>());
        for (const [a, b] of edges) {
          const [v, w] = [a! % vertices, b! % vertices];
          if (v === w) continue;
          sets[v]!.add(w);
          sets[w]!.add(v);
        }
        const edgePtr = new Uint32Array(vertices + 1);
        for (let v = 0; v < vertices; v++) edgePtr[v + 1] = edgePtr[v]! + sets[v]!.size;
        const graph = { vertices, edgePtr, neighbours: Uint32Array.from(sets.flatMap((set) => [...set])) };
        const sides = bisect(withWeights(graph));
        expect(sides.length).toBe(vertices);
        expect(Math.abs(weightOf(sides) - vertices / 2)).toBeLessThanOrEqual(0.05 * vertices + 1);
        expect([...dissection(graph)].sort((a, b) => a - b)).toEqual(Array.from({ length: vertices }, (_, v) => v));
      }),
      { numRuns: 60 },
    );
  });
});

describe('nested dissection', () => {
  test('of a cube takes fewer operations than minimum degree', () => {
    const graph = symmetricGraph(gallery('laplace3d7', { nx: 26, ny: 26, nz: 26 }));
    expect(flopsOf(graph, dissection(graph))).toBeLessThan(0.9 * flopsOf(graph, amd(graph)));
  });

  test('of a grid in random order takes about as many', () => {
    const graph = symmetricGraph(shuffled(gallery('laplace2d5', { nx: 80, ny: 80 })));
    expect(flopsOf(graph, dissection(graph))).toBeLessThan(1.5 * flopsOf(graph, amd(graph)));
  });
});
