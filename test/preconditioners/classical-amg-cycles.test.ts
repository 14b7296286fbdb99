/** Cycles of multigrid by classical interpolation: iterations, updates, threads, arguments. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { cg, createEngine, type Engine, gallery, precondition } from '#dist/index.node.js';
import { INTERPOLATIONS } from '#dist/preconditioners/amg/classical/interpolation.js';
import { neumannGrid, rotatedElements } from './grids.js';
import { solved } from './solved.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

const solve = (matrix: CsrMatrix, spec: string, rtol = 1e-8) =>
  solved(engine, matrix, spec, {}, (A, b, options) => cg(A, b, { ...options, rtol }));

describe('iterations', () => {
  test.each([
    ['classical-amg', 15, 15],
    ['classical-amg?smoother=chebyshev', 11, 11],
    ['classical-amg?smoother=ssor', 11, 11],
  ])('of %s hardly grow with the size', (spec, most, mostOfCubes) => {
    const counts = [100, 300].map((n) => solve(gallery('laplace2d5', { nx: n, ny: n }), spec).iterations);
    expect(Math.max(...counts)).toBeLessThan(most);
    const cubes = [12, 24].map((n) =>
      solve(gallery('laplace3d7', { nx: n, ny: n, nz: n }), `${spec}${spec.includes('?') ? '&' : '?'}coarsest=100`),
    );
    expect(Math.max(...cubes.map(({ iterations }) => iterations))).toBeLessThan(mostOfCubes);
  });

  test.each([
    [1e4, 0.01],
    [1e6, 0.01],
    [1e4, 1],
    [1e6, 1],
  ])('hardly depend on a jump of %d, anisotropy %d', (jump, anisotropy) => {
    const matrix = gallery('diffusion2d', { nx: 200, ny: 200, jump, anisotropy });
    // Rounding errors of the solution do not allow for much less.
    const rtol = jump * 1e-12;
    const { iterations, converged } = solve(matrix, 'classical-amg', rtol);
    expect(converged).toBe(true);
    expect(iterations).toBeLessThan(15);
    expect(solve(matrix, 'classical-amg?smoother=ssor', rtol).iterations).toBeLessThan(11);
  });

  test('on a mesh of random points, and of an anisotropy that is rotated', () => {
    const mesh = solve(gallery('delaunay', { n: 10_000 }), 'classical-amg');
    expect(mesh.converged).toBe(true);
    const rotated = solve(rotatedElements(120, 1e-3, Math.PI / 6), 'classical-amg');
    expect([rotated.converged, rotated.iterations < 45]).toEqual([true, true]);
  });

  test('of a singular matrix, too', () => {
    const neumann = neumannGrid(60);
    using A = engine.operator(neumann);
    using M = precondition(engine, neumann, 'classical-amg');
    const b = Float64Array.from({ length: A.rows }, (_, i) => (i % 2 === 0 ? 1 : -1));
    const { converged, iterations } = cg(A, b, { preconditioner: M });
    expect(converged).toBe(true);
    expect(iterations).toBeLessThan(20);
  });

  test('are those of a new one after an update by the same factor', () => {
    const matrix = gallery('laplace2d5', { nx: 60, ny: 60 });
    const r = new Float64Array(matrix.rows).fill(1);
    using M = precondition(engine, matrix, 'classical-amg');
    const [before, after] = [new Float64Array(matrix.rows), new Float64Array(matrix.rows)];
    M.apply(r, before);
    M.update(matrix.values.map((value) => 8 * value));
    M.apply(r, after);
    after.forEach((value, i) => {
      expect(Math.abs(8 * value - before[i]!)).toBeLessThan(1e-12 * Math.abs(before[i]!) + 1e-14);
    });
  });
});

test.each(INTERPOLATIONS)('%s: the same bits on any number of threads', async (interpolation) => {
  const matrix = gallery('laplace2d5', { nx: 150, ny: 140 });
  const r = Float64Array.from({ length: matrix.rows }, (_, i) => ((i * 13) % 7) - 3);
  const results: Float64Array[] = [];
  for (const threads of [1, 2, 3]) {
    const own = await createEngine({ threads });
    using M = precondition(own, matrix, `classical-amg?interpolation=${interpolation}`);
    const z = new Float64Array(matrix.rows);
    M.apply(r, z);
    results.push(z);
    await own.dispose();
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});

test.each([
  ['classical-amg?theta=2', {}, /^preconditioner classical-amg theta: expected a number from 0 to 1, got '2'/],
  ['classical-amg?entries=0', {}, /^preconditioner classical-amg entries: expected an integer from 1 to 1000, got '0'/],
  ['classical-amg?interpolation=standard', {}, /interpolation: expected direct \| extended, got 'standard'/],
  ['classical-amg?block=2', {}, /^preconditioner classical-amg: expected only the parameters theta/],
  [
    'classical-amg',
    { nearNullSpace: [new Float64Array(25)] },
    /^nearNullSpace: expected a preconditioner that uses it, such as amg, got 'classical-amg'/,
  ],
])('%s is refused', (spec, options, message) => {
  expect(() => precondition(engine, gallery('laplace2d5', { nx: 5, ny: 5 }), spec, options)).toThrow(message);
});
