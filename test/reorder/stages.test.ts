/** Colours, packs of super-rows, and level sets. */
import { describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder, gallery } from '#dist/index.node.js';
import { colorGreedily } from '#dist/reorder/color.js';
import { symmetricGraph } from '#dist/reorder/graph.js';
import { levelSets } from '#dist/reorder/levels.js';
import { packSuperRows } from '#dist/reorder/packs.js';

const oneSided = () => {
  const builder = new CsrBuilder(40, 40);
  for (let i = 0; i < 40; i++) {
    builder.add(i, i, 1);
    builder.add(i, (i * 7 + 3) % 40, 1);
  }
  return builder.build();
};

const MATRICES: Record<string, CsrMatrix> = {
  'a grid': gallery('laplace2d5', { nx: 17, ny: 11 }),
  'a cube': gallery('laplace3d27', { nx: 6, ny: 5, nz: 4 }),
  'random points': gallery('rgg', { n: 300 }),
  'a pattern that is not symmetric': oneSided(),
  'no entries': new CsrBuilder(5, 5).build(),
  'no rows': new CsrBuilder(0, 0).build(),
};

const isPermutation = (order: Uint32Array) => expect([...order].sort((a, b) => a - b)).toEqual([...order.keys()]);

describe.each(Object.entries(MATRICES))('%s', (_, matrix) => {
  const { rows } = matrix;
  const { edgePtr, neighbours } = symmetricGraph(matrix);
  const edges = Array.from({ length: rows }, (_, v) =>
    [...neighbours.subarray(edgePtr[v], edgePtr[v + 1])].map((w) => [v, w] as const),
  ).flat();

  test('neighbours have different colours', () => {
    const { colors, colorOf } = colorGreedily(symmetricGraph(matrix));
    for (const [v, w] of edges) expect(colorOf[v]).not.toBe(colorOf[w]);
    expect(colors).toBe(rows === 0 ? 0 : Math.max(...colorOf) + 1);
    // A vertex of colour c has a neighbour of each colour before.
    for (let v = 0; v < rows; v++) {
      const seen = new Set([...neighbours.subarray(edgePtr[v], edgePtr[v + 1])].map((w) => colorOf[w]));
      for (let color = 0; color < colorOf[v]!; color++) expect(seen).toContain(color);
    }
  });

  test.each([1, 5, 80])('super-rows of %i rows are independent in a pack', (size) => {
    const { order, superRowPtr, packPtr } = packSuperRows(matrix, size);
    isPermutation(order);
    expect([superRowPtr[0], superRowPtr.at(-1), packPtr[0], packPtr.at(-1)]).toEqual([
      0,
      rows,
      0,
      superRowPtr.length - 1,
    ]);
    const [superRowOf, packOf] = [new Uint32Array(rows), new Uint32Array(rows)];
    for (let pack = 0; pack + 1 < packPtr.length; pack++) {
      expect(packPtr[pack + 1]).toBeGreaterThan(packPtr[pack]!);
      for (let s = packPtr[pack]!; s < packPtr[pack + 1]!; s++)
        for (let i = superRowPtr[s]!; i < superRowPtr[s + 1]!; i++) {
          superRowOf[order[i]!] = s;
          packOf[order[i]!] = pack;
        }
    }
    for (const [v, w] of edges) if (packOf[v] === packOf[w]) expect(superRowOf[v]).toBe(superRowOf[w]);
  });

  test('rows of a level are independent, and each needs one of the level before', () => {
    for (const base of [undefined, Uint32Array.from({ length: rows }, (_, i) => rows - 1 - i)]) {
      const { order, levelPtr } = levelSets(matrix, base);
      isPermutation(order);
      const [levelOf, placeOf] = [new Uint32Array(rows), new Uint32Array(rows)];
      for (let level = 0; level + 1 < levelPtr.length; level++)
        for (let i = levelPtr[level]!; i < levelPtr[level + 1]!; i++) levelOf[order[i]!] = level;
      for (let i = 0; i < rows; i++) placeOf[base === undefined ? i : base[i]!] = i;
      for (const [v, w] of edges) expect(levelOf[v]! < levelOf[w]!).toBe(placeOf[v]! < placeOf[w]!);
      for (let v = 0; v < rows; v++)
        if (levelOf[v]! > 0)
          expect(edges.some(([from, to]) => from === v && levelOf[to] === levelOf[v]! - 1)).toBe(true);
    }
  });
});

test('a grid of 5 points has two colours, and as many levels as diagonals', () => {
  const grid = gallery('laplace2d5', { nx: 17, ny: 11 });
  expect(colorGreedily(symmetricGraph(grid)).colors).toBe(2);
  expect(levelSets(grid, undefined).levelPtr.length - 1).toBe(17 + 11 - 1);
});
