/** Multigrid by smoothed aggregation: its levels by hand, and what it is for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { Owned } from '#dist/core/owned.js';
import {
  bicgstab,
  cg,
  createEngine,
  csrMatrix,
  type Engine,
  fcg,
  fgmres,
  gallery,
  gmres,
  type LinearOperator,
  type MatrixInput,
  type PreconditionOptions,
  precondition,
  rigidBodyModes,
  type Vector,
} from '#dist/index.node.js';
import { Cycle, cycleLevel } from '#dist/preconditioners/amg/cycle.js';
import { Hierarchy } from '#dist/preconditioners/amg/hierarchy.js';
import { smoothedAggregation } from '#dist/preconditioners/amg/smoothed-aggregation.js';
import { smootherFor } from '#dist/preconditioners/amg/smoother.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';
import { dense, distance } from './dense.js';
import { neumannGrid } from './grids.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

const WISH = { coarsen: smoothedAggregation(0.08, 1), block: 1, coarsest: 4, near: undefined, isSymmetric: true };

/** The levels of a matrix, while `use` runs. */
function withLevels<T>(
  matrix: CsrMatrix,
  wish: Partial<ConstructorParameters<typeof Hierarchy>[2]>,
  use: (levels: Hierarchy) => T,
): T {
  using owned = new Owned();
  return use(new Hierarchy(engine, matrix, { ...WISH, ...wish }, owned));
}

