/** Complex operators on a device that is none: what is around the kernels. */
import { afterAll, expect, test } from 'vitest';
import { complexOperator } from '#dist/complex/operator.js';
import { bicgstab, cg, cocg, gmres } from '#dist/index.node.js';
import { onFakeDevice } from '../solvers/engines.js';
import { convection, helmholtz, magnetic, residualOf, rightSide } from './systems.js';

const engine = await onFakeDevice();
afterAll(() => engine.dispose());

test.each([
  ['cg', cg, magnetic()],
  ['cocg', cocg, helmholtz()],
  ['gmres', gmres, convection()],
  ['bicgstab', bicgstab, convection()],
] as const)('%s', (_, method, matrix) => {
  using A = complexOperator(engine, matrix);
  expect(A.space.name).toBe('cuda');
  const b = rightSide(matrix);
  const { x, converged } = method(A, b);
  expect(converged).toBe(true);
  expect(residualOf(matrix, x.toArray(), b)).toBeLessThan(1.01e-8);
  x.dispose();
});

test('adjoints, conjugates and complex factors', () => {
  const matrix = convection();
  using A = complexOperator(engine, matrix);
  using x = engine.vector(rightSide(matrix));
  using y = engine.vector(A.rows);
  using z = engine.vector(A.rows);
  A.transposed().apply(x, y);
  // Aᵀ x̄ is the conjugate of Aᴴ x.
  using turned = engine.vector(A.rows);
  A.conjugation.apply(x, turned);
  A.conjugated().transposed().apply(turned, z);
  A.conjugation.apply(z, turned);
  expect(Math.max(...turned.toArray().map((value, i) => Math.abs(value - y.toArray()[i]!)))).toBeLessThan(1e-12);
  A.apply(x, y, { re: 0, im: 2 });
  A.apply(x, z, 2);
  A.imaginary.apply(z, y, -1, 1);
  expect(Math.max(...y.toArray().map(Math.abs))).toBeLessThan(1e-12);
});

test('blocks of vectors, and of the conjugate', () => {
  const matrix = convection();
  using A = complexOperator(engine, matrix);
  const columns = [0, 1, 2].map((j) => rightSide(matrix).map((value, i) => value + j * (i % 7)));
  using X = engine.vector(Array.from({ length: A.cols }, (_, i) => columns.map((column) => column[i]!)));
  using Y = engine.vector(A.rows, { columns: 3 });
  for (const operator of [A, A.conjugated()]) {
    operator.apply(X, Y, { re: 1, im: -2 });
    const found = Y.toArray();
    for (const [j, column] of columns.entries()) {
      using x = engine.vector(column);
      using y = engine.vector(A.rows);
      operator.apply(x, y, { re: 1, im: -2 });
      expect(Math.max(...y.toArray().map((value, i) => Math.abs(value - found[i * 3 + j]!)))).toBeLessThan(1e-12);
    }
  }
});

test('a format without kernels, and the transpose by scattering, are refused', () => {
  expect(() => complexOperator(engine, helmholtz(), { format: 'sell' })).toThrow(
    /^format: expected one with CUDA kernels for spmv, got 'complex_sell'/,
  );
  using A = complexOperator(engine, convection());
  expect(() => A.transposed({ memory: 'shared' })).toThrow(/^memory: expected 'own' with csr/);
});
