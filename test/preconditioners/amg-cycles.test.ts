/** The cycles of multigrid by smoothed aggregation, in the heap and on a device, and the iterations that they take. */
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
  precondition,
  rigidBodyModes,
  type Vector,
} from '#dist/index.node.js';
import { Cycle, cycleLevel } from '#dist/preconditioners/amg/cycle.js';
import { smootherFor } from '#dist/preconditioners/amg/smoother.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';
import { distance } from './dense.js';
import { neumannGrid } from './grids.js';
import { levelsOf, solved } from './solved.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

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
    const hierarchy = levelsOf(engine, matrix, { coarsest: 20 }, owned);
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
    const counts = [50, 100, 200].map((n) => solved(engine, gallery('laplace2d5', { nx: n, ny: n }), 'amg').iterations);
    expect(Math.max(...counts)).toBeLessThan(20);
    const cubes = [12, 24].map(
      (n) => solved(engine, gallery('laplace3d7', { nx: n, ny: n, nz: n }), 'amg?coarsest=100').iterations,
    );
    expect(Math.max(...cubes)).toBeLessThan(20);
  });

  test('of coefficients that jump are few, since constants stay constants on each level', () => {
    const matrix = gallery('diffusion2d', { nx: 200, ny: 200 });
    const { iterations, converged } = solved(engine, matrix, 'amg?coarsest=100');
    expect(converged).toBe(true);
    expect(iterations).toBeLessThan(30);
  });

  test('of elasticity are few with its rigid body modes', () => {
    const n = 8;
    const matrix = gallery('elasticity3d', { nx: n, ny: n, nz: n });
    const coordinates: number[] = [];
    for (let z = 0; z <= n; z++) for (let y = 0; y <= n; y++) for (let x = 1; x <= n; x++) coordinates.push(x, y, z);
    const nearNullSpace = rigidBodyModes(coordinates, 3);
    const withModes = solved(engine, matrix, 'amg?block=3&coarsest=200', { nearNullSpace });
    const without = solved(engine, matrix, 'amg?block=3&coarsest=200');
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
      const { converged, iterations } = solved(engine, gallery('convection2d', { nx: n, ny: n }), spec, {}, method);
      expect(converged).toBe(true);
      expect(iterations).toBeLessThanOrEqual(most);
    }
  });

  test('where wind blows strongly, of several unknowns by node, and after an update', () => {
    const matrix = gallery('convection2d', { nx: 120, ny: 120, epsilon: 1e-5 });
    expect(solved(engine, matrix, 'amg', {}, bicgstab).iterations).toBeLessThan(20);
    const twice = gallery('convection2d', { nx: 60, ny: 60, block: 2 });
    expect(solved(engine, twice, 'amg?block=2', {}, bicgstab).converged).toBe(true);
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
        const { converged, iterations } = solved(engine, matrix, `amg?coarsest=50&cycle=${cycle}`, {}, method);
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