function solve(matrix: MatrixInput, spec: string, options: PreconditionOptions = {}, method: typeof cg = cg) {
  using A = engine.operator(matrix);
  using M = precondition(engine, matrix, spec, options);
  const b = Float64Array.from({ length: A.rows }, (_, i) => 1 + ((i * 7919) % 100) / 100);
  const { x, iterations, converged } = method(A, b, { preconditioner: M });
  return { x: x.toArray(), iterations, converged };
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

describe('the cycle', () => {
  const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);

  /** |⟨M⁻¹ u, v⟩ − ⟨u, M⁻¹ v⟩|, relative to the norms. */
  function asymmetry(matrix: CsrMatrix, spec: string): number {
    using M = precondition(engine, matrix, spec);
    const vectors = [3, 7].map((k) => Float64Array.from({ length: matrix.rows }, (_, i) => Math.sin(k * i * i + k)));
    const [u, v] = vectors as [Float64Array, Float64Array];
    const [zu, zv] = [new Float64Array(matrix.rows), new Float64Array(matrix.rows)];
    M.apply(u, zu);
    M.apply(v, zv);
    return Math.abs(dot(zu, v) - dot(u, zv)) / Math.sqrt(dot(zu, zu) * dot(v, v));
  }

  test('is symmetric if the matrix is', () => {
    const matrix = gallery('diffusion2d', { nx: 40, ny: 40, jump: 100, anisotropy: 0.1 });
    for (const given of ['cycle=v', 'cycle=w', 'smoother=chebyshev', 'smoother=ssor'])
      expect(asymmetry(matrix, `amg?coarsest=20&${given}`)).toBeLessThan(1e-12);
    expect(asymmetry(gallery('convection2d', { nx: 40, ny: 40 }), 'amg?coarsest=20')).toBeGreaterThan(1e-3);
    const symmetric = (spec: string) => {
      using M = precondition(engine, matrix, spec);
      return M.isSymmetric;
    };
    const specs = ['', '&smoother=ilu0', '&cycle=w', '&cycle=k'].map((given) => `amg?coarsest=20${given}`);
    expect(specs.map(symmetric)).toEqual([true, false, true, false]);
  });

  test('K: the best combination of two V-cycles of the coarser level, in the norm of A', () => {
    const matrix = gallery('laplace2d5', { nx: 24, ny: 20 });
    using owned = new Owned();
    const hierarchy = new Hierarchy(engine, matrix, { ...WISH, coarsest: 20 }, owned);
    const preparation = { matrix, dtype: 'f64', spec: 'amg', start: 0 } as const;
    const levels = hierarchy.levels.map((level) => {
      const S = smootherFor(engine, level.matrix, preparation, { smoother: 'spai0', degree: 1, isSymmetric: true });
      return cycleLevel(engine, level, S, preparation, owned);
    });
    const direct = owned.own(precondition(engine, hierarchy.coarsest, 'direct'));
    const cycleOf = (from: number, cycle: 'v' | 'k') =>
      new Cycle(levels.slice(from), direct, { cycle, isSymmetric: true }, owned);
    const [fine, middle] = levels as [(typeof levels)[0], (typeof levels)[0]];
    const below = cycleOf(1, 'v');
    const run = (use: (x: Vector, y: Vector) => void, x: Float64Array, rows: number) => {
      using input = engine.vector(x);
      using output = engine.vector(rows);
      use(input, output);
      return Float64Array.from(output.toArray());
    };
    const times = (B: LinearOperator, x: Float64Array) => run((from, to) => B.apply(from, to), x, B.rows);
    const minus = (x: Float64Array, y: Float64Array, factor = 1) => x.map((value, i) => value - factor * y[i]!);
    const { A, P, R, S } = fine;
    const approximate = (g: Float64Array) => run((from, to) => below.run(from, to), g, g.length);

    const r = Float64Array.from({ length: matrix.rows }, (_, i) => Math.sin(i * i));
    const first = times(S, r);
    const g = times(R, minus(r, times(A.operator, first)));
    const c = approximate(g);
    const Ac = times(middle.A.operator, c);
    const d = approximate(minus(g, Ac, dot(c, g) / dot(c, Ac)));
    const Ad = times(middle.A.operator, d);
    // The least ‖x − A⁻¹ g‖ of all x = α c + β d is that of two equations.
    const [cc, cd, dd] = [dot(c, Ac), dot(c, Ad), dot(d, Ad)];
    const [cr, dr] = [dot(c, g), dot(d, g)];
    const determinant = cc * dd - cd * cd;
    const [alpha, beta] = [(cr * dd - dr * cd) / determinant, (dr * cc - cr * cd) / determinant];
    const coarse = c.map((value, i) => alpha * value + beta * d[i]!);
    const second = minus(first, times(P, coarse), -1);
    const expected = minus(second, times(S, minus(r, times(A.operator, second))), -1);
    const whole = cycleOf(0, 'k');
    const computed = run((from, to) => whole.run(from, to), r, r.length);
    // Beside rounding errors, the margin of 1e-8 of the second direction.
    expect(Math.hypot(...minus(computed, expected))).toBeLessThan(1e-7 * Math.hypot(...expected));
    expect(Math.abs(beta)).toBeGreaterThan(0.1);
  });

  test.each(['f64', 'f32', 'mixed'] as const)(
    'K of %s: finite and positive on levels of one row and more, 0 of 0',
    (dtype) => {
      const ArrayType = dtype === 'f32' ? Float32Array : Float64Array;
      for (let n = 1; n < 40; n++) {
        const path = csrMatrix(
          Array.from({ length: n }, (_, i) =>
            Array.from({ length: n }, (_, j) => (i === j ? 2 : Math.abs(i - j) === 1 ? -1 : 0)),
          ),
        );
        using M = precondition(engine, path, 'amg?coarsest=1&cycle=k', { dtype });
        const z = new ArrayType(n);
        M.apply(new ArrayType(n), z);
        expect(z).toEqual(new ArrayType(n));
        for (const r of [new ArrayType(n).fill(1), ArrayType.of(1, ...new Array<number>(n - 1).fill(0))]) {
          M.apply(r, z);
          const product = dot(Float64Array.from(z), Float64Array.from(r));
          expect(product > 0 && Number.isFinite(product)).toBe(true);
        }
      }
    },
  );
});

