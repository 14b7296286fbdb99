import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CsrMatrix, csrMatrix } from '#dist/core/csr.js';
import { matrixStatistics } from '#dist/features/statistics.js';
import { type Entry, entriesOf, smallMatrix, transposed } from '../gallery/arbitrary.js';

/** All statistics computed from the list of entries, in the simplest way. */
function bruteForce(matrix: CsrMatrix) {
  const { rows, cols, nnz } = matrix;
  const entries = entriesOf(matrix);
  const lengths = Array.from({ length: rows }, (_, row) => entries.filter(([i]) => i === row).length);
  const mean = rows === 0 ? 0 : nnz / rows;
  const variance = rows === 0 ? 0 : lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / rows;
  const firsts = Array.from({ length: rows }, (_, row) =>
    Math.min(row, ...entries.filter(([i]) => i === row).map(byCol)),
  );
  return {
    rows,
    cols,
    nnz,
    density: nnz === 0 ? 0 : nnz / rows / cols,
    rowLengths: {
      min: rows === 0 ? 0 : Math.min(...lengths),
      max: rows === 0 ? 0 : Math.max(...lengths),
      mean,
      variance,
      empty: lengths.filter((length) => length === 0).length,
    },
    regular: variance <= 10,
    bandwidth: Math.max(0, ...entries.map(([i, j]) => Math.abs(i - j))),
    profile: firsts.reduce((sum, first, row) => sum + row - first, 0),
    occupiedDiagonals: new Set(entries.map(([i, j]) => j - i)).size,
    diagonalEntries: entries.filter(([i, j]) => i === j).length,
    ...symmetryOf(matrix, entries),
  };
}

const byCol = ([, j]: Entry) => j;

function symmetryOf({ rows, cols }: CsrMatrix, entries: Entry[]) {
  if (rows !== cols) return { patternSymmetry: undefined, symmetry: 'general' };
  const byPlace = new Map(entries.map(([i, j, value]) => [`${i},${j}`, value]));
  const offDiagonal = entries.filter(([i, j]) => i !== j);
  const mirrored = offDiagonal.filter(([i, j]) => byPlace.has(`${j},${i}`)).length;
  const isMirrored = (sign: number) => offDiagonal.every(([i, j, value]) => byPlace.get(`${j},${i}`) === sign * value);
  const zeroDiagonal = entries.every(([i, j, value]) => i !== j || value === 0);
  const isSkew = zeroDiagonal && entries.every(([i, j, value]) => i === j || byPlace.get(`${j},${i}`)! + value === 0);
  return {
    patternSymmetry: offDiagonal.length === 0 ? 1 : mirrored / offDiagonal.length,
    symmetry: isMirrored(1) ? 'symmetric' : isSkew ? 'skew-symmetric' : 'general',
  };
}

/** A + sign · Aᵀ, so that symmetric and skew-symmetric matrices occur. */
function combined(matrix: CsrMatrix, sign: number): CsrMatrix {
  const entries = [
    ...entriesOf(matrix),
    ...entriesOf(transposed(matrix)).map(([i, j, value]) => [i, j, sign * value] as const),
  ].sort(([a], [b]) => a - b);
  const rowPtr = Array.from({ length: matrix.rows + 1 }, (_, row) => entries.filter(([i]) => i < row).length);
  const { rows, cols } = matrix;
  return csrMatrix({ rows, cols, rowPtr, colIdx: entries.map(byCol), values: entries.map(([, , value]) => value) });
}

describe('agrees with brute force', () => {
  test('for matrices of every shape', () => {
    fc.assert(
      fc.property(smallMatrix(), (matrix) => {
        expect(matrixStatistics(matrix)).toEqual(bruteForce(matrix));
      }),
      { numRuns: 300 },
    );
  });

  test('for square matrices, symmetric and skew-symmetric ones among them', () => {
    const found = new Set<string>();
    fc.assert(
      fc.property(smallMatrix({ square: true, max: 9 }), fc.constantFrom(-1, 0, 1), (matrix, sign) => {
        const tested = sign === 0 ? matrix : combined(matrix, sign);
        const statistics = matrixStatistics(tested);
        expect(statistics).toEqual(bruteForce(tested));
        found.add(statistics.symmetry);
      }),
      { numRuns: 300 },
    );
    expect([...found].sort()).toEqual(['general', 'skew-symmetric', 'symmetric']);
  });
});

test('the worked example', () => {
  // [10 0 20; 0 0 0; 0 0 30; 40 50 60]
  const matrix = csrMatrix({
    ...{ rows: 4, cols: 3, rowPtr: [0, 2, 2, 3, 6] },
    ...{ colIdx: [0, 2, 2, 0, 1, 2], values: [10, 20, 30, 40, 50, 60] },
  });
  expect(matrixStatistics(matrix)).toEqual({
    rows: 4,
    cols: 3,
    nnz: 6,
    density: 0.5,
    rowLengths: { min: 0, max: 3, mean: 1.5, variance: 1.25, empty: 1 },
    regular: true,
    bandwidth: 3,
    profile: 3,
    occupiedDiagonals: 5,
    diagonalEntries: 2,
    patternSymmetry: undefined,
    symmetry: 'general',
  });
});

test('regular up to a variance of 10, not beyond', () => {
  const withLengths = (lengths: number[]) =>
    csrMatrix({
      rows: lengths.length,
      cols: 20,
      rowPtr: [0, ...lengths.map((_, i) => lengths.slice(0, i + 1).reduce((sum, length) => sum + length))],
      colIdx: lengths.flatMap((length) => Array.from({ length }, (_, j) => j)),
    });
  const at = matrixStatistics(withLengths([1, 9, 3, 1, 8, 8, 2, 8]));
  expect([at.rowLengths.mean, at.rowLengths.variance, at.regular]).toEqual([5, 11, false]);
  const below = matrixStatistics(withLengths([1, 9, 3, 2, 8, 7, 2, 8]));
  expect([below.rowLengths.mean, below.rowLengths.variance, below.regular]).toEqual([5, 9.5, true]);
  const exact = matrixStatistics(withLengths([0, 5, 10, 5, 5]));
  expect([exact.rowLengths.variance, exact.regular]).toEqual([10, true]);
});

test('explicit zeros are part of the pattern', () => {
  const matrix = csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [0, 5] });
  expect(matrixStatistics(matrix)).toMatchObject({ patternSymmetry: 1, symmetry: 'general', bandwidth: 1 });
});

test('NaN equals nothing, so it is not symmetric with itself', () => {
  const values = [Number.NaN, Number.NaN];
  const matrix = csrMatrix({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values });
  expect(matrixStatistics(matrix)).toMatchObject({ patternSymmetry: 1, symmetry: 'general' });
});

test('a row of 2³² − 1 columns', () => {
  const cols = 0xffff_ffff;
  const matrix = csrMatrix({ rows: 2, cols, rowPtr: [0, 1, 3], colIdx: [0, 0, cols - 1] });
  expect(matrixStatistics(matrix)).toMatchObject({ bandwidth: cols - 2, occupiedDiagonals: 3, profile: 1 });
});
