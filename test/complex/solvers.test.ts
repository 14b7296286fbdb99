/** Methods for complex systems. Those whose coefficients are real take the operators as they are. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { complexOperator } from '#dist/complex/operator.js';
import { type ComplexMatrix, realEquivalent } from '#dist/core/complex.js';
import {
  bicgstab,
  cg,
  cocg,
  createEngine,
  fgmres,
  functionOperator,
  gallery,
  gmres,
  lsqr,
  minres,
  precondition,
  solve,
} from '#dist/index.node.js';
import { isSoak } from '../soak.js';
import {
  convection,
  helmholtz,
  magnetic,
  randomComplexSymmetric,
  residualOf,
  rightSide,
  solveIncompleteLu,
  withDiagonal,
} from './systems.js';

const engine = await createEngine({ threads: 2, complex: true });
afterAll(() => engine.dispose());
const SYSTEMS = { helmholtz: helmholtz(), magnetic: magnetic(), convection: convection() };

describe.each([
  ['cg', cg, 'magnetic'],
  ['minres', minres, 'magnetic'],
  ['cocg', cocg, 'helmholtz'],
  ['bicgstab', bicgstab, 'helmholtz'],
  ['bicgstab', bicgstab, 'magnetic'],
  ['bicgstab', bicgstab, 'convection'],
  ['gmres', gmres, 'helmholtz'],
  ['gmres', gmres, 'magnetic'],
  ['gmres', gmres, 'convection'],
  ['fgmres', fgmres, 'convection'],
  ['lsqr', lsqr, 'convection'],
] as const)('%s', (_, method, name) => {
  const matrix = SYSTEMS[name];
  const b = rightSide(matrix);

  test(`${name}, alone and with ilu0`, () => {
    using A = complexOperator(engine, matrix);
    const alone = method(A as never, b, { rtol: 1e-9, maxIterations: 3000 });
    expect(alone.reason).toBe('tolerance');
    expect(residualOf(matrix, alone.x.data, b)).toBeLessThan(1.01e-9);
    alone.x.dispose();
    if (method === lsqr) return;
    const kind = method === cg || method === minres ? 'ic0' : 'ilu0';
    using M = precondition(engine, matrix, kind);
    const helped = method(A as never, b, { rtol: 1e-9, preconditioner: M });
    expect(helped.reason).toBe('tolerance');
    expect(residualOf(matrix, helped.x.data, b)).toBeLessThan(1.01e-9);
    expect(helped.iterations).toBeLessThan(alone.iterations);
    helped.x.dispose();
  });
});

test('complex coefficients need fewer iterations than those of the real equivalent', () => {
  const matrix = SYSTEMS.convection;
  const b = rightSide(matrix);
  using A = complexOperator(engine, matrix);
  using real = engine.operator(realEquivalent(matrix));
  const [complex, other] = [gmres(A, b), gmres(real, b, { maxIterations: 2 * A.rows })];
  expect(complex.converged).toBe(true);
  expect(2 * complex.iterations).toBeLessThan(other.iterations);
  for (const { x } of [complex, other]) x.dispose();
});

test('gmres finds x in as many steps as there are eigenvalues, and cocg too', () => {
  // The matrix has two eigenvalues, 1 + i and 2 − i; a method with real coefficients would need four steps.
  const n = 10;
  const values = Float64Array.from({ length: 2 * n }, (_, i) => (i % 4 < 2 ? [1, 1] : [2, -1])[i % 2]!);
  const index = Uint32Array.from({ length: n }, (_, i) => i);
  const diagonal = { rows: n, cols: n, rowIdx: index, colIdx: index, values, symmetry: 'symmetric' } as const;
  using A = complexOperator(engine, diagonal);
  const b = Float64Array.from({ length: 2 * n }, (_, i) => i + 1);
  for (const method of [gmres, cocg, bicgstab]) {
    const { x, iterations, converged } = method(A, b);
    expect(converged).toBe(true);
    expect(iterations).toBe(2);
    x.dispose();
  }
});

test('in single precision', () => {
  const matrix = SYSTEMS.helmholtz;
  using A = complexOperator(engine, matrix, { dtype: 'c64', format: 'sell' });
  const b = Float32Array.from(rightSide(matrix));
  const { x, converged } = cocg(A, b, { rtol: 1e-5 });
  expect(converged).toBe(true);
  expect(residualOf(matrix, x.data, b)).toBeLessThan(1.1e-5);
  x.dispose();
});

test('a zero right-hand side, timing, and a step that ends the solve', () => {
  const matrix = SYSTEMS.helmholtz;
  using A = complexOperator(engine, matrix);
  for (const method of [cocg, gmres, bicgstab]) {
    const zero = method(A, new Float64Array(A.rows));
    expect([zero.converged, zero.iterations]).toEqual([true, 0]);
    expect(zero.x.data.every((value) => value === 0)).toBe(true);
    const timed = method(A, rightSide(matrix), { timing: true });
    expect(timed.timing!.products).toBeGreaterThan(0);
    const stopped = method(A, rightSide(matrix), { onStep: ({ iteration }) => iteration < 3 });
    expect(stopped.reason).toBe('stopped');
    for (const { x } of [zero, timed, stopped]) x.dispose();
  }
});

test('breakdowns are said', () => {
  // xᵀ A x = 0 for x = (1, i): cocg cannot go on.
  const identity = { rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [0, 1], values: [1, 0, 1, 0] };
  using A = complexOperator(engine, identity);
  const { reason, x } = cocg(A, [1, 0, 0, 1]);
  expect(reason).toBe('breakdown');
  x.dispose();
  const singular = { rows: 2, cols: 2, rowPtr: [0, 1, 1], colIdx: [0], values: [1, 0] };
  using S = complexOperator(engine, singular);
  for (const method of [gmres, bicgstab]) {
    const solution = method(S, [0, 0, 1, 1]);
    expect(solution.reason).toBe('breakdown');
    solution.x.dispose();
  }
});

test('of a real operator, cocg is cg', () => {
  using A = engine.operator(gallery('laplace2d5', { nx: 10, ny: 10 }));
  const b = new Float64Array(A.rows).fill(1);
  const [one, other] = [cocg(A, b), cg(A, b)];
  expect(one.residualNorms).toEqual(other.residualNorms);
  for (const { x } of [one, other]) x.dispose();
  using f = functionOperator(engine, 4, 4, ({ data: x }, { data: y }) => y.set(x));
  cocg(f, [1, 2, 3, 4]).x.dispose();
});

test('jacobi divides by complex numbers', () => {
  const matrix = SYSTEMS.helmholtz;
  using M = precondition(engine, matrix, 'jacobi');
  const z = new Float64Array(M.rows);
  M.apply(new Float64Array(M.rows).fill(1), z);
  // z₀ is (1 + i) / (3.7 + 0.2 i).
  const square = 3.7 ** 2 + 0.2 ** 2;
  expect(z[0]).toBeCloseTo(3.9 / square, 14);
  expect(z[1]).toBeCloseTo(3.5 / square, 14);
});

describe('ilu0 is that of complex arithmetic', () => {
  const expectSame = (matrix: ComplexMatrix) => {
    using M = precondition(engine, matrix, 'ilu0?order=natural', { dtype: 'f64' });
    expect(M.explain().shift).toBe(0);
    const r = rightSide(matrix);
    const z = new Float64Array(M.rows);
    M.apply(r, z);
    const expected = solveIncompleteLu(matrix, r);
    const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    for (let i = 0; i < z.length; i++) expect(Math.abs(z[i]! - expected[i]!)).toBeLessThan(1e-9 * largest);
  };

  test('also with an imaginary diagonal, whose real equivalent has zeros there', () => {
    for (const re of [0, 1e-6, -1e-2, 2])
      for (const im of [4, -5]) expectSame(withDiagonal(helmholtz(), () => ({ re, im })));
  });

  test('of random matrices, whose diagonals have any phase', () => {
    fc.assert(
      fc.property(
        randomComplexSymmetric('zero', 40),
        fc.array(fc.nat({ max: 360 }), { minLength: 40 }),
        (given, phases) => {
          const sums = Array.from({ length: given.rows }, (_, i) =>
            [...given.values.subarray(2 * given.rowPtr[i]!, 2 * given.rowPtr[i + 1]!)].reduce(
              (a, b) => a + Math.abs(b),
              1,
            ),
          );
          const angle = (i: number) => (phases[i]! * Math.PI) / 180;
          expectSame(
            withDiagonal(given, (i) => ({
              re: 2 * sums[i]! * Math.cos(angle(i)),
              im: 2 * sums[i]! * Math.sin(angle(i)),
            })),
          );
        },
      ),
      { numRuns: isSoak ? 1000 : 30 },
    );
  });
});

describe('solve', () => {
  test.each(Object.entries(SYSTEMS))('%s, chosen, and by name', (_, matrix) => {
    const b = rightSide(matrix);
    using A = complexOperator(engine, matrix);
    for (const options of [
      {},
      { method: 'direct' },
      { method: 'gmres' },
      { method: 'bicgstab', preconditioner: 'jacobi' },
    ]) {
      const { x, converged } = solve(engine, A, b, options);
      expect(converged).toBe(true);
      expect(residualOf(matrix, x.data, b)).toBeLessThan(1.01e-8);
      x.dispose();
    }
  });

  test('of a matrix itself, and cocg with a preconditioner that suits it', () => {
    const matrix = SYSTEMS.helmholtz;
    const b = rightSide(matrix);
    const { x, decision, converged } = solve(engine, matrix, b, { method: 'cocg', format: 'sell' });
    expect([converged, decision.method, decision.preconditioner]).toEqual([true, 'cocg', 'ilu0']);
    expect(decision.reasons).toEqual(['cocg: the method is named']);
    expect(residualOf(matrix, x.data, b)).toBeLessThan(1.01e-8);
    x.dispose();
  });
});