describe('iterations', () => {
  test('hardly grow with the size', () => {
    const counts = [50, 100, 200].map((n) => solve(gallery('laplace2d5', { nx: n, ny: n }), 'amg').iterations);
    expect(Math.max(...counts)).toBeLessThan(20);
    const cubes = [12, 24].map(
      (n) => solve(gallery('laplace3d7', { nx: n, ny: n, nz: n }), 'amg?coarsest=100').iterations,
    );
    expect(Math.max(...cubes)).toBeLessThan(20);
  });

  test('of coefficients that jump are few, since constants stay constants on each level', () => {
    const matrix = gallery('diffusion2d', { nx: 200, ny: 200 });
    const { iterations, converged } = solve(matrix, 'amg?coarsest=100');
    expect(converged).toBe(true);
    expect(iterations).toBeLessThan(30);
  });

  test('of elasticity are few with its rigid body modes', () => {
    const n = 8;
    const matrix = gallery('elasticity3d', { nx: n, ny: n, nz: n });
    const coordinates: number[] = [];
    for (let z = 0; z <= n; z++) for (let y = 0; y <= n; y++) for (let x = 1; x <= n; x++) coordinates.push(x, y, z);
    const nearNullSpace = rigidBodyModes(coordinates, 3);
    const withModes = solve(matrix, 'amg?block=3&coarsest=200', { nearNullSpace });
    const without = solve(matrix, 'amg?block=3&coarsest=200');
    expect([withModes.converged, without.converged]).toEqual([true, true]);
    expect(withModes.iterations).toBeLessThan(25);
    expect(without.iterations).toBeGreaterThan(1.3 * withModes.iterations);
  });

  test.each([
    ['amg', bicgstab, 12],
    ['amg', gmres, 22],
    ['amg?smoother=spai0', bicgstab, 40],
    ['amg?smoother=spai0', gmres, 75],
  ] as const)('of convection are few, and hardly grow: %s', (spec, method, most) => {
    for (const n of [100, 200]) {
      const { converged, iterations } = solve(gallery('convection2d', { nx: n, ny: n }), spec, {}, method);
      expect(converged).toBe(true);
      expect(iterations).toBeLessThanOrEqual(most);
    }
  });

  test('where wind blows strongly, of several unknowns by node, and after an update', () => {
    const matrix = gallery('convection2d', { nx: 120, ny: 120, epsilon: 1e-5 });
    expect(solve(matrix, 'amg', {}, bicgstab).iterations).toBeLessThan(20);
    const twice = gallery('convection2d', { nx: 60, ny: 60, block: 2 });
    expect(solve(twice, 'amg?block=2', {}, bicgstab).converged).toBe(true);
    const weak = gallery('convection2d', { nx: 120, ny: 120, epsilon: 2e-5 });
    using A = engine.operator(weak);
    using M = precondition(engine, matrix, 'amg');
    expect(M.isSymmetric).toBe(false);
    M.update(weak.values);
    const { converged, iterations } = bicgstab(A, new Float64Array(A.rows).fill(1), { preconditioner: M });
    expect([converged, iterations < 20]).toEqual([true, true]);
  });

  const withLongBasis: typeof cg = (A, b, options) => fgmres(A, b, { ...options, restart: 400 });

  test.each([
    ['laplace2d5', { nx: 200, ny: 200 }, fcg, [17, 12, 12]],
    ['delaunay', { n: 2000 }, withLongBasis, [73, 67, 66]],
    ['diffusion2d', { nx: 150, ny: 150, jump: 1e4, anisotropy: 1 }, fcg, [83, 49, 29]],
    ['diffusion2d', { nx: 150, ny: 150, jump: 1e4, anisotropy: 1 }, fgmres, [256, 80, 50]],
    ['convection2d', { nx: 150, ny: 150, epsilon: 1e-5 }, bicgstab, [13, 9, 9]],
    ['convection2d', { nx: 150, ny: 150, epsilon: 1e-5 }, fgmres, [21, 16, 15]],
  ] as const)(
    'of many levels are fewer with a W-cycle, and fewer still with a K-cycle: %s %o',
    (name, given, method, most) => {
      const matrix = gallery(name, given);
      const counts = (['v', 'w', 'k'] as const).map((cycle) => {
        const { converged, iterations } = solve(matrix, `amg?coarsest=50&cycle=${cycle}`, {}, method);
        expect(converged).toBe(true);
        return iterations;
      });
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
      counts.forEach((count, i) => {
        expect(count).toBeLessThanOrEqual(most[i]!);
      });
    },
  );

  test('of a singular matrix, too', () => {
    const neumann = neumannGrid(60);
    using A = engine.operator(neumann);
    using M = precondition(engine, neumann, 'amg');
    const b = Float64Array.from({ length: A.rows }, (_, i) => (i % 2 === 0 ? 1 : -1));
    const { converged, iterations } = cg(A, b, { preconditioner: M });
    expect(converged).toBe(true);
    expect(iterations).toBeLessThan(25);
  });

  test('are those of a new one after an update by the same factor', () => {
    const matrix = gallery('laplace2d5', { nx: 60, ny: 60 });
    const tenfold = matrix.values.map((value) => 10 * value);
    using M = precondition(engine, matrix, 'amg');
    const r = new Float64Array(matrix.rows).fill(1);
    const [before, after] = [new Float64Array(matrix.rows), new Float64Array(matrix.rows)];
    M.apply(r, before);
    M.update(tenfold);
    M.apply(r, after);
    after.forEach((value, i) => {
      expect(Math.abs(10 * value - before[i]!)).toBeLessThan(1e-12 * Math.abs(before[i]!) + 1e-14);
    });
  });
});

