/** Spectral layouts: coordinates are eigenvectors of the graph, and parts have squares of their own. */

import { type NodePosition, spectralLayout } from '@sparlane/graphs';
import fc from 'fast-check';
import { createEngine } from 'sparlane';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cytoscapeOf,
  Graph,
  graphologyOf,
  ngraphOf,
  type RandomGraph,
  RUNS,
  randomGraph,
  require,
} from './random-graphs.js';

const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());

/** The second and the third eigenvalue of the karate club's normalized Laplacian, by `numpy.linalg.eigvalsh`. */
const EIGENVALUES = [0.132272329, 0.287048985] as const;

const path = (nodes: number): RandomGraph => ({
  ...{ type: 'directed', multi: false, nodes },
  edges: Array.from({ length: nodes - 1 }, (_, i) => ({ ends: [i, i + 1] as [number, number], isUndirected: false })),
});

/** The distances of the middles of two ranges are at least half of both together. */
function areApart(a: readonly NodePosition[], b: readonly NodePosition[]): boolean {
  return (['x', 'y'] as const).some((axis) => {
    const [u, v] = [a, b].map((positions) => positions.map((position) => position[axis]));
    return Math.max(...u!) <= Math.min(...v!) || Math.max(...v!) <= Math.min(...u!);
  });
}

describe('spectralLayout', () => {
  it('has eigenvectors of L x = λ D x as coordinates, but for a shift', () => {
    const graph = require('graphology-generators/social/karate-club')(Graph);
    const positions = spectralLayout(engine, graph, { tolerance: 1e-10 });
    const nodes: string[] = graph.nodes();
    const values = (['x', 'y'] as const).map((axis) => {
      const middle = nodes.reduce((sum, node) => sum + graph.degree(node) * positions[node]![axis], 0) / 2 / graph.size;
      const at = (node: string) => positions[node]![axis] - middle;
      const along = nodes.map((node): [number, number] => {
        const neighbours: string[] = graph.neighbors(node);
        return [neighbours.reduce((sum, other) => sum + at(node) - at(other), 0), graph.degree(node) * at(node)];
      });
      const value = dot(along, 0, 1) / dot(along, 1, 1);
      for (const [left, right] of along) expect(left).toBeCloseTo(value * right, 7);
      return value;
    });
    expect(values).toEqual([expect.closeTo(EIGENVALUES[0], 8), expect.closeTo(EIGENVALUES[1], 8)]);
  });

  it.each([
    ['graphology', graphologyOf],
    ['ngraph', ngraphOf],
    ['cytoscape', (given: RandomGraph) => cytoscapeOf(given).elements()],
  ] as const)('places a path of %s in its order', (_, make) => {
    const xs = Object.values(spectralLayout(engine, make(path(9)))).map(({ x }) => x);
    const ordered = xs.toSorted((a, b) => a - b);
    expect([ordered, ordered.toReversed()]).toContainEqual(xs);
    expect(ordered[8]! - ordered[0]!).toBeCloseTo(0.9, 9);
  });

  it('places no, one and two nodes', () => {
    expect(spectralLayout(engine, graphologyOf({ ...path(1), nodes: 0, edges: [] }))).toEqual({});
    expect(spectralLayout(engine, graphologyOf(path(1)), { scale: 10 })).toEqual({ n0: { x: 5, y: 5 } });
    const { n0, n1 } = spectralLayout(engine, graphologyOf(path(2)));
    expect([n0!.x, n1!.x].sort()).toEqual([expect.closeTo(0.05), expect.closeTo(0.95)]);
    expect([n0!.y, n1!.y]).toEqual([0.5, 0.5]);
  });

  it('places all within the square, and parts apart', () => {
    fc.assert(
      fc.property(randomGraph, (given) => {
        const graph = graphologyOf(given);
        const positions = spectralLayout(engine, graph, { scale: 2 });
        expect(Object.keys(positions)).toEqual(graph.nodes());
        for (const { x, y } of Object.values(positions)) expect([x, y].every((at) => at >= 0 && at <= 2)).toBe(true);
        const parts = cytoscapeOf(given).elements().components();
        const places = parts.map((part) => part.nodes().map((node) => positions[node.id()]!));
        places.forEach((a, i) => {
          for (const b of places.slice(i + 1)) expect(areApart(a, b)).toBe(true);
        });
      }),
      RUNS,
    );
  });

  it('is the same every time, and leaves nothing in the heap', () => {
    const before = engine.heap.bytesInUse;
    const layout = () => spectralLayout(engine, graphologyOf(path(30)));
    expect(layout()).toEqual(layout());
    expect(engine.heap.bytesInUse).toBe(before);
  });

  it('says which argument is wrong', () => {
    const graph = graphologyOf(path(3));
    expect(() => spectralLayout(engine, graph, { scale: -1 })).toThrow(
      'scale: expected a finite number from 0 on, got -1',
    );
    expect(() => spectralLayout(engine, graph, { getEdgeWeight: () => -2 })).toThrow(
      'graph: expected finite weights of at least 0, got -2',
    );
  });
});

function dot(pairs: readonly (readonly [number, number])[], i: 0 | 1, j: 0 | 1): number {
  return pairs.reduce((sum, pair) => sum + pair[i] * pair[j], 0);
}
