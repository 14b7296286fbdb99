/** Orders of elimination against elimination as it is defined, on sets. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gallery } from '#dist/index.node.js';
import { amd, amdSteps } from '#dist/reorder/amd.js';
import { columnCounts, eliminationTree, postorder, ROOT, relabelled } from '#dist/reorder/elimination.js';
import type { Graph } from '#dist/reorder/graph.js';
import { symmetricGraph } from '#dist/reorder/graph.js';
import { inverted } from '#dist/reorder/permutation.js';
import { shuffled } from './arbitrary.js';

function graphOf(vertices: number, edges: Iterable<readonly [number, number]>): Graph {
  const sets = Array.from({ length: vertices }, () => new Set<number>());
  for (const [v, w] of edges)
    if (v !== w) {
      sets[v]!.add(w);
      sets[w]!.add(v);
    }
  const lists = sets.map((set) => [...set].sort((a, b) => a - b));
  const edgePtr = new Uint32Array(vertices + 1);
  for (let v = 0; v < vertices; v++) edgePtr[v + 1] = edgePtr[v]! + lists[v]!.length;
  return { vertices, edgePtr, neighbours: Uint32Array.from(lists.flat()) };
}

/** The rows below the diagonal of each column of the factor, in the order of the vertices. */
function structureOf({ vertices, edgePtr, neighbours }: Graph): Set<number>[] {
  const columns = Array.from(
    { length: vertices },
    (_, j) => new Set([...neighbours.subarray(edgePtr[j], edgePtr[j + 1])].filter((i) => i > j)),
  );
  for (let j = 0; j < vertices; j++) {
    const parent = Math.min(...columns[j]!);
    for (const i of columns[j]!) if (i !== parent) columns[parent]!.add(i);
  }
  return columns;
}

function fillOf(graph: Graph, order: Uint32Array): number {
  return structureOf(relabelled(graph, order)).reduce((sum, column) => sum + column.size + 1, 0);
}

/** The least number of entries that exact minimum degree gives, with ties to the first vertex. */
function minimumDegree({ vertices, edgePtr, neighbours }: Graph): Uint32Array {
  const sets = Array.from({ length: vertices }, (_, v) => new Set(neighbours.subarray(edgePtr[v], edgePtr[v + 1])));
  const left = new Set(sets.keys());
  const order: number[] = [];
  while (left.size > 0) {
    let best = -1;
    for (const v of left) if (best < 0 || sets[v]!.size < sets[best]!.size) best = v;
    for (const v of sets[best]!) {
      for (const w of sets[best]!) if (v !== w) sets[v]!.add(w);
      sets[v]!.delete(best);
    }
    left.delete(best);
    order.push(best);
  }
  return Uint32Array.from(order);
}

const graphs = fc.integer({ min: 0, max: 40 }).chain((vertices) => {
  const vertex = fc.nat({ max: Math.max(vertices - 1, 0) });
  const edges = vertices === 0 ? fc.constant([]) : fc.array(fc.tuple(vertex, vertex), { maxLength: 3 * vertices });
  return edges.map((list) => graphOf(vertices, list as [number, number][]));
});

const MESHES = {
  'a grid': gallery('laplace2d5', { nx: 40, ny: 40 }),
  'a cube': gallery('laplace3d7', { nx: 10, ny: 10, nz: 10 }),
  'a mesh of triangles': gallery('delaunay', { n: 1500 }),
};

