/** Statistics of complex matrices. */
import { expect, test } from 'vitest';
import { complexMatrix } from '#dist/core/complex.js';
import { complexStatistics } from '#dist/features/complex-statistics.js';

/** A dense 2 × 2 matrix. */
function two(...values: number[]) {
  return complexMatrix({ rows: 2, cols: 2, rowPtr: [0, 2, 4], colIdx: [0, 1, 0, 1], values });
}

test.each([
  ['hermitian', two(1, 0, 2, 3, 2, -3, 4, 0)],
  ['symmetric', two(1, 1, 2, 3, 2, 3, 4, 0)],
  ['skew-symmetric', two(0, 0, 2, 3, -2, -3, 0, 0)],
  ['general', two(1, 1, 2, 3, 2, -3, 4, 0)],
  ['general', two(0, 1, 2, 3, -2, -3, 0, 0)],
  ['hermitian', two(1, 0, 2, 0, 2, 0, 4, 0)],
  ['general', two(1, 0, Number.NaN, 0, Number.NaN, 0, 4, 0)],
  ['general', complexMatrix({ rows: 2, cols: 2, rowPtr: [0, 1, 1], colIdx: [1], values: [1, 2] })],
  ['general', complexMatrix({ rows: 1, cols: 2, rowPtr: [0, 1], colIdx: [0], values: [1, 2] })],
])('%s', (symmetry, matrix) => {
  expect(complexStatistics(matrix).symmetry).toBe(symmetry);
});

test('the other figures are those of the pattern, stored zeros included', () => {
  const matrix = complexMatrix({ rows: 2, cols: 3, rowPtr: [0, 2, 3], colIdx: [0, 2, 1], values: [0, 0, 1, 2, 0, 1] });
  expect(complexStatistics(matrix)).toMatchObject({ rows: 2, cols: 3, nnz: 3, bandwidth: 2, diagonalEntries: 2 });
});
