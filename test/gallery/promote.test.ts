import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csrMatrix } from '#dist/core/csr.js';
import { matrixStatistics } from '#dist/features/statistics.js';
import { gallery, promoteBlocks } from '#dist/gallery/registry.js';
import { denseOf, entriesOf, smallMatrix } from './arbitrary.js';

test('the promoted matrix is A ⊗ (ones + (b − 1) · identity), canonical', () => {
  fc.assert(
    fc.property(smallMatrix(), fc.integer({ min: 1, max: 5 }), (matrix, b) => {
      const promoted = promoteBlocks(matrix, b);
      const dense = denseOf(matrix);
      const expected = Array.from({ length: matrix.rows * b }, (_, i) =>
        Array.from({ length: matrix.cols * b }, (_, j) => {
          const value = dense[Math.floor(i / b)]![Math.floor(j / b)]!;
          return i % b === j % b ? value * b : value;
        }),
      );
      // −0 occurs only for a zero of A; toEqual distinguishes it from 0.
      expect(denseOf(promoted)).toEqual(expected);
      expect(promoted.nnz).toBe(matrix.nnz * b * b);
      expect(csrMatrix(promoted).colIdx).toBe(promoted.colIdx);
    }),
  );
});

test('keeps precision, field and symmetry; a pattern stays a pattern', () => {
  const source = csrMatrix({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0], values: Float32Array.of(0.1) });
  expect(promoteBlocks(source, 2).values).toEqual(Float32Array.of(0.2, 0.1, 0.1, 0.2));
  const skew = csrMatrix({
    ...{ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [3, -3] },
    ...{ field: 'integer', symmetry: 'skew-symmetric' },
  });
  const promoted = promoteBlocks(skew, 3);
  expect([promoted.field, promoted.symmetry]).toEqual(['integer', 'skew-symmetric']);
  expect(matrixStatistics(promoted).symmetry).toBe('skew-symmetric');
  const pattern = csrMatrix({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0] });
  expect(promoteBlocks(pattern, 2).values).toEqual(Float64Array.of(1, 1, 1, 1));
});

test('block=b of a gallery matrix: its structure promoted; values promoted or seeded', () => {
  const grid = { nx: 4, ny: 3 };
  const plain = gallery('laplace2d5', grid);
  const stencil = gallery('laplace2d5', { ...grid, block: 3 });
  expect(stencil).toEqual(promoteBlocks(plain, 3));
  const seeded = gallery('laplace2d5', { ...grid, block: 3, values: 'real' });
  expect(seeded.colIdx).toEqual(stencil.colIdx);
  expect(seeded.rowPtr).toEqual(stencil.rowPtr);
  expect(new Set(seeded.values).size).toBe(seeded.nnz);
  expect(gallery('laplace2d5', { ...grid, block: 3, values: 'ones' }).values.every((value) => value === 1)).toBe(true);
});

test('5-point 300² with 7 × 7 blocks has the size that the benchmarks quote', () => {
  const { rows, nnz } = gallery('laplace2d5', { nx: 300, ny: 300, block: 7 });
  expect([rows, nnz]).toEqual([630_000, 21_991_200]);
});

test('refuses invalid block sizes, and results beyond 32-bit indices', () => {
  const matrix = gallery('laplace1d3', { nx: 5 });
  expect(() => promoteBlocks(matrix, 0)).toThrow(/blockSize: expected an integer from 1/);
  expect(() => promoteBlocks(matrix, 1.5)).toThrow(/blockSize: expected an integer/);
  expect(() => promoteBlocks(matrix, 30_000)).toThrow(/blockSize: expected a result of at most 4294967295 rows/);
  expect(entriesOf(promoteBlocks(matrix, 1))).toEqual(entriesOf(matrix));
});
