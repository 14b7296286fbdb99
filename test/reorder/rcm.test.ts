/**
 * Reverse Cuthill-McKee: always valid, optimal for matrices with a known optimum, and compared with SciPy on real
 * matrices.
 */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { checkPermutation, csrMatrix, gallery, matrixStatistics, permuteMatrix, rcm } from '#dist/index.node.js';
import { smallMatrix } from '../gallery/arbitrary.js';
import { haveMatrices, realMatrix, skipNote } from '../io/support.js';
import { shuffled } from './arbitrary.js';

function bandOf(matrix: CsrMatrix): { bandwidth: number; profile: number } {
  const { bandwidth, profile } = matrixStatistics(permuteMatrix(matrix, rcm(matrix)));
  return { bandwidth, profile };
}

describe('any matrix', () => {
  test('gets orders of its rows and columns; a square one the same for both', () => {
    fc.assert(
      fc.property(smallMatrix(), (matrix) => {
        const { rowOrder, colOrder } = rcm(matrix);
        checkPermutation('rowOrder', rowOrder, matrix.rows);
        checkPermutation('colOrder', colOrder, matrix.cols);
        expect(rowOrder === colOrder).toBe(matrix.rows === matrix.cols);
      }),
      { numRuns: 300 },
    );
  });

  test('gets an order that depends only on the pattern of A + Aᵀ', () => {
    fc.assert(
      fc.property(smallMatrix({ square: true }), (matrix) => {
        const { rows, rowPtr, colIdx } = matrix;
        const both = Array.from({ length: rows }, () => new Set<number>());
        for (let i = 0; i < rows; i++) {
          for (const j of colIdx.subarray(rowPtr[i], rowPtr[i + 1])) {
            both[i]!.add(j);
            both[j]!.add(i);
          }
        }
        const lists = both.map((columns, i) =>
          [...columns, i].filter((j, k, all) => all.indexOf(j) === k).sort((a, b) => a - b),
        );
        const ptr = [0, ...lists.map((_, i) => lists.slice(0, i + 1).flat().length)];
        const symmetric = csrMatrix({ rows, cols: rows, rowPtr: ptr, colIdx: lists.flat() });
        expect(rcm(matrix)).toEqual(rcm(symmetric));
      }),
    );
  });

  it('may be empty', () => {
    expect(rcm({ rows: 0, cols: 0, rowPtr: [0], colIdx: [] }).rowOrder).toEqual(new Uint32Array(0));
    expect(rcm({ rows: 0, cols: 3, rowPtr: [0], colIdx: [] }).colOrder.toSorted()).toEqual(Uint32Array.of(0, 1, 2));
    expect(rcm({ rows: 2, cols: 2, rowPtr: [0, 0, 0], colIdx: [] }).rowOrder.toSorted()).toEqual(Uint32Array.of(0, 1));
  });

  it('is validated', () => {
    expect(() => rcm({ rows: 2, cols: 2, rowPtr: [0, 1, 1], colIdx: [5] })).toThrowError('colIdx[0]: expected');
  });
});

describe('the least bandwidth is found', () => {
  it('of a path in any order', () => {
    const path = gallery('laplace1d3', { nx: 500 });
    for (const seed of [1, 2, 3]) expect(bandOf(shuffled(path, seed))).toEqual({ bandwidth: 1, profile: 499 });
  });

  it('of a grid in any order: its shorter side', () => {
    expect(bandOf(shuffled(gallery('laplace2d5', { nx: 40, ny: 23 }))).bandwidth).toBe(23);
    expect(bandOf(shuffled(gallery('laplace2d9', { nx: 40, ny: 23 }))).bandwidth).toBeLessThanOrEqual(2 * 23);
  });

  it('of several paths and single vertices: every component is a run', () => {
    const [paths, length] = [4, 25];
    const rows = paths * length + 3;
    const columns = (i: number) => {
      if (i >= paths * length) return [];
      return [i - 1, i + 1].filter((j) => j >= 0 && Math.floor(j / length) === Math.floor(i / length));
    };
    const lists = Array.from({ length: rows }, (_, i) => columns(i));
    const rowPtr = [0, ...lists.map((_, i) => lists.slice(0, i + 1).flat().length)];
    const matrix = csrMatrix({ rows, cols: rows, rowPtr, colIdx: lists.flat() });
    expect(bandOf(shuffled(matrix))).toEqual({ bandwidth: 1, profile: paths * (length - 1) });
  });

  it('of a bidiagonal rectangle whose rows and columns were shuffled apart', () => {
    const rows = 60;
    const colIdx = Array.from({ length: rows }, (_, i) => [i, i + 1]).flat();
    const matrix = csrMatrix({
      rows,
      cols: rows + 1,
      rowPtr: Array.from({ length: rows + 1 }, (_, i) => 2 * i),
      colIdx,
    });
    const apart = permuteMatrix(matrix, {
      rowOrder: Uint32Array.from({ length: rows }, (_, i) => (i * 7) % rows),
      colOrder: Uint32Array.from({ length: rows + 1 }, (_, j) => (j * 17) % (rows + 1)),
    });
    expect(bandOf(apart).bandwidth).toBe(1);
  });
});

/** SciPy 1.17.1, `reverse_cuthill_mckee(A, symmetric_mode=True)`: bandwidth and profile as `matrixStatistics` counts them. */
const SCIPY: readonly [folder: 'large' | 'small', name: string, bandwidth: number, profile: number][] = [
  ['large', 'bcsstk29', 904, 7446342],
  ['large', 'copter2', 2422, 71878420],
  ['large', 'delaunay_n15', 941, 15495770],
  ['large', 'luxembourg', 290, 16816909],
  ['large', 'mdual', 5066, 840471254],
  ['large', 'rgg_n_2_15_s0', 431, 7835347],
  ['small', '1138_bus', 141, 49792],
  ['small', '4elt', 612, 5805447],
  ['small', 'LFAT5', 3, 19],
  ['small', 'bcspwr01', 8, 150],
  ['small', 'bcsstk13', 431, 532653],
  ['small', 'karate', 16, 185],
  ['small', 'plskz362', 34, 6634],
  ['small', 'skew_fp64', 3, 12],
];

describe.skipIf(!haveMatrices)(`within 10 % of SciPy, or better${skipNote}`, () => {
  it.each(SCIPY)('%s/%s: bandwidth %i, profile %i', async (folder, name, bandwidth, profile) => {
    const found = bandOf(await realMatrix(folder, name));
    expect(found.bandwidth).toBeLessThanOrEqual(1.1 * bandwidth);
    expect(found.profile).toBeLessThanOrEqual(1.1 * profile);
  });
});
