/** Tests breadth-first searches of the graph of a matrix, which run in WebAssembly. */
import { expect, test } from 'vitest';
import { estimateFactors } from '#dist/direct/estimate.js';
import { CsrBuilder, csrMatrix, gallery } from '#dist/index.node.js';
import { BreadthFirstSearch } from '#dist/reorder/breadth-first.js';

test.each([true, false])('levels of a grid are its diagonals, pattern known to be symmetric: %s', (isSymmetric) => {
  using search = new BreadthFirstSearch(gallery('laplace2d5', { nx: 4, ny: 3 }), isSymmetric);
  expect([search.vertices, search.ends]).toEqual([12, 34]);
  expect([...search.levelsFrom(0, 1)]).toEqual([1, 2, 3, 3, 2, 1]);
  expect([...search.queue.subarray(0, 3)]).toEqual([0, 1, 4]);
  expect([...search.seenBy]).toEqual(new Array(12).fill(1));
  expect([...search.levelsFrom(0, 2, 3)]).toEqual([1, 2]);
});

test('directions do not matter, and hubs are left out', () => {
  // Vertex 0 has an edge to every other vertex, and each vertex has one to the next vertex.
  const builder = new CsrBuilder(6, 6);
  for (let i = 0; i < 5; i++) builder.add(i, i + 1, 1);
  for (let j = 2; j < 6; j++) builder.add(0, j, 1);
  using search = new BreadthFirstSearch(builder.build(), false);
  expect([...search.levelsFrom(5, 1)]).toEqual([1, 2, 3]);
  expect(search.leaveOutHubs(4)).toBe(5);
  expect([...search.levelsFrom(5, 2)]).toEqual([1, 1, 1, 1, 1]);
  expect([...search.queue.subarray(0, 5)]).toEqual([5, 4, 3, 2, 1]);
});

test('a matrix without rows takes no operations', () => {
  const empty = csrMatrix({ rows: 0, cols: 0, rowPtr: [0], colIdx: [], values: [] });
  const nothing = { flops: 0, isMesh: true, dimension: 0, levels: 0 };
  for (const isSymmetric of [true, false]) expect(estimateFactors(empty, isSymmetric)).toEqual(nothing);
});
