import { expect, test } from 'vitest';
import { matrixStatistics } from '#dist/features/statistics.js';
import { gallery } from '#dist/gallery/registry.js';
import { entriesOf } from './arbitrary.js';

const EXTENTS = { nx: 3, ny: 4, nz: 5, nt: 6 };

test('8⁴ sites: the rows and entries of conf5_4-8x8-05', () => {
  const { rows, nnz } = gallery('qcd');
  expect([rows, nnz]).toEqual([49_152, 1_916_928]);
});

test('13 blocks of 3 × 3 in every row, none on the diagonal, symmetric except in the direction of time', () => {
  const matrix = gallery('qcd', EXTENTS);
  const { rowLengths, diagonalEntries, patternSymmetry } = matrixStatistics(matrix);
  expect([rowLengths.min, rowLengths.max, diagonalEntries]).toEqual([39, 39, 0]);
  expect(patternSymmetry).toBeCloseTo(36 / 39, 12);
  for (let i = 0; i < matrix.rows; i += 3) {
    const blockRow = matrix.colIdx.slice(39 * i, 39 * (i + 1));
    expect(blockRow.every((column, k) => column % 3 === k % 3)).toBe(true);
    expect(matrix.colIdx.slice(39 * (i + 1), 39 * (i + 2))).toEqual(blockRow);
    expect(matrix.colIdx.slice(39 * (i + 2), 39 * (i + 3))).toEqual(blockRow);
  }
});

test('a site is coupled to its neighbours along each axis, periodically, and to no other', () => {
  const sizes = Object.values(EXTENTS);
  const place = (row: number) => {
    let site = Math.floor(row / 12);
    return sizes.map((size) => {
      const at = site % size;
      site = Math.floor(site / size);
      return at;
    });
  };
  const perAxis = [0, 0, 0, 0];
  const wrong: string[] = [];
  for (const [i, j] of entriesOf(gallery('qcd', EXTENTS))) {
    const there = place(j);
    const steps = place(i).map((at, axis) => (there[axis]! - at + sizes[axis]!) % sizes[axis]!);
    const axis = steps.findIndex((step) => step !== 0);
    const forward = steps[axis] === 1;
    const backward = steps[axis] === sizes[axis]! - 1;
    const spin = Math.floor(i / 3) % 4;
    const isCoupled = axis === 3 ? (spin < 2 ? backward : forward) : forward || backward;
    if (!isCoupled || steps.filter((step) => step !== 0).length !== 1) wrong.push(`${i},${j}`);
    perAxis[axis]!++;
  }
  expect(wrong).toEqual([]);
  const rows = 12 * 3 * 4 * 5 * 6;
  expect(perAxis).toEqual([12 * rows, 12 * rows, 12 * rows, 3 * rows]);
});
