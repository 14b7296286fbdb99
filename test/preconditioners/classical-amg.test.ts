/** Multigrid by classical interpolation: its levels by hand. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { Owned } from '#dist/core/owned.js';
import { cg, createEngine, csrMatrix, type Engine, gallery, precondition } from '#dist/index.node.js';
import { type ClassicalWish, classicalCoarsening } from '#dist/preconditioners/amg/classical/coarsening.js';
import { dependences } from '#dist/preconditioners/amg/classical/dependence.js';
import { INTERPOLATIONS } from '#dist/preconditioners/amg/classical/interpolation.js';
import { split } from '#dist/preconditioners/amg/classical/splitting.js';
import { dense } from './dense.js';
import { levelsOf } from './solved.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

const WISH: ClassicalWish = { theta: 0.25, interpolation: 'extended', entries: 4 };

/** The first prolongation of a matrix, and the rows that depend on something. */
function firstLevel(matrix: CsrMatrix, wish: Partial<ClassicalWish> = {}) {
  using owned = new Owned();
  const coarsen = classicalCoarsening({ ...WISH, ...wish });
  const { levels } = levelsOf(engine, matrix, { coarsen, coarsest: 1 }, owned);
  return levels[0]!.prolongation.toCsr();
}

/** What the rows of a matrix depend on, and the number of each among the coarse ones; −1 of a fine one. */
function splitting(input: CsrMatrix, theta = 0.25) {
  using scope = engine.heap.scope();
  using matrix = engine.matrix(input);
  const strong = dependences(engine.context, scope, matrix, theta);
  const { count, coarse } = split(engine.context, scope, strong);
  const depends = Array.from({ length: input.rows }, (_, i) => [
    ...strong.idx.slice(strong.ptr[i]!, strong.ptr[i + 1]!),
  ]);
  return { depends, count, coarse: Array.from(coarse, (number) => (number < count ? number : -1)) };
}

function converges(matrix: CsrMatrix, spec: string): boolean {
  using A = engine.operator(matrix);
  using M = precondition(engine, matrix, spec);
  return cg(A, new Float64Array(A.rows).fill(1), { preconditioner: M }).converged;
}

describe('dependence', () => {
  test('is relative to the most negative entry of the row; positive entries and the diagonal are never strong', () => {
    const matrix = csrMatrix([
      [4, -4, -1, -0.99, 3],
      [-4, 4, 0, 0, 0],
      [-1, 0, 4, -1, 0],
      [-0.99, 0, -1, 4, 1],
      [3, 0, 0, 1, 4],
    ]);
    expect(splitting(matrix).depends).toEqual([[1, 2], [0], [0, 3], [0, 2], []]);
    expect(splitting(matrix, 1).depends).toEqual([[1], [0], [0, 3], [2], []]);
    expect(splitting(matrix, 0).depends).toEqual([[1, 2, 3], [0], [0, 3], [0, 2], []]);
  });

  test('is on nothing in a row whose diagonal is much larger than the others', () => {
    const { depends, coarse, count } = splitting(
      csrMatrix([
        [100, -1, 0],
        [-1, 2, -1],
        [0, -1, 1],
      ]),
    );
    expect(depends).toEqual([[], [0, 2], [1]]);
    expect([coarse[0], count]).toEqual([-1, 1]);
  });
});

describe('splitting', () => {
  test.each([
    gallery('laplace2d5', { nx: 40, ny: 30 }),
    gallery('laplace3d7', { nx: 9, ny: 8, nz: 7 }),
    gallery('diffusion2d', { nx: 40, ny: 40 }),
    gallery('delaunay', { n: 2000 }),
  ])('coarse rows are independent, and each fine row depends on one of them (%#)', (matrix) => {
    const { depends, coarse } = splitting(matrix);
    for (const [i, columns] of depends.entries()) {
      const isOnCoarse = columns.some((j) => coarse[j]! >= 0);
      if (coarse[i]! >= 0) expect(columns.filter((j) => coarse[j]! >= 0 && depends[j]!.includes(i))).toEqual([]);
      else expect(isOnCoarse).toBe(columns.length > 0);
    }
    const numbers = coarse.filter((number) => number >= 0);
    expect(numbers).toEqual([...numbers.keys()]);
  });

  test('a row on which most depend is coarse', () => {
    const n = 20;
    const star = csrMatrix(
      Array.from({ length: n }, (_, i) =>
        Array.from({ length: n }, (_, j) => (i === j ? (i === 7 ? n - 1 : 1) : i === 7 || j === 7 ? -1 : 0)),
      ),
    );
    const { coarse, count } = splitting(star);
    expect([coarse[7], count]).toEqual([0, 1]);
    expect(dense(firstLevel(star))).toEqual(Array.from({ length: n }, () => [1]));
  });
});

