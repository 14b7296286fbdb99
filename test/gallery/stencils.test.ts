import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matrixStatistics } from '#dist/features/statistics.js';
import { gallery } from '#dist/gallery/registry.js';
import { rowsOfGallery } from '#dist/gallery/rows.js';
import { sliceRows } from '#dist/index.node.js';
import { denseOf } from './arbitrary.js';

describe('Bell & Garland 2008, Table 3', () => {
  test.each([
    ['laplace1d3', 2_999_998, 3],
    ['laplace2d5', 4_996_000, 5],
    ['laplace2d9', 8_988_004, 9],
    ['laplace3d7', 6_940_000, 7],
    ['laplace3d27', 26_463_592, 27],
  ])('%s has 1,000,000 rows and %i entries by default', (name, nnz, points) => {
    const matrix = gallery(name);
    expect([matrix.rows, matrix.cols, matrix.nnz]).toEqual([1_000_000, 1_000_000, nnz]);
    expect(matrix.rowPtr[1_000_000]).toBe(nnz);
    const middle = name.startsWith('laplace3d') ? 50 * 10_000 + 50 * 100 + 50 : 500 * 1000 + 500;
    expect(matrix.rowPtr[middle + 1]! - matrix.rowPtr[middle]!).toBe(points);
  });

  test.each([
    ['laplace1d3', 3],
    ['laplace2d5', 5],
    ['laplace2d9', 9],
    ['laplace3d7', 7],
    ['laplace3d27', 27],
  ])('%s occupies %i diagonals', (name, diagonals) => {
    const statistics = matrixStatistics(gallery(name, sides(name, 5, 4, 6)));
    expect(statistics.occupiedDiagonals).toBe(diagonals);
    expect(statistics.symmetry).toBe('symmetric');
  });
});

const BOXES: Record<string, boolean> = {
  laplace1d3: false,
  laplace2d5: false,
  laplace2d9: true,
  laplace3d7: false,
  laplace3d27: true,
};

function sides(name: string, nx: number, ny: number, nz: number): Record<string, number> {
  const dimensions = Number(/(\d)d/.exec(name)![1]);
  return Object.fromEntries(Object.entries({ nx, ny, nz }).slice(0, dimensions));
}

/** Entry by entry, from the definition. */
function bruteForce(name: string, nx: number, ny: number, nz: number): number[][] {
  const dimensions = Object.keys(sides(name, nx, ny, nz)).length;
  const [my, mz] = [dimensions > 1 ? ny : 1, dimensions > 2 ? nz : 1];
  const centre = BOXES[name] ? 3 ** dimensions - 1 : 2 * dimensions;
  const place = (p: number) => [p % nx, Math.floor(p / nx) % my, Math.floor(p / (nx * my))];
  const n = nx * my * mz;
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => {
      const distances = place(i).map((at, axis) => Math.abs(at - place(j)[axis]!));
      if (i === j) return centre;
      const isNear = Math.max(...distances) === 1;
      const steps = distances[0]! + distances[1]! + distances[2]!;
      return isNear && (BOXES[name] || steps === 1) ? -1 : 0;
    }),
  );
}

test.each(Object.keys(BOXES))('%s is its stencil on every grid, one point wide or more', (name) => {
  const side = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(side, side, side, (nx, ny, nz) => {
      const matrix = gallery(name, sides(name, nx, ny, nz));
      expect(denseOf(matrix)).toEqual(bruteForce(name, nx, ny, nz));
      expect(matrix.values.every((value) => value !== 0)).toBe(true);
      expect([matrix.field, matrix.symmetry]).toEqual(['integer', 'symmetric']);
    }),
    { numRuns: 40 },
  );
});

test.each(Object.keys(BOXES))('rows of %s are made without the others', (name) => {
  const side = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(side, side, side, fc.nat(), fc.nat(), fc.boolean(), (nx, ny, nz, from, to, ones) => {
      const given = { ...sides(name, nx, ny, nz), ...(ones && { values: 'ones' }) };
      const whole = gallery(name, given);
      const end = to % (whole.rows + 1);
      const begin = from % (end + 1);
      const { part, firstRow, symmetry } = rowsOfGallery(name, given, () => [begin, end])!;
      expect(part).toEqual(sliceRows({ ...whole, symmetry: 'general' }, begin, end));
      expect([firstRow, symmetry]).toEqual([begin, whole.symmetry]);
    }),
    { numRuns: 40 },
  );
});

test('rows of a matrix that is too large as a whole', () => {
  const given = { nx: 1000, ny: 1000, nz: 1000 };
  expect(() => gallery('laplace3d27', given)).toThrow('gallery:laplace3d27 entries: expected at most 1073741824');
  const { part } = rowsOfGallery('laplace3d27', given, (rows) => [rows / 2, rows / 2 + 1000])!;
  expect([part.rows, part.cols, part.nnz]).toEqual([1000, 1e9, 18 * 998 + 12 * 2]);
  expect(() => rowsOfGallery('laplace3d27', given, (rows) => [0, rows / 2])).toThrow('entries: expected at most');
});

test('an inner row sums to 0, a row at the boundary to the number of neighbours that are missing', () => {
  const { rowPtr, values } = gallery('laplace3d27', { nx: 3, ny: 3, nz: 3 });
  const rowSum = (i: number) =>
    Array.from(values.subarray(rowPtr[i]!, rowPtr[i + 1]!)).reduce((sum, value) => sum + value);
  expect(rowSum(13)).toBe(0);
  expect(rowSum(12)).toBe(9);
  expect(rowSum(0)).toBe(26 - 7);
});

test('dense holds every entry, of any shape', () => {
  const matrix = gallery('dense', { rows: 3, cols: 5, values: 'ones' });
  expect(denseOf(matrix)).toEqual([
    [1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1],
    [1, 1, 1, 1, 1],
  ]);
  expect(gallery('dense', { rows: 0, cols: 5 }).nnz).toBe(0);
  expect(gallery('dense', { rows: 5, cols: 0 }).rowPtr).toEqual(new Uint32Array(6));
  expect(gallery('dense', { rows: 4, cols: 4, values: 'ones' }).symmetry).toBe('symmetric');
});
