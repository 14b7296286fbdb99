/** The graph of a matrix falls into connected parts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectedParts, csrMatrix, permuteMatrix } from '#dist/index.node.js';
import { smallMatrix } from '../gallery/arbitrary.js';

test('directions do not matter, nor do values; a row without entries is a part', () => {
  // [· 1 · · ·; · · · · ·; · · · · ·; · · 0 · ·; · 2 · · 7]
  const matrix = csrMatrix({ rows: 5, cols: 5, rowIdx: [0, 3, 4, 4], colIdx: [1, 2, 1, 4], values: [1, 0, 2, 7] });
  const { partOf, sizes, first } = connectedParts(matrix);
  expect([...partOf]).toEqual([0, 0, 1, 1, 0]);
  expect(sizes).toEqual([3, 2]);
  expect(first).toEqual([0, 2]);
});

test('no entry is between two parts, and an order by parts has a block for each that is connected', () => {
  fc.assert(
    fc.property(smallMatrix({ square: true }), (matrix) => {
      const { partOf, sizes, first } = connectedParts(matrix);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(matrix.rows);
      expect(first.map((vertex) => partOf[vertex])).toEqual(sizes.map((_, part) => part));
      const order = Uint32Array.from(partOf.keys()).sort((a, b) => partOf[a]! - partOf[b]! || a - b);
      const { rowPtr, colIdx } = permuteMatrix(matrix, { rowOrder: order, colOrder: order });
      for (let i = 0; i < matrix.rows; i++)
        for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) expect(partOf[order[colIdx[k]!]!]).toBe(partOf[order[i]!]);
      expect(first.map((vertex) => reachable(matrix, vertex))).toEqual(sizes);
    }),
  );
});

test('a matrix that is not square is refused', () => {
  expect(() => connectedParts(csrMatrix({ rows: 1, cols: 2, rowPtr: [0, 0], colIdx: [], values: [] }))).toThrow(
    "matrix: expected as many columns as rows, got '1 × 2'",
  );
});

/** Returns the number of vertices that edges lead to from one, by repeated passes over all entries. */
function reachable(
  { rows, rowPtr, colIdx }: { rows: number; rowPtr: ArrayLike<number>; colIdx: ArrayLike<number> },
  start: number,
): number {
  const seen = new Set([start]);
  for (let before = 0; before < seen.size; ) {
    before = seen.size;
    for (let i = 0; i < rows; i++)
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
        const j = colIdx[k]!;
        if (seen.has(i)) seen.add(j);
        else if (seen.has(j)) seen.add(i);
      }
  }
  return seen.size;
}
