/** Nested dissection: orders have little fill. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gallery } from '#dist/index.node.js';
import { amd } from '#dist/reorder/amd.js';
import { dissectionSteps } from '#dist/reorder/dissection.js';
import { columnCounts, eliminationTree, postorder, relabelled } from '#dist/reorder/elimination.js';
import { type Graph, symmetricGraph } from '#dist/reorder/graph.js';
import { anyGraph, shuffled } from './arbitrary.js';

function dissection(graph: Graph): Uint32Array {
  const steps = dissectionSteps(graph);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    expect(value).toBeGreaterThanOrEqual(0);
    expect(value).toBeLessThanOrEqual(1);
  }
}

function flopsOf(graph: Graph, order: Uint32Array): number {
  const ordered = relabelled(graph, order);
  const parent = eliminationTree(ordered);
  const counts = columnCounts(ordered, parent, postorder(parent));
  return counts.reduce((sum, count) => sum + count * count, 0);
}

describe('nested dissection', () => {
  test('of any graph is an order', () => {
    fc.assert(
      fc.property(anyGraph(400), (graph) => {
        expect([...dissection(graph)].sort((a, b) => a - b)).toEqual(
          Array.from({ length: graph.vertices }, (_, v) => v),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('of a cube takes fewer operations than minimum degree', () => {
    const graph = symmetricGraph(gallery('laplace3d7', { nx: 26, ny: 26, nz: 26 }));
    expect(flopsOf(graph, dissection(graph))).toBeLessThan(0.9 * flopsOf(graph, amd(graph)));
  });

  test('of a grid in random order takes about as many', () => {
    const graph = symmetricGraph(shuffled(gallery('laplace2d5', { nx: 80, ny: 80 })));
    expect(flopsOf(graph, dissection(graph))).toBeLessThan(1.5 * flopsOf(graph, amd(graph)));
  });
});