describe('interpolation', () => {
  test('of a path, by hand: a half of each neighbour, or by distance between the next ones', () => {
    const n = 60;
    const path = gallery('laplace1d3', { nx: n });
    const { coarse } = splitting(path);
    const places = coarse.flatMap((number, row) => (number >= 0 ? [row] : []));
    const expected = Array.from({ length: n }, (_, row) => {
      const line = new Array<number>(places.length).fill(0);
      const right = places.findIndex((place) => place >= row);
      if (places[right] === row) return line.with(right, 1);
      // Beyond the first and the last coarse row there is the boundary, which is 0.
      const next = right === -1 ? places.length : right;
      const [a, b] = [places[next - 1] ?? -1, places[next] ?? n];
      if (next > 0) line[next - 1] = (b - row) / (b - a);
      if (next < places.length) line[next] = (row - a) / (b - a);
      return line;
    });
    const between = places.slice(1).map((place, k) => place - places[k]!);
    expect([Math.min(...between), Math.max(...between)]).toEqual([2, 3]);
    const P = dense(firstLevel(path));
    for (const [row, line] of P.entries())
      for (const [k, w] of line.entries()) expect(w).toBeCloseTo(expected[row]![k]!, 14);
    const direct = dense(firstLevel(path, { interpolation: 'direct' }));
    for (const [row, line] of direct.entries()) {
      const near = [row - 1, row + 1].filter((place) => coarse[place]! >= 0);
      const inside = row > 0 && row < n - 1;
      if (coarse[row]! < 0 && inside)
        expect(near.map((place) => line[coarse[place]!])).toEqual(near.map(() => 1 / near.length));
    }
  });

  test.each(INTERPOLATIONS)('%s: extended+i of one fine neighbour, or direct weights, by hand', (interpolation) => {
    // Row 0 is fine, and depends on 1 (fine) and 2 (coarse); 1 depends on 3 (coarse). Rows 2 and 3 have many dependents: 4 … 9.
    const n = 10;
    const rows = Array.from({ length: n }, () => new Array<number>(n).fill(0));
    const couple = (i: number, j: number, value: number) => {
      rows[i]![j] = -value;
      rows[j]![i] = -value;
    };
    couple(0, 1, 2);
    couple(0, 2, 3);
    couple(1, 3, 4);
    for (const leaf of [4, 5, 6]) couple(2, leaf, 5);
    for (const leaf of [7, 8, 9]) couple(3, leaf, 5);
    for (const [i, row] of rows.entries()) row[i] = 1 - row.reduce((sum, value) => sum + value, 0);
    const matrix = csrMatrix(rows);
    expect(splitting(matrix).coarse).toEqual([-1, -1, 0, 1, -1, -1, -1, -1, -1, -1]);
    const [first] = dense(firstLevel(matrix, { interpolation }));
    // b_01 = −4 − 2: two thirds of the coupling 2 go to row 3, a third to the diagonal, 6.
    const expected = interpolation === 'direct' ? [(5 / 3 / 6) * 3, 0] : [3 / (6 - 2 / 3), 4 / 3 / (6 - 2 / 3)];
    expect(first![0]).toBeCloseTo(expected[0]!, 14);
    expect(first![1]).toBeCloseTo(expected[1]!, 14);
  });

  test.each(INTERPOLATIONS)(
    '%s: constants are interpolated where the row sums of an M-matrix are 0',
    (interpolation) => {
      const matrix = gallery('diffusion2d', { nx: 40, ny: 40, jump: 1e6, squares: 4 });
      for (const entries of [1, 2, 4, 100]) {
        const P = firstLevel(matrix, { interpolation, entries });
        for (let row = 0; row < P.rows; row++) {
          const [x, y] = [row % 40, Math.floor(row / 40)];
          // From a row beside the boundary, the extended one takes less.
          if (Math.min(x, y, 39 - x, 39 - y) < 2) continue;
          const weights = Array.from(P.values.subarray(P.rowPtr[row]!, P.rowPtr[row + 1]!));
          expect(weights.length).toBeGreaterThan(0);
          expect(weights.length).toBeLessThanOrEqual(entries);
          expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
          expect(Math.min(...weights)).toBeGreaterThan(0);
        }
      }
    },
  );

  test('the largest weights stay, in the order of their columns', () => {
    const matrix = gallery('laplace2d9', { nx: 20, ny: 20 });
    const whole = firstLevel(matrix, { entries: 100 });
    const cut = firstLevel(matrix, { entries: 2 });
    let shorter = 0;
    for (let row = 0; row < whole.rows; row++) {
      const of = ({ rowPtr, colIdx, values }: CsrMatrix) =>
        [...colIdx.subarray(rowPtr[row]!, rowPtr[row + 1]!)].map((col, k) => ({ col, w: values[rowPtr[row]! + k]! }));
      const [all, kept] = [of(whole), of(cut)];
      expect(kept.map(({ col }) => col)).toEqual(kept.map(({ col }) => col).toSorted((a, b) => a - b));
      const sizes = all.map(({ w }) => Math.abs(w)).toSorted((a, b) => b - a);
      const least = sizes[Math.min(2, sizes.length) - 1]!;
      for (const { col } of kept)
        expect(Math.abs(all.find((entry) => entry.col === col)!.w)).toBeGreaterThanOrEqual(least);
      shorter += Number(all.length > kept.length);
    }
    expect(shorter).toBeGreaterThan(100);
  });
});