test('an update may make the matrix unsymmetric: the coarsest level is then factored by another method', () => {
  const matrix = gallery('laplace2d5', { nx: 60, ny: 60 });
  using M = precondition(engine, matrix, 'amg');
  const values = matrix.values.map((value, k) => (value < 0 && k % 3 === 0 ? 0.9 * value : value));
  M.update(values);
  using fresh = precondition(engine, { ...matrix, values }, 'amg');
  const r = new Float64Array(matrix.rows).fill(1);
  const [updated, made] = [new Float64Array(matrix.rows), new Float64Array(matrix.rows)];
  M.apply(r, updated);
  fresh.apply(r, made);
  expect(Math.hypot(...updated.map((value, i) => value - made[i]!))).toBeLessThan(0.2 * Math.hypot(...made));
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
      (nearNullSpace) => solve(matrix, 'amg?coarsest=5', { nearNullSpace }).x,
    );
    expect(counts[0]).toEqual(counts[1]);
    expect(counts[0]).toEqual(solve(matrix, 'amg?coarsest=5').x);
  });
});

test('on a device: the same cycle, whose coarsest level is an inverse', async () => {
  const device = fakeCsrDevice();
  const onDevice = await engineOn(device.device);
  const matrix = gallery('laplace2d5', { nx: 40, ny: 40 });
  const twice = matrix.values.map((value) => 2 * value);
  const objects = device.objects();
  const { bytesInUse } = onDevice.heap;
  for (const spec of [
    'amg?coarsest=50',
    'amg?coarsest=50&smoother=chebyshev',
    'amg?coarsest=50&cycle=k',
    'amg?coarsest=5000',
  ]) {
    using M = precondition(onDevice, matrix, spec);
    using one = precondition(engine, matrix, spec);
    const r = Float64Array.from({ length: matrix.rows }, (_, i) => Math.sin(i));
    for (const values of [undefined, twice]) {
      if (values !== undefined) for (const each of [M, one]) each.update(values);
      const [z, expected] = [r.slice(), r.slice()];
      M.apply(r, z);
      one.apply(r, expected);
      expect(distance(z, expected)).toBeLessThan(1e-12);
    }
  }
  expect(onDevice.heap.bytesInUse).toBe(bytesInUse);
  expect(device.objects()).toBe(objects);
  const large = gallery('laplace2d5', { nx: 80, ny: 80 });
  expect(() => precondition(onDevice, large, 'amg?coarsest=5000').dispose()).not.toThrow();
  expect(() => precondition(onDevice, large, 'amg?coarsest=10000')).toThrow(
    'amg: expected a coarsest level of at most 4000 rows on a device, got 6400',
  );
  expect(device.objects()).toBe(objects);
  await onDevice.dispose();
});
