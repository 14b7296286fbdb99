/** The pieces of a distributed matrix, by hand: the rows of ranks, their own and ghost columns, and who sends what. */
import { describe, expect, test } from 'vitest';
import {
  CsrBuilder,
  checkPermutation,
  csrMatrix,
  gallery,
  partition,
  permuteMatrix,
  rowsOfRank,
} from '#dist/index.node.js';
import { divideRows, rangesOfOwners } from '#dist/ranks/halo.js';

/**
 * Rows of a rank that owns columns 2 and 3 of 6:
 *
 *     [ 1 . 2 . . 3 ]
 *     [ . . . 4 . . ]
 *     [ . . . . . . ]
 */
const ROWS = csrMatrix({ rows: 3, cols: 6, rowPtr: [0, 3, 4, 4], colIdx: [0, 2, 5, 3], values: [1, 2, 3, 4] });

describe('rows of a rank', () => {
  test('are divided into own and ghost columns, each numbered from 0', () => {
    const { own, ghost, boundaryRows, ghosts } = divideRows(ROWS, 1, Float64Array.of(0, 2, 4, 6));
    expect(own).toMatchObject({ rows: 3, cols: 2, nnz: 2 });
    expect([[...own.rowPtr], [...own.colIdx], [...own.values]]).toEqual([
      [0, 1, 2, 2],
      [0, 1],
      [2, 4],
    ]);
    expect(ghost).toMatchObject({ rows: 1, cols: 2, nnz: 2 });
    expect([[...ghost.rowPtr], [...ghost.colIdx], [...ghost.values]]).toEqual([
      [0, 2],
      [0, 1],
      [1, 3],
    ]);
    expect([...boundaryRows]).toEqual([0]);
    expect([...ghosts]).toEqual([0, 5]);
  });

  test('with nothing but ghosts, and with none', () => {
    const columns = Float64Array.of(0, 6, 6);
    const nothing = divideRows(ROWS, 1, columns);
    // Two of three rows have ghosts: so the part has all of them.
    expect(nothing).toMatchObject({ own: { cols: 0, nnz: 0 }, ghost: { rows: 3, cols: 4, nnz: 4 } });
    expect([[...nothing.ghost.rowPtr], [...nothing.boundaryRows]]).toEqual([
      [0, 3, 4, 4],
      [0, 1, 2],
    ]);
    expect(divideRows(ROWS, 0, columns)).toMatchObject({ own: { nnz: 4 }, ghost: { rows: 0, cols: 0, nnz: 0 } });
  });

  test('with ghosts that are most of a range, and with too few', () => {
    // A row of rank 0, of one column, with all but every fifth of those of rank 1, and every other one of those of rank 2.
    const [first, second] = [1, 5001];
    const dense = Array.from({ length: 4000 }, (_, i) => first + Math.floor((5 * i) / 4));
    const sparse = Array.from({ length: 2000 }, (_, i) => second + 2 * i);
    const colIdx = [0, ...dense, ...sparse];
    const row = csrMatrix({ rows: 1, cols: 10_001, rowPtr: [0, colIdx.length], colIdx });
    const { ghosts, ghost } = divideRows(row, 0, Float64Array.of(0, first, second, 10_001));
    const filled = Array.from({ length: dense.at(-1)! - first + 1 }, (_, i) => first + i);
    expect([...ghosts]).toEqual([...filled, ...sparse]);
    expect(Array.from(ghost.colIdx, (place) => ghosts[place])).toEqual([...dense, ...sparse]);
  });
});

test('the ghosts of an owner are a range', () => {
  // Rank 2 owns no columns.
  const columns = Float64Array.of(0, 2, 4, 4, 6);
  expect(rangesOfOwners(Uint32Array.of(0, 4, 5), columns)).toEqual([
    { rank: 0, begin: 0, end: 1 },
    { rank: 3, begin: 1, end: 3 },
  ]);
  expect(rangesOfOwners(new Uint32Array(), columns)).toEqual([]);
});