describe('the elimination tree', () => {
  test('of a worked example', () => {
    // 0 – 3, 1 – 2, 1 – 3, 2 – 4: eliminating 1 connects 2 with 3, and 2 connects 3 with 4.
    const graph = graphOf(5, [
      [0, 3],
      [1, 2],
      [1, 3],
      [2, 4],
    ]);
    const parent = eliminationTree(graph);
    expect([...parent]).toEqual([3, 2, 3, 4, ROOT]);
    const post = postorder(parent, Uint32Array.of(1, 1, 1, 1, 1));
    expect([...post]).toEqual([0, 1, 2, 3, 4]);
    expect([...columnCounts(graph, parent, post)]).toEqual([2, 3, 3, 2, 1]);
  });

  test('parents and counts are those of elimination', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const columns = structureOf(graph);
        const parent = eliminationTree(graph);
        expect([...parent]).toEqual(columns.map((column) => (column.size === 0 ? ROOT : Math.min(...column))));
        const post = postorder(parent);
        expect([...columnCounts(graph, parent, post)]).toEqual(columns.map((column) => column.size + 1));
      }),
    );
  });

  test('a postorder has each subtree in one piece, the heaviest child last, and keeps the fill', () => {
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.nat({ max: 5 })), (graph, weights) => {
        const parent = eliminationTree(graph);
        const weight = Uint32Array.from({ length: graph.vertices }, () => weights.next().value);
        const post = postorder(parent, weight);
        const place = inverted(post);
        const sizes = new Uint32Array(graph.vertices).fill(1);
        for (const v of post) if (parent[v]! !== ROOT) sizes[parent[v]!]! += sizes[v]!;
        for (const v of post) {
          const up = parent[v]!;
          if (up === ROOT) continue;
          expect(place[v]!).toBeLessThan(place[up]!);
          expect(place[v]! - sizes[v]!).toBeGreaterThanOrEqual(place[up]! - sizes[up]!);
          const last = post[place[up]! - 1]!;
          expect(parent[last]).toBe(up);
          expect(weight[last]).toBeGreaterThanOrEqual(weight[v]!);
        }
        expect(fillOf(graph, post)).toBe(fillOf(graph, Uint32Array.from(post.keys())));
      }),
    );
  });
});

describe('approximate minimum degree', () => {
  test('of a star eliminates the leaves first', () => {
    const order = amd(
      graphOf(
        6,
        [1, 2, 3, 4, 5].map((leaf) => [0, leaf] as const),
      ),
    );
    expect(order.indexOf(0)).toBeGreaterThanOrEqual(4);
  });

  test('is a permutation with about the fill of exact minimum degree', () => {
    let [approximate, exact] = [0, 0];
    fc.assert(
      fc.property(graphs, (graph) => {
        const order = amd(graph);
        expect([...order].sort((a, b) => a - b)).toEqual([...order.keys()]);
        const fill = fillOf(graph, order);
        expect(fill).toBeLessThanOrEqual(1.5 * fillOf(graph, minimumDegree(graph)));
        approximate += fill;
        exact += fillOf(graph, minimumDegree(graph));
      }),
    );
    expect(approximate).toBeLessThan(1.05 * exact);
  });

  test('of a tree, and of a chordal graph, is without fill', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), (parents) => {
        const graph = graphOf(
          parents.length + 1,
          parents.map((parent, v) => [v + 1, parent % (v + 1)] as const),
        );
        expect(fillOf(graph, amd(graph))).toBe(2 * parents.length + 1);
      }),
    );
  });

  test.each(Object.entries(MESHES))('of %s depends little on the order of the rows', (_, matrix) => {
    const graph = symmetricGraph(matrix);
    const fill = fillOf(graph, amd(graph));
    const natural = fillOf(
      graph,
      Uint32Array.from({ length: graph.vertices }, (_, v) => v),
    );
    expect(fill).toBeLessThan(natural / 1.5);
    const other = symmetricGraph(shuffled(matrix));
    expect(fillOf(other, amd(other)) / fill).toBeCloseTo(1, 0);
    expect(fillOf(graph, amd(graph))).toBeLessThan(1.15 * fillOf(graph, minimumDegree(graph)));
  });

  test('vertices with very many neighbours come last', () => {
    const n = 600;
    const path = Array.from({ length: n - 1 }, (_, v) => [v, v + 1] as const);
    const hubs = [17, 400].flatMap((hub) => Array.from({ length: n }, (_, v) => [hub, v] as const));
    const order = amd(graphOf(n, [...path, ...hubs]));
    expect([...order.subarray(n - 2)]).toEqual([17, 400]);
    expect(new Set(order).size).toBe(n);
  });

  test('tells how far it is', () => {
    const graph = symmetricGraph(gallery('laplace2d5', { nx: 80, ny: 80 }));
    const shares: number[] = [];
    const steps = amdSteps(graph);
    let step = steps.next();
    for (; !step.done; step = steps.next()) shares.push(step.value);
    expect(shares.length).toBeGreaterThan(0);
    for (const [k, share] of shares.entries()) expect(share).toBeGreaterThan(shares[k - 1] ?? 0);
    expect(shares.at(-1)).toBeLessThan(1);
    expect(step.value).toEqual(amd(graph));
  });
});
