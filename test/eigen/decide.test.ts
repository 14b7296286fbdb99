/** Which method `auto` takes for the smallest eigenvalues. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { methodsFor } from '#dist/eigen/decide.js';
import { EigenSetup } from '#dist/eigen/setup.js';
import type { Engine } from '#dist/engine/engine.js';
import {
  addMatrices,
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  type EigsOptions,
  eigs,
  gallery,
  laplacian,
} from '#dist/index.node.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, binary: 'simd' });
});
afterAll(() => engine.dispose());

const cube = (n: number) => gallery('laplace3d7', { nx: n, ny: n, nz: n });
const diagonal = (n: number, value: number) => {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) builder.add(i, i, value);
  return builder.build();
};
const massless = (n: number) => {
  const { values, ...matrix } = diagonal(n, 1);
  return { ...matrix, values: values.map((value, i) => (i === 7 ? 0 : value)) };
};
const elasticity = (nx: number, ny: number, nz: number) => gallery('elasticity3d', { nx, ny, nz });
const weights = (matrix: CsrMatrix) => ({ ...matrix, values: matrix.values.map((value) => (value < 0 ? 1 : 0)) });

test.each<[string, () => CsrMatrix, number, EigsOptions, string]>([
  ['5-point 300²', () => gallery('laplace2d5', { nx: 300, ny: 300 }), 10, {}, 'shift-invert'],
  ['7-point 20³', () => cube(20), 10, {}, 'shift-invert'],
  ['7-point 30³', () => cube(30), 10, {}, 'lobpcg'],
  ['7-point 30³, many', () => cube(30), 30, {}, 'shift-invert'],
  ['7-point 40³', () => cube(40), 10, {}, 'lobpcg'],
  ['7-point 50³', () => cube(50), 10, {}, 'lobpcg'],
  ['a graph Laplacian', () => laplacian(weights(cube(30))), 10, {}, 'lobpcg'],
  ['27-point 30³', () => gallery('laplace3d27', { nx: 30, ny: 30, nz: 30 }), 10, {}, 'lobpcg'],
  ['a layer', () => gallery('laplace3d7', { nx: 100, ny: 100, nz: 8 }), 10, {}, 'shift-invert'],
  ['a mesh', () => gallery('delaunay', { n: 40_000 }), 10, {}, 'shift-invert'],
  ['elasticity', () => gallery('elasticity3d', { nx: 12, ny: 12, nz: 12 }), 10, {}, 'shift-invert'],
  ['an indefinite matrix', () => addMatrices(cube(30), diagonal(27_000, -0.5)), 10, {}, 'shift-invert'],
  ['with a mass matrix', () => cube(30), 10, { B: diagonal(27_000, 1) }, 'lobpcg'],
  [
    'with the masses of elements',
    () => cube(30),
    10,
    { B: gallery('laplace3d27', { nx: 30, ny: 30, nz: 30 }) },
    'lobpcg',
  ],
  ['with a mass that is 0', () => cube(30), 10, { B: massless(27_000) }, 'shift-invert'],
  ['elasticity, a few', () => elasticity(18, 18, 18), 3, {}, 'lobpcg'],
  ['elasticity, a few, with a mass matrix', () => elasticity(18, 18, 18), 3, { B: diagonal(19_494, 2) }, 'lobpcg'],
  ['elasticity, more', () => elasticity(18, 18, 18), 20, {}, 'shift-invert'],
  ['an elastic bar', () => elasticity(60, 6, 6), 3, {}, 'shift-invert'],
  ['an elastic plate', () => elasticity(40, 40, 4), 3, {}, 'shift-invert'],
  ['elasticity, indefinite', () => addMatrices(elasticity(18, 18, 18), diagonal(19_494, -1)), 3, {}, 'shift-invert'],
  ['with a shift below all', () => cube(30), 10, { shift: -1 }, 'shift-invert'],
])('%s', (_, matrix, k, options, expected) => {
  using setup = new EigenSetup(engine, matrix(), k, options);
  const [first, second] = methodsFor(setup.problem, 'auto').map(({ name }) => name);
  expect([first, second]).toEqual([expected, expected === 'lobpcg' ? 'shift-invert' : 'lobpcg']);
  const said =
    expected === 'lobpcg' ? /expected to take .* s, and factors .* not proved that none is missing/ : /few solves/;
  expect(setup.problem.reasons).toEqual([expect.stringMatching(said)]);
});

test('where more iterations are needed than expected, factors are taken after all', () => {
  // A material that is nearly incompressible.
  const block = gallery('elasticity3d', { nx: 14, ny: 14, nz: 14, poisson: 0.49 });
  const { decision, reason, converged, vectors } = eigs(engine, block, 3);
  vectors.dispose();
  expect([decision.method, reason, converged]).toEqual(['shift-invert', 'tolerance', 3]);
  expect(decision.reasons).toContainEqual(expect.stringMatching(/^lobpcg: with ic0 it is expected to take/));
  expect(decision.reasons).toContainEqual(expect.stringMatching(/^not lobpcg: it takes more than the \d+ iterations/));
});

test('modes of an elastic block are those of factors', () => {
  const block = elasticity(14, 14, 14);
  const found = eigs(engine, block, 3);
  const proved = eigs(engine, block, 3, { method: 'shift-invert' });
  for (const { vectors } of [found, proved]) vectors.dispose();
  expect([found.decision.method, found.reason]).toEqual(['lobpcg', 'tolerance']);
  for (const [j, value] of found.values.entries()) expect(value / proved.values[j]!).toBeCloseTo(1, 7);
});

test('what is chosen without a proof has the eigenvalues, singular ones included', () => {
  const line = Array.from({ length: 30 }, (_, j) => 2 - 2 * Math.cos((Math.PI * j) / 30));
  const known = line.flatMap((a) => line.flatMap((b) => line.map((c) => a + b + c))).sort((a, b) => a - b);
  const { values, vectors, reason, decision } = eigs(engine, laplacian(weights(cube(30))), 10);
  vectors.dispose();
  expect([decision.method, reason]).toEqual(['lobpcg', 'tolerance']);
  for (const [j, value] of values.entries()) expect(Math.abs(value - known[j]!)).toBeLessThan(1e-12);
});
