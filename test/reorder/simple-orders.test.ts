/** Orders that only need counts: rows by length, hub columns first. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  byRowLength,
  checkPermutation,
  csrMatrix,
  hubsFirst,
  inversePermutation,
  permuteMatrix,
} from '#dist/index.node.js';
import { smallMatrix, transposed } from '../gallery/arbitrary.js';

// [10 0 20; 0 0 0; 0 0 30; 40 50 60]
const workedExample = csrMatrix({
  ...{ rows: 4, cols: 3, rowPtr: [0, 2, 2, 3, 6] },
  ...{ colIdx: [0, 2, 2, 0, 1, 2], values: [10, 20, 30, 40, 50, 60] },
});

test('the worked example', () => {
  expect(byRowLength(workedExample)).toEqual({ rowOrder: Uint32Array.of(3, 0, 2, 1) });
  expect(hubsFirst(workedExample)).toEqual({ colOrder: Uint32Array.of(2, 0, 1) });
});

test('rows get shorter, and keep their order where they are equally long', () => {
  fc.assert(
    fc.property(smallMatrix(), (matrix) => {
      const { rowOrder } = byRowLength(matrix);
      checkPermutation('rowOrder', rowOrder, matrix.rows);
      const { rowPtr } = permuteMatrix(matrix, { rowOrder });
      for (let i = 1; i < matrix.rows; i++) {
        const shorter = rowPtr[i]! - rowPtr[i - 1]! - (rowPtr[i + 1]! - rowPtr[i]!);
        expect(shorter > 0 || (shorter === 0 && rowOrder[i]! > rowOrder[i - 1]!)).toBe(true);
      }
    }),
  );
});

test('columns above the mean come first, the fullest first; the others keep their order', () => {
  fc.assert(
    fc.property(smallMatrix(), (matrix) => {
      const { colOrder } = hubsFirst(matrix);
      checkPermutation('colOrder', colOrder, matrix.cols);
      const { rowPtr } = transposed(matrix);
      const entries = Array.from({ length: matrix.cols }, (_, j) => rowPtr[j + 1]! - rowPtr[j]!);
      const mean = matrix.nnz / matrix.cols;
      const place = inversePermutation(colOrder);
      for (let a = 0; a < matrix.cols; a++) {
        for (let b = a + 1; b < matrix.cols; b++) {
          const swapped = entries[b]! > mean && entries[b]! > entries[a]!;
          expect(place[b]! < place[a]!).toBe(swapped);
        }
      }
    }),
  );
});