describe('rows that are not those of an M-matrix', () => {
  test('identity rows, rows of zeros and rows with positive couplings alone are left to the smoother', () => {
    const grid = dense(gallery('laplace2d5', { nx: 6, ny: 6 }));
    const n = 39;
    const rows = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => grid[i]?.[j] ?? 0));
    // Row 36 fixes an unknown, 37 and 38 have a positive coupling.
    rows[36]![36] = 1;
    for (const [i, j] of [
      [37, 38],
      [38, 37],
    ] as const)
      [rows[i]![i], rows[i]![j]] = [2, 1];
    const matrix = csrMatrix(rows);
    const P = firstLevel(matrix);
    expect([36, 37, 38].map((row) => P.rowPtr[row + 1]! - P.rowPtr[row]!)).toEqual([0, 0, 0]);
    for (const interpolation of INTERPOLATIONS)
      expect(converges(matrix, `classical-amg?coarsest=4&interpolation=${interpolation}`)).toBe(true);
    const zeros = csrMatrix(rows.map((row, i) => (i === 36 ? row.map(() => 0) : row)));
    expect(firstLevel(zeros).values.every(Number.isFinite)).toBe(true);
  });

  test('nothing is interpolated from a row that is fixed', () => {
    // Row 0 is fixed, and its column is still there.
    const matrix = csrMatrix([
      [1, 0, 0, 0],
      [-1, 2, -1, 0],
      [0, -1, 2, -1],
      [0, 0, -1, 2],
    ]);
    const { coarse } = splitting(matrix);
    expect(coarse[0]).toBe(-1);
    const P = firstLevel(matrix);
    expect(P.rowPtr[1]).toBe(0);
  });

  test('a matrix without couplings has one level', () => {
    const index = Uint32Array.from({ length: 30 }, (_, i) => i);
    const matrix = csrMatrix({
      rows: 30,
      cols: 30,
      rowIdx: index,
      colIdx: index,
      values: new Float64Array(30).fill(2),
    });
    using M = precondition(engine, matrix, 'classical-amg?coarsest=4');
    expect(M.explain().levels).toHaveLength(1);
  });
});