describe('a partition', () => {
  const grid = gallery('laplace2d5', { nx: 20, ny: 30 });
  const order = Uint32Array.from({ length: grid.rows }, (_, i) => (i * 7) % grid.rows);
  const shuffled = permuteMatrix(grid, { rowOrder: order, colOrder: order });

  test('has ranges of equal work, and counts the halo', () => {
    const { bounds, halo, imbalance, name } = partition(grid, 3, { order: 'natural' });
    expect(name).toBe('natural');
    expect([...bounds]).toEqual([0, 201, 399, 600]);
    expect(halo).toEqual([20, 40, 20]);
    expect(imbalance).toBeLessThan(1.01);
  });

  test('takes the order with the smaller halo', () => {
    const kept = partition(grid, 3);
    expect(kept.name).toBe('natural');
    const { name, halo } = partition(shuffled, 3);
    expect(name).toBe('rcm');
    expect(Math.max(...halo)).toBeLessThan(100);
    expect(Math.min(...partition(shuffled, 3, { order: 'natural' }).halo)).toBeGreaterThan(250);
    expect(Math.max(...partition(shuffled, 3, { order: 'bandk' }).halo)).toBeLessThan(150);
  });

  test('by bisection every row has one place, and the halos of many ranks are smaller than by RCM', () => {
    const mesh = gallery('laplace2d5', { nx: 100, ny: 100 });
    for (const ranks of [1, 5, 16]) {
      const { order: halves, imbalance, halo, name } = partition(mesh, ranks, { order: 'bisection' });
      expect(name).toBe('bisection');
      expect(checkPermutation('order', halves!, mesh.rows)).toEqual(halves);
      expect(imbalance).toBeLessThan(1.02);
      const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
      if (ranks === 16) expect(total(halo)).toBeLessThan(0.75 * total(partition(mesh, ranks, { order: 'rcm' }).halo));
    }
    // Without an edge, and with a row that all others meet.
    expect(
      partition(csrMatrix({ rows: 200, cols: 200, rowPtr: new Uint32Array(201), colIdx: [] }), 3, {
        order: 'bisection',
      }).halo,
    ).toEqual([0, 0, 0]);
    const star = new CsrBuilder(300, 300);
    for (let i = 1; i < 300; i++) {
      star.add(0, i, 1);
      star.add(i, 0, 1);
    }
    const { order: ofStar } = partition(star.build(), 4, { order: 'bisection' });
    expect(checkPermutation('order', ofStar!, 300)).toEqual(ofStar);
  });

  test('may have empty ranks, and matrices that are not square', () => {
    expect([...partition(csrMatrix({ rows: 1, cols: 1, rowPtr: [0, 1], colIdx: [0] }), 3).bounds].at(-1)).toBe(1);
    const wide = csrMatrix({ rows: 2, cols: 4, rowPtr: [0, 2, 4], colIdx: [0, 3, 1, 2] });
    // Columns are dealt evenly: rank 0 has 0 and 1.
    expect(partition(wide, 2).halo).toEqual([1, 1]);
    expect(() => partition(wide, 2, { order: 'rcm' })).toThrow(
      "order: expected 'natural' for a matrix that is not square",
    );
  });

  test('of nodes keeps the rows of each together', () => {
    const body = gallery('elasticity3d', { nx: 4, ny: 4, nz: 4 });
    expect([...partition(body, 7, { order: 'natural' }).bounds].some((bound) => bound % 3 !== 0)).toBe(true);
    for (const name of ['natural', 'rcm', 'bandk', 'bisection', 'auto'] as const) {
      const { bounds, order, imbalance } = partition(body, 7, { order: name, block: 3 });
      for (const bound of bounds) expect(bound % 3).toBe(0);
      expect(imbalance).toBeLessThan(1.2);
      order?.forEach((row, i) => {
        expect(row).toBe(order[i - (i % 3)]! + (i % 3));
      });
      if (order !== undefined) expect(checkPermutation('order', order, body.rows)).toEqual(order);
    }
    expect(() => partition(body, 2, { block: 7 })).toThrow('block: expected a divisor of the rows of a square matrix');
    expect(() => partition(grid, 2, { block: 0 })).toThrow('block: expected an integer from 1 to 600');
  });

  test('gives each rank its rows of the reordered matrix', () => {
    const dealt = partition(shuffled, 3, { order: 'rcm' });
    const whole = permuteMatrix(shuffled, { rowOrder: dealt.order!, colOrder: dealt.order! });
    for (const rank of [0, 1, 2]) {
      const { firstRow, rows, symmetry, field, ...arrays } = rowsOfRank(shuffled, dealt, rank);
      expect([firstRow, rows]).toEqual([dealt.bounds[rank], dealt.bounds[rank + 1]! - dealt.bounds[rank]!]);
      const mine = csrMatrix({ ...arrays, rows });
      const [from, to] = [whole.rowPtr[firstRow]!, whole.rowPtr[firstRow + rows]!];
      expect(mine.colIdx).toEqual(whole.colIdx.slice(from, to));
      expect(mine.values).toEqual(whole.values.slice(from, to));
    }
  });
});
