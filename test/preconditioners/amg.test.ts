/** Multigrid by smoothed aggregation: its levels by hand, and what it refuses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { Owned } from '#dist/core/owned.js';
import { createEngine, csrMatrix, type Engine, gallery, precondition, rigidBodyModes } from '#dist/index.node.js';
import type { Hierarchy, HierarchyWish } from '#dist/preconditioners/amg/hierarchy.js';
import { smoothedAggregation } from '#dist/preconditioners/amg/smoothed-aggregation.js';
import { dense } from './dense.js';
import { levelsOf, solved } from './solved.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

/** The levels of a matrix, while `use` runs. */
function withLevels<T>(matrix: CsrMatrix, wish: Partial<HierarchyWish>, use: (levels: Hierarchy) => T): T {
  using owned = new Owned();
  return use(levelsOf(engine, matrix, wish, owned));
}

describe('levels', () => {
  /** −1, 2, −1 of 9 rows. */
  const path = csrMatrix(
    Array.from({ length: 9 }, (_, i) =>
      Array.from({ length: 9 }, (_, j) => (i === j ? 2 : Math.abs(i - j) === 1 ? -1 : 0)),
    ),
  );

  test('of a path, by hand', () => {
    // Row 0 takes row 1, and row 2 for a while; row 3 takes rows 2 and 4, and row 5 for a while; row 6 takes rows 5 and 7, and row 8.
    const aggregates = [
      [0, 1],
      [2, 3, 4],
      [5, 6, 7, 8],
    ];
    withLevels(path, {}, ({ levels, coarsest }) => {
      expect(levels).toHaveLength(1);
      const P = dense(levels[0]!.prolongation.toCsr());
      // S = I − ω A / 2, ω = 4/3 by the bound 2 of the eigenvalues of A / 2.
      const a = dense(path);
      const expected = a.map((row, i) =>
        aggregates.map((members) => {
          return members.reduce((total, j) => total + (i === j ? 1 : 0) - (row[j]! * (2 / 3)) / 2, 0);
        }),
      );
      P.forEach((row, i) => {
        row.forEach((value, j) => {
          expect(value).toBeCloseTo(expected[i]![j]!, 14);
        });
      });
      const galerkin = (i: number, j: number) =>
        a.reduce((sum, row, k) => sum + row.reduce((total, value, l) => total + P[k]![i]! * value * P[l]![j]!, 0), 0);
      dense(coarsest.toCsr()).forEach((row, i) => {
        row.forEach((value, j) => {
          expect(value).toBeCloseTo(galerkin(i, j), 14);
        });
      });
    });
  });

  test('weak couplings are added to the diagonal, and rows that have no others belong to no aggregate', () => {
    // Two pairs of rows that are weakly coupled, and a row alone.
    const matrix = csrMatrix([
      [1.01, -1, -0.01, 0, 0],
      [-1, 1.5, 0, 0, 0],
      [-0.01, 0, 1.01, -1, 0],
      [0, 0, -1, 1.5, 0],
      [0, 0, 0, 0, 3],
    ]);
    withLevels(matrix, { coarsest: 2 }, ({ levels }) => {
      const { prolongation } = levels[0]!;
      expect([prolongation.rows, prolongation.cols]).toEqual([5, 2]);
      const P = dense(prolongation.toCsr());
      expect(P[4]).toEqual([0, 0]);
      expect([P[0]![1], P[1]![1], P[2]![0], P[3]![0]]).toEqual([0, 0, 0, 0]);
      // The filtered row 0 is 1, −1, whose sum is 0: the constant stays as it is.
      expect(P[0]![0]).toBeCloseTo(1, 14);
    });
  });

  test('blocks of unknowns form aggregates together, and modes that depend on each other are 0', () => {
    const matrix = gallery('elasticity3d', { nx: 3, ny: 3, nz: 3 });
    const same = new Float64Array(2 * matrix.rows).fill(1);
    const near = { modes: 2, numbers: same };
    const wish = { coarsen: smoothedAggregation(0.08, 3), block: 3, coarsest: 40, near };
    withLevels(matrix, wish, ({ levels, coarsest }) => {
      expect(coarsest.rows % 2).toBe(0);
      const P = dense(levels[0]!.prolongation.toCsr());
      for (let row = 0; row < matrix.rows; row++)
        for (let col = 1; col < coarsest.rows; col += 2) expect(Math.abs(P[row]![col]!)).toBe(0);
      const coarse = dense(coarsest.toCsr());
      for (let col = 1; col < coarsest.rows; col += 2) expect(coarse[col]![col]).toBe(1);
    });
  });

  test('are reported with the rows and the entries of all of them over those of the matrix', () => {
    const matrix = gallery('laplace2d5', { nx: 60, ny: 50 });
    using M = precondition(engine, matrix, 'amg?coarsest=50');
    const { levels, gridComplexity, operatorComplexity } = M.explain();
    withLevels(matrix, { coarsest: 50 }, (hierarchy) => {
      const matrices = [...hierarchy.levels.map((level) => level.matrix), hierarchy.coarsest];
      expect(matrices.length).toBeGreaterThan(2);
      expect(levels).toEqual(matrices.map(({ rows, nnz }) => ({ rows, nnz })));
      const all = (size: (level: CsrMatrix) => number) => matrices.reduce((sum, level) => sum + size(level), 0);
      expect(gridComplexity).toBe(all(({ rows }) => rows) / 3000);
      expect(operatorComplexity).toBe(all(({ nnz }) => nnz) / matrix.nnz);
    });
  });

  test('of a matrix that is small enough to be factored at once', () => {
    using M = precondition(engine, path, 'amg');
    const one = { levels: [{ rows: 9, nnz: 25 }], gridComplexity: 1, operatorComplexity: 1 };
    expect(M.explain()).toMatchObject(one);
  });

  test('of a matrix that is not symmetric: aggregates of its symmetric part, by hand', () => {
    // Wind along a path: each row depends on the row before alone, except for 0.01.
    const wind = csrMatrix(
      Array.from({ length: 9 }, (_, i) =>
        Array.from({ length: 9 }, (_, j) => (i === j ? 1.01 : j === i - 1 ? -1 : j === i + 1 ? -0.01 : 0)),
      ),
    );
    withLevels(wind, { isSymmetric: false }, ({ levels }) => {
      const P = dense(levels[0]!.prolongation.toCsr());
      // The aggregates are those of the path. Sums of rows are 2.02/1.01 at most, so ω = 4/3 / 2; row 0 has no row before.
      const owner = [0, 0, 1, 1, 1, 2, 2, 2, 2];
      P.forEach((row, i) => {
        const expected = [0, 0, 0];
        for (const [j, value] of [
          [i - 1, 1],
          [i + 1, 0.01],
        ] as const)
          if (owner[j] !== undefined) expected[owner[j]]! += (2 / 3 / 1.01) * value;
        expected[owner[i]!]! += 1 - 2 / 3;
        row.forEach((value, a) => {
          expect(value).toBeCloseTo(expected[a]!, 14);
        });
      });
    });
  });

  test.each([
    ['laplace2d5', 'amg'],
    ['convection2d', 'amg'],
    ['convection2d', 'amg?smoother=spai0'],
    ['laplace2d5', 'amg?coarsest=50&cycle=w'],
    ['laplace2d5', 'amg?coarsest=50&cycle=k'],
    ['convection2d', 'amg?coarsest=50&cycle=k'],
  ])('of %s are the same on any number of threads: %s', async (name, spec) => {
    const matrix = gallery(name, { nx: 150, ny: 140 });
    const r = Float64Array.from({ length: matrix.rows }, (_, i) => ((i * 13) % 7) - 3);
    const results: Float64Array[] = [];
    for (const threads of [1, 2, 3]) {
      const own = await createEngine({ threads });
      using M = precondition(own, matrix, spec);
      const z = new Float64Array(matrix.rows);
      M.apply(r, z);
      results.push(z);
      await own.dispose();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });
});

describe('rigidBodyModes', () => {
  test('are mapped to 0 by a body that is not held', () => {
    // Two springs between three points: (x, y) of a triangle.
    const coordinates = [0, 0, 2, 0, 0, 1];
    const modes = rigidBodyModes(coordinates, 2);
    expect(modes).toHaveLength(3);
    const springs = [
      [0, 1],
      [1, 2],
      [0, 2],
    ] as const;
    for (const mode of modes) {
      for (const [p, q] of springs) {
        const stretch = [0, 1].reduce(
          (sum, axis) =>
            sum +
            (coordinates[2 * p + axis]! - coordinates[2 * q + axis]!) * (mode[2 * p + axis]! - mode[2 * q + axis]!),
          0,
        );
        expect(stretch).toBeCloseTo(0, 14);
      }
    }
    expect(rigidBodyModes([0, 0, 0, 1, 2, 3], 3)).toHaveLength(6);
  });

  test('refuses another dimension, and coordinates that do not fit', () => {
    expect(() => rigidBodyModes([1, 2], 1 as never)).toThrow(/^dimension: expected an integer from 2 to 3, got 1/);
    expect(() => rigidBodyModes([1, 2, 3, 4], 3)).toThrow(/^coordinates: expected a multiple of 3 numbers, got 4/);
  });
});

describe('arguments', () => {
  const matrix = gallery('laplace2d5', { nx: 5, ny: 5 });
  test.each([
    ['amg?block=2', {}, /^block: expected a divisor of 25 rows, got 2/],
    [
      'ic0',
      { nearNullSpace: [new Float64Array(25)] },
      /^nearNullSpace: expected a preconditioner that uses it, such as amg, got 'ic0'/,
    ],
    ['amg', { nearNullSpace: [] }, /^nearNullSpace: expected at least one vector, got 'none'/],
    ['amg', { nearNullSpace: [new Float64Array(24)] }, /^nearNullSpace\[0\]: expected length 25, got 24/],
    [
      'amg',
      { nearNullSpace: [new Float64Array(25).fill(Number.NaN)] },
      /^nearNullSpace\[0\]\[0\]: expected a finite number, got NaN/,
    ],
  ])('%s is refused', (spec, options, message) => {
    expect(() => precondition(engine, matrix, spec, options)).toThrow(message);
  });

  test('vectors in the heap and arrays of numbers are a near-null space', () => {
    using ones = engine.vector(25).fill(1);
    const counts = [[ones], [new Array<number>(25).fill(1)]].map(
      (nearNullSpace) => solved(engine, matrix, 'amg?coarsest=5', { nearNullSpace }).x,
    );
    expect(counts[0]).toEqual(counts[1]);
    expect(counts[0]).toEqual(solved(engine, matrix, 'amg?coarsest=5').x);
  });
});
