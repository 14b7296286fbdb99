/** Parts of graphs: few edges between them beside METIS, balance, the same bits, and graphs without edges or vertices. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gallery } from '#dist/index.node.js';
import { workOfNodes } from '#dist/ranks/partition.js';
import { boxesOf } from '#dist/reorder/boxes.js';
import { symmetricGraph } from '#dist/reorder/graph.js';
import { partsOfGraph } from '#dist/reorder/graph-parts.js';
import { measuresOf } from '../../bench/parts.mjs';
import { anyGraph, graphOf, shuffled } from './arbitrary.js';

/** METIS 5.1.0 (Debian 12) has these edge cuts and halos by `npx bench partition --parts 4,16 'gallery:delaunay?n=10000' …`, November 2026. */
const METIS = [
  { name: 'delaunay', given: { n: 10_000 }, parts: 4, cut: 381, halo: 386 },
  { name: 'delaunay', given: { n: 10_000 }, parts: 16, cut: 1184, halo: 1220 },
  { name: 'laplace3d27', given: { nx: 20, ny: 20, nz: 20 }, parts: 4, cut: 6778, halo: 1910 },
  { name: 'laplace3d27', given: { nx: 20, ny: 20, nz: 20 }, parts: 16, cut: 15_286, halo: 5621 },
  { name: 'laplace2d5', given: { nx: 100, ny: 100 }, parts: 4, cut: 228, halo: 427 },
  { name: 'laplace2d5', given: { nx: 100, ny: 100 }, parts: 16, cut: 670, halo: 1256 },
  { name: 'road', given: { nx: 100, ny: 100 }, parts: 4, cut: 56, halo: 112 },
  { name: 'road', given: { nx: 100, ny: 100 }, parts: 16, cut: 149, halo: 298 },
  { name: 'rmat', given: { scale: 11 }, parts: 4, cut: 14_182, halo: 2836 },
  { name: 'rmat', given: { scale: 11 }, parts: 16, cut: 18_498, halo: 8162 },
] as const;

const ones = (count: number) => new Uint32Array(count).fill(1);

describe('parts of a graph', () => {
  test.each(METIS)(
    '$name in $parts have about the edge cut and the halo of METIS',
    ({ name, given, parts, ...metis }) => {
      const matrix = gallery(name, given);
      const graph = symmetricGraph(matrix);
      const weights = workOfNodes(matrix, 1);
      const partOf = partsOfGraph(graph, weights, parts);
      const { cut, halo, heaviest } = measuresOf(matrix, graph, weights, partOf, parts);
      expect(cut).toBeLessThanOrEqual(1.15 * metis.cut);
      expect(halo).toBeLessThanOrEqual(1.15 * metis.halo);
      expect(heaviest).toBeLessThan(1.032);
      expect(partsOfGraph(graph, weights, parts)).toEqual(partOf);
    },
  );

  test.each([
    ['a path', gallery('laplace1d3', { nx: 1000 }), 1],
    ['a grid', gallery('laplace2d5', { nx: 60, ny: 60 }), 66],
    ['a long grid', gallery('laplace2d5', { nx: 400, ny: 10 }), 11],
    ['a cube', gallery('laplace3d7', { nx: 14, ny: 14, nz: 14 }), 215],
  ])('two of %s have few edges between them, in any order of the vertices', (_, matrix, most) => {
    for (const given of [matrix, shuffled(matrix)]) {
      const graph = symmetricGraph(given);
      const partOf = partsOfGraph(graph, ones(graph.vertices), 2, { imbalance: 0.1 });
      const { cut, heaviest } = measuresOf(given, graph, ones(graph.vertices), partOf, 2);
      expect(cut).toBeLessThanOrEqual(given === matrix ? most : 2 * most);
      expect(heaviest).toBeLessThanOrEqual(1.1 + 2 / graph.vertices);
    }
  });

  test('balance weights, not vertices', () => {
    const matrix = gallery('laplace1d3', { nx: 300 });
    const graph = symmetricGraph(matrix);
    const weights = ones(300).fill(5, 0, 100);
    const { cut, heaviest } = measuresOf(matrix, graph, weights, partsOfGraph(graph, weights, 2), 2);
    expect(cut).toBe(1);
    expect(heaviest).toBeLessThanOrEqual(1.03 + 10 / 700);
  });

  test('have these numbers on every machine', () => {
    const matrix = gallery('laplace2d5', { nx: 30, ny: 30 });
    const partOf = partsOfGraph(symmetricGraph(matrix), workOfNodes(matrix, 1), 5);
    // The expected number is a hash (FNV-1a) of the parts, computed once with Node 20 on x86-64.
    const hash = partOf.reduce((sum, part) => Math.imul(sum ^ part, 0x01000193) >>> 0, 0x811c9dc5);
    expect(hash).toBe(321_552_498);
  });

  test('of components that fit are these components', () => {
    const cliques = [0, 1, 2].flatMap((first) =>
      [0, 1, 2, 3].flatMap((i) => [0, 1, 2, 3].map((j) => [first + 3 * i, first + 3 * j] as const)),
    );
    const partOf = partsOfGraph(graphOf(12, cliques), ones(12), 3);
    partOf.forEach((part, v) => {
      expect(part).toBe(partOf[v % 3]!);
    });
    expect(new Set(partOf).size).toBe(3);
  });

  test('of any graph have numbers below that of the parts, and no part is heavier than its share and a vertex', () => {
    fc.assert(
      fc.property(anyGraph(60), fc.integer({ min: 1, max: 80 }), (graph, parts) => {
        const { vertices } = graph;
        const partOf = partsOfGraph(graph, ones(vertices), parts);
        const sizes = new Uint32Array(parts);
        for (const part of partOf) sizes[part]!++;
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(vertices);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.ceil((1.03 * vertices) / parts) + 1);
      }),
      { numRuns: 200 },
    );
  });
});

test('boxes have equal weights, and are halved along their longest side', () => {
  // The points are in a row, with the weight at one end.
  const weights = Uint32Array.from({ length: 40 }, (_, i) => (i < 10 ? 7 : 1));
  const points = Float64Array.from({ length: 80 }, (_, k) => (k % 2 === 0 ? k / 2 : k % 3));
  const partOf = boxesOf(points, 2, weights, 4);
  expect([...partOf]).toEqual([...partOf].toSorted((one, other) => one - other));
  const sums = [0, 0, 0, 0];
  for (const [i, part] of partOf.entries()) sums[part]! += weights[i]!;
  for (const sum of sums) expect(Math.abs(sum - 25)).toBeLessThanOrEqual(4);
  expect([...boxesOf(points, 2, weights, 1)]).toEqual(Array(40).fill(0));
  expect(boxesOf(new Float64Array(0), 3, new Uint32Array(0), 5).length).toBe(0);
  // If there are more parts than points, each point has a part of its own.
  expect(new Set(boxesOf(points, 2, weights, 200)).size).toBe(40);
});
