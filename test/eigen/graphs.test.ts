/** Eigenvectors of graphs: cuts, layouts, clusters. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kMeans } from '#dist/eigen/graphs/k-means.js';
import type { Engine } from '#dist/engine/engine.js';
import {
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  fiedler,
  spectralClustering,
  spectralLayout,
} from '#dist/index.node.js';

type Edge = readonly [number, number, number?];

function graphOf(vertices: number, edges: readonly Edge[]): CsrMatrix {
  const builder = new CsrBuilder(vertices, vertices);
  for (const [i, j, weight = 1] of edges) {
    builder.add(i, j, weight);
    builder.add(j, i, weight);
  }
  return builder.build();
}

const path = (n: number): Edge[] => Array.from({ length: n - 1 }, (_, i) => [i, i + 1]);

/** All pairs of vertices from one to another. */
function clique(begin: number, end: number): Edge[] {
  const edges: Edge[] = [];
  for (let i = begin; i < end; i++) for (let j = begin; j < i; j++) edges.push([i, j]);
  return edges;
}

describe('graphs', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 2 });
  });
  afterAll(() => engine.dispose());

  test('the Fiedler vector of a path is a cosine, and cuts it in the middle', () => {
    const n = 90;
    // The space keeps memory for as many sums as were ever asked for at once.
    fiedler(engine, graphOf(n, path(n))).vector.dispose();
    const { bytesInUse } = engine.heap;
    const { value, vector, converged } = fiedler(engine, graphOf(n, path(n)), { tolerance: 1e-10 });
    expect(converged).toBe(true);
    expect(value).toBeCloseTo(2 - 2 * Math.cos(Math.PI / n), 12);
    const numbers = [...vector.toArray()];
    vector.dispose();
    const sign = Math.sign(numbers[0]!);
    numbers.forEach((x, i) => {
      expect(sign * x).toBeCloseTo(Math.sqrt(2 / n) * Math.cos((Math.PI * (i + 0.5)) / n), 7);
    });
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('the connectivity of a complete graph and of a star; two vertices', () => {
    const values = [
      graphOf(7, clique(0, 7)),
      graphOf(
        9,
        Array.from({ length: 8 }, (_, i) => [0, i + 1] as const),
      ),
      graphOf(2, [[0, 1, 3]]),
    ].map((graph) => {
      const { value, vector } = fiedler(engine, graph);
      vector.dispose();
      return value;
    });
    [7, 1, 6].forEach((expected, i) => {
      expect(values[i]).toBeCloseTo(expected, 10);
    });
  });

  test('a cycle is laid out as a circle', () => {
    const n = 40;
    const graph = graphOf(n, [...path(n), [n - 1, 0]]);
    for (const normalized of [true, false]) {
      const { coordinates, dimensions, values } = spectralLayout(engine, graph, 2, { normalized });
      expect([dimensions, coordinates.length, values.length]).toEqual([2, 2 * n, 2]);
      const radii = Array.from({ length: n }, (_, i) => Math.hypot(coordinates[2 * i]!, coordinates[2 * i + 1]!));
      for (const radius of radii) expect(radius / radii[0]!).toBeCloseTo(1, 6);
    }
    const { coordinates } = spectralLayout(engine, graphOf(3, path(3)), 1);
    expect(coordinates[1]).toBeCloseTo(0, 10);
    expect(coordinates[0]! * coordinates[2]!).toBeLessThan(0);
  });

  test('cliques with few edges between are clusters, whatever the seed', () => {
    const sizes = [12, 20, 9];
    const begins = [0, 12, 32];
    const inside = begins.flatMap((begin, c) => clique(begin, begin + sizes[c]!));
    const graph = graphOf(41, [...inside, [0, 15], [13, 35], [40, 3]]);
    const expected = sizes.flatMap((size, c) => new Array<number>(size).fill(c));
    for (let seed = 0; seed < 5; seed++) {
      const { labels, values, parts, converged } = spectralClustering(engine, graph, 3, { seed });
      expect([...labels]).toEqual(expected);
      expect([parts, converged, values.length]).toEqual([1, true, 3]);
    }
    const apart = spectralClustering(engine, graphOf(42, inside), 4);
    expect([...apart.labels]).toEqual([...expected, 3]);
    expect(apart.parts).toBe(4);
    expect([...spectralClustering(engine, graph, 1).labels]).toEqual(new Array(41).fill(0));
  });

  test('a graph in parts is an error where vertices of one part would say nothing of another', () => {
    const graph = graphOf(6, [
      [0, 1],
      [1, 2],
      [3, 4],
    ]);
    const error = expect.objectContaining({
      code: 'structure',
      message: "graph: expected a connected one, got 'one in 3 parts'",
      detail: { parts: 3 },
    });
    expect(() => fiedler(engine, graph)).toThrow(error);
    expect(() => spectralLayout(engine, graph)).toThrow(error);
    expect(() => fiedler(engine, [[0]])).toThrow(/^graph: expected two vertices or more, got 1/);
    expect(() =>
      spectralLayout(
        engine,
        [
          [0, 1],
          [1, 0],
        ],
        2,
      ),
    ).toThrow(/^dimensions: expected an integer from 1 to 1/);
    expect(() => spectralClustering(engine, graph, 7)).toThrow(/^k: expected an integer from 1 to 6/);
  });

  test('equal points are in one cluster, and no start fails', () => {
    expect([...kMeans(new Float64Array(10).fill(3), 2, 3, 1)]).toEqual([0, 0, 0, 0, 0]);
    expect([...kMeans(Float64Array.of(1, 9, 1.1, 9.2, 5), 1, 3, 1)]).toEqual([0, 1, 0, 1, 2]);
  });
});
