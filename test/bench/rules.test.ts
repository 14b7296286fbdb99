import { describe, expect, test } from 'vitest';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { matrixStatistics } from '#dist/features/statistics.js';
import {
  deBruijn,
  delaunay,
  dualContinua,
  epidemic,
  nlpkkt,
  randomGeometric,
} from '../../bench/matrices/suites/rules.mjs';
import { weighted } from '../../bench/matrices/values.mjs';

const row = ({ rowPtr, colIdx }: CsrMatrix, i: number) => [...colIdx.slice(rowPtr[i], rowPtr[i + 1])];

describe('matrices by rule', () => {
  test('are canonical, and symmetric where they say so', () => {
    for (const matrix of [deBruijn(7), randomGeometric(700, 1), delaunay(700, 1), nlpkkt(4), epidemic(20)]) {
      expect(csrMatrix(matrix).colIdx).toBe(matrix.colIdx);
      expect(matrixStatistics(matrix).symmetry).toBe(matrix.symmetry);
    }
  });

  test('de Bruijn: words that overlap, no loops', () => {
    const matrix = deBruijn(4);
    expect(row(matrix, 5)).toEqual([2, 10, 11]);
    expect(row(matrix, 0)).toEqual([1, 8]);
    expect(row(matrix, 6)).toEqual([3, 11, 12, 13]);
    expect(deBruijn(10).nnz).toBe(4 * 2 ** 10 - 6);
  });

  test('Delaunay: a triangulation by Euler’s formula, where node i lies near node 4 i', () => {
    const n = 4096;
    const { nnz, rowPtr, colIdx } = delaunay(n, 1);
    const onHull = 3 * n - 3 - nnz / 2;
    expect(onHull).toBeGreaterThan(8);
    expect(onHull).toBeLessThan(60);
    const toParents = [];
    for (let i = n / 2; i < n; i++) {
      for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++)
        if (colIdx[k] < n / 4) toParents.push(Math.abs(colIdx[k] - i / 4));
    }
    expect(toParents.length).toBeGreaterThan(n / 2);
    expect(toParents.sort((a, b) => a - b)[toParents.length >> 1]).toBeLessThan(0.02 * n);
  });

  test('random geometric: 0.95 ln n neighbours, except at the border', () => {
    const { rowLengths } = matrixStatistics(randomGeometric(20_000, 1));
    const expected = Math.PI * 0.55 ** 2 * Math.log(20_000);
    expect(rowLengths.mean).toBeGreaterThan(0.95 * expected);
    expect(rowLengths.mean).toBeLessThan(1.01 * expected);
  });

  test('nlpkkt: the entries of [I 0 Aᵀ; 0 I Bᵀ; A B 0], 28 to 5 a row', () => {
    const n = 8;
    const matrix = nlpkkt(n);
    const { rowLengths, rows } = matrixStatistics(matrix);
    expect(rows).toBe(2 * n ** 3 + 6 * n ** 2);
    expect(matrix.nnz).toBe(2 * (3 * n - 2) ** 3 + n ** 3 + 6 * n ** 2 + 12 * (3 * n - 2) ** 2);
    expect(rowLengths).toMatchObject({ min: 5, max: 28 });
    // The control in the corner of the face x = 0 acts on the corner's multiplier and its three neighbours in the face.
    const multipliers = n ** 3 + 6 * n ** 2;
    expect(row(matrix, n ** 3)).toEqual([n ** 3, ...[0, n, n * n, n * n + n].map((point) => multipliers + point)]);
  });

  test('the formula of nlpkkt gives the published entries of nlpkkt80', () => {
    expect(2 * 238 ** 3 + 80 ** 3 + 6 * 80 ** 2 + 12 * 238 ** 2).toBe(28_192_672);
  });

  test('the epidemic on m = 1024 has the rows, entries and row lengths of mc2depi, and is a generator', () => {
    const matrix = epidemic(1024);
    expect(matrix).toMatchObject({ rows: 525_825, nnz: 2_100_225 });
    expect(matrixStatistics(matrix).rowLengths).toMatchObject({ min: 2, max: 4 });
    for (const i of [0, 7, 1024, 300_000]) {
      const sum = matrix.values
        .slice(matrix.rowPtr[i], matrix.rowPtr[i + 1])
        .reduce((a: number, b: number) => a + b, 0);
      expect(Math.abs(sum)).toBeLessThan(1e-9 * matrix.rows);
    }
  });

  test('two continua on 70 × 70 × 30 have the blocks of spe5Ref_dpdp', () => {
    const { rows, colIdx } = dualContinua(70, 70, 30);
    expect(7 * rows).toBe(2_058_000);
    expect(49 * colIdx.length).toBe(113_464_400);
    const { rowLengths, symmetry } = matrixStatistics(weighted(dualContinua(5, 4, 3)));
    expect(rowLengths).toMatchObject({ min: 5, max: 8 });
    expect(symmetry).toBe('symmetric');
  });
});
