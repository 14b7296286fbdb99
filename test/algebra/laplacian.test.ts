/** The Laplacian of a graph. */
import { expect, test } from 'vitest';
import { csrMatrix, laplacian, type MatrixInput } from '#dist/index.node.js';

/** A triangle of weights 1, 2, 3 with a loop, and a vertex on its own. */
const GRAPH = [
  [5, 1, 2, 0],
  [1, 0, 3, 0],
  [2, 3, 0, 0],
  [0, 0, 0, 0],
];

function dense({ rows, cols, rowPtr, colIdx, values }: ReturnType<typeof csrMatrix>): number[][] {
  const numbers = Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) numbers[i]![colIdx[k]!] = values[k]!;
  return numbers;
}

test('by its definition', () => {
  const L = laplacian(GRAPH);
  expect(L.symmetry).toBe('symmetric');
  expect(dense(L)).toEqual([
    [3, -1, -2, 0],
    [-1, 4, -3, 0],
    [-2, -3, 5, 0],
    [0, 0, 0, 0],
  ]);
  const normalized = dense(laplacian(GRAPH, { normalized: true }));
  expect(normalized.map((row, i) => row[i])).toEqual([1, 1, 1, 0]);
  expect(normalized[0]![1]).toBeCloseTo(-1 / Math.sqrt(12), 15);
  expect(normalized[2]![1]).toBeCloseTo(-3 / Math.sqrt(20), 15);
});

test('explicit zeros are no edges; any layout', () => {
  const zeros = csrMatrix({ rows: 2, cols: 2, rowIdx: [0, 1, 1], colIdx: [1, 0, 1], values: [0, 0, 7] });
  expect(laplacian(zeros)).toMatchObject({ nnz: 2, values: Float64Array.of(0, 0) });
  expect(laplacian({ rows: 0, cols: 0, rowPtr: [0], colIdx: [] }).nnz).toBe(0);
});

test.each([
  ['a rectangle', [[1, 2]], {}, /^graph: expected as many rows as columns/],
  [
    'a directed graph',
    [
      [0, 1],
      [0, 0],
    ],
    {},
    /^graph: expected an undirected one/,
  ],
  [
    'a negative weight',
    [
      [0, -1],
      [-1, 0],
    ],
    {},
    /^graph: expected finite weights of at least 0, got -1 as entry 0/,
  ],
  ['an option', [[0]], { normalised: true }, /^options: expected only the options normalized/],
])('a wrong argument: %s', (_, graph: MatrixInput, options, message) => {
  expect(() => laplacian(graph, options as never)).toThrow(message);
});
