/** The pieces of a distributed matrix, by hand: the rows of ranks, their own and ghost columns, and who sends what. */
import { describe, expect, test } from 'vitest';
import {
  CsrBuilder,
  checkPermutation,
  csrMatrix,
  gallery,
  inversePermutation,
  partition,
  permuteMatrix,
  rowsOfRank,
} from '#dist/index.node.js';
import { divideRows } from '#dist/ranks/division.js';
import { rangesOfOwners } from '#dist/ranks/halo.js';

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

  const haloOf = ({ halo }: { readonly halo: readonly number[] }) => halo.reduce((sum, one) => sum + one, 0);

  test('takes the order with the smallest halo', () => {
    expect(partition(grid, 3).name).toBe('natural');
    const [auto, rcm, kway] = [undefined, 'rcm', 'kway'].map((order) => partition(shuffled, 3, { order } as object));
    expect(haloOf(auto!)).toBe(Math.min(haloOf(rcm!), haloOf(kway!)));
    expect(Math.max(...rcm!.halo)).toBeLessThan(100);
    expect(Math.min(...partition(shuffled, 3, { order: 'natural' }).halo)).toBeGreaterThan(250);
    expect(Math.max(...partition(shuffled, 3, { order: 'bandk' }).halo)).toBeLessThan(150);
  });

  test('by parts of the graph keeps the better order of the rows in a part', () => {
    const bases = [gallery('laplace3d27', { nx: 12, ny: 12, nz: 12 }), gallery('delaunay', { n: 3000 })].map(
      (matrix) => {
        const { name, order, bounds } = partition(matrix, 16);
        expect(name).toBe('kway');
        const [natural, rcm] = (['natural', 'rcm'] as const).map((base) => partition(matrix, 16, { order: base }));
        const base = haloOf(rcm!) < haloOf(natural!) ? rcm! : natural!;
        const place = base.order && inversePermutation(base.order);
        for (let rank = 0; rank < 16; rank++) {
          const own = order!.subarray(bounds[rank], bounds[rank + 1]);
          const places = [...own].map((row) => place?.[row] ?? row);
          expect(places).toEqual(places.toSorted((one, other) => one - other));
        }
        return base.name;
      },
    );
    expect(bases).toEqual(['natural', 'rcm']);
  });

  test('by parts of the graph of few rows, of none, without entries, and with a row that all others meet', () => {
    const kway = (matrix: Parameters<typeof partition>[0], ranks: number) => {
      const dealt = partition(matrix, ranks, { order: 'kway' });
      expect(dealt.bounds.length).toBe(ranks + 1);
      expect([...dealt.bounds]).toEqual([...dealt.bounds].toSorted((one, other) => one - other));
      expect(checkPermutation('order', dealt.order!, dealt.order!.length)).toEqual(dealt.order);
      expect(dealt.bounds.at(-1)).toBe(dealt.order!.length);
      return dealt;
    };
    const without = (rows: number) => csrMatrix({ rows, cols: rows, rowPtr: new Uint32Array(rows + 1), colIdx: [] });
    expect(kway(without(0), 3).halo).toEqual([0, 0, 0]);
    const { halo, bounds } = kway(without(200), 4);
    expect([halo, [...bounds]]).toEqual([
      [0, 0, 0, 0],
      [0, 50, 100, 150, 200],
    ]);
    expect(kway(grid, 1).halo).toEqual([0]);
    const { bounds: ofSmall } = kway(gallery('laplace2d5', { nx: 3, ny: 2 }), 20);
    // Every row has a rank of its own.
    expect(Math.max(...ofSmall.subarray(1).map((bound, rank) => bound - ofSmall[rank]!))).toBe(1);
    const star = new CsrBuilder(300, 300);
    for (let i = 1; i < 300; i++) {
      star.add(0, i, 1);
      star.add(i, 0, 1);
    }
    const { bounds: ofStar } = kway(star.build(), 4);
    expect(Math.max(...ofStar.subarray(1).map((bound, rank) => bound - ofStar[rank]!))).toBeLessThan(110);
  });

  test('by parts of a graph that is not connected cuts no more than it must', () => {
    // Four grids of equal size: one for each rank.
    const small = gallery('laplace2d5', { nx: 12, ny: 12 });
    const many = new CsrBuilder(4 * small.rows, 4 * small.rows);
    for (let copy = 0; copy < 4; copy++)
      for (let i = 0; i < small.rows; i++)
        for (let k = small.rowPtr[i]!; k < small.rowPtr[i + 1]!; k++)
          many.add(4 * i + copy, 4 * small.colIdx[k]! + copy, 1);
    expect(partition(many.build(), 4, { order: 'kway' }).halo).toEqual([0, 0, 0, 0]);
  });

  test('by coordinates gives boxes of equal work', () => {
    const points = Float64Array.from({ length: 2 * grid.rows }, (_, k) =>
      k % 2 === 0 ? Math.floor(k / 2) % 20 : Math.floor(k / 40),
    );
    const { name, bounds, order, imbalance, halo } = partition(grid, 4, { coordinates: points });
    expect(name).toBe('coordinates');
    expect(imbalance).toBeLessThan(1.03);
    expect(haloOf({ halo })).toBe(100);
    const own = order!.subarray(0, bounds[1]);
    expect(Math.max(...own.map((row) => row % 20))).toBeLessThan(10);
    expect(Math.max(...own.map((row) => Math.floor(row / 20)))).toBeLessThan(15);
    expect([...own]).toEqual([...own].toSorted((one, other) => one - other));
    expect(partition(grid, 7, { coordinates: points }).imbalance).toBeLessThan(1.1);
  });

  test('by coordinates of three dimensions, of nodes, and of points at one place', () => {
    const body = gallery('elasticity3d', { nx: 4, ny: 4, nz: 4 });
    const points = Float64Array.from({ length: 3 * body.rows }, (_, k) => Math.sin(Math.floor(k / 9) * 7 + (k % 3)));
    const { bounds, order } = partition(body, 5, { coordinates: points, block: 3 });
    for (const bound of bounds) expect(bound % 3).toBe(0);
    order!.forEach((row, i) => {
      expect(row).toBe(order![i - (i % 3)]! + (i % 3));
    });
    expect(checkPermutation('order', order!, body.rows)).toEqual(order);
    const atOnePlace = partition(grid, 3, { coordinates: new Float64Array(2 * grid.rows) });
    expect([...atOnePlace.order!]).toEqual([...atOnePlace.order!].toSorted((one, other) => one - other));
    expect(atOnePlace.imbalance).toBeLessThan(1.02);
  });

  test('refuses coordinates that are not those of the rows', () => {
    const points = new Float64Array(2 * grid.rows);
    expect(() => partition(grid, 2, { coordinates: points.subarray(1) })).toThrow(
      'coordinates: expected 2 or 3 numbers for each row of a square matrix, 600 × 600, got 1199',
    );
    expect(() => partition(grid, 2, { coordinates: points, order: 'kway' })).toThrow(
      "order: expected none beside coordinates, got 'kway'",
    );
    expect(() => partition(grid, 2, { coordinates: points.with(3, Number.NaN) })).toThrow(
      'coordinates[3]: expected a finite number, got NaN',
    );
    expect(() => partition(grid, 2, { coordinates: [1, 2] as never })).toThrow('coordinates: expected a Float64Array');
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
    for (const name of ['natural', 'rcm', 'bandk', 'kway', 'auto'] as const) {
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
