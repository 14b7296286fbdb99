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
  ['with a mass matrix', () => cube(30), 10, { B: diagonal(27_000, 1) }, 'shift-invert'],
  ['with a shift below all', () => cube(30), 10, { shift: -1 }, 'shift-invert'],
])('%s', (_, matrix, k, options, expected) => {
  using setup = new EigenSetup(engine, matrix(), k, options);
  const [first, second] = methodsFor(setup.problem, 'auto').map(({ name }) => name);
  expect([first, second]).toEqual([expected, expected === 'lobpcg' ? 'shift-invert' : 'lobpcg']);
  const said =
    expected === 'lobpcg' ? /expected to take .* s, and factors .* not proved that none is missing/ : /few solves/;
  expect(setup.problem.reasons).toEqual([expect.stringMatching(said)]);
});

test('what is chosen without a proof has the eigenvalues, singular ones included', () => {
  const line = Array.from({ length: 30 }, (_, j) => 2 - 2 * Math.cos((Math.PI * j) / 30));
  const known = line.flatMap((a) => line.flatMap((b) => line.map((c) => a + b + c))).sort((a, b) => a - b);
  const { values, vectors, reason, decision } = eigs(engine, laplacian(weights(cube(30))), 10);
  vectors.dispose();
  expect([decision.method, reason]).toEqual(['lobpcg', 'tolerance']);
  for (const [j, value] of values.entries()) expect(Math.abs(value - known[j]!)).toBeLessThan(1e-12);
});
