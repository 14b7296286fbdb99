/** Factors of complex matrices. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { complexOperator } from '#dist/complex/operator.js';
import { type ComplexMatrix, complexMatrix, realEquivalent } from '#dist/core/complex.js';
import { cg, factor, gmres, precondition } from '#dist/index.node.js';
import { testEngine } from '../formats/test-engine.js';
import { isSoak } from '../soak.js';
import {
  convection,
  type Diagonal,
  helmholtz,
  magnetic,
  randomComplexSymmetric,
  residualOf,
  rightSide,
} from './systems.js';

const engine = await testEngine({ complex: true });
beforeAll(() => {
  // What the engine keeps from the first solve on.
  using A = complexOperator(engine, helmholtz());
  cg(A, new Float64Array(A.rows)).x.dispose();
});

test.each([
  ['complex symmetric', helmholtz(), 'ldlt'],
  ['complex symmetric, indefinite, hardly damped', helmholtz(2.1, 1e-3), 'ldlt'],
  ['real', helmholtz(0, 0), 'cholesky'],
  ['Hermitian', magnetic(), 'cholesky'],
  ['neither', convection(), 'lu'],
] as const)('%s: %s', (_, matrix, method) => {
  using F = factor(engine, matrix);
  expect(F.method).toBe(method);
  const b = rightSide(matrix);
  expect(residualOf(matrix, F.solve(b), b)).toBeLessThan(1e-12);
});

describe('complex symmetric: symmetric factors', () => {
  const matrix = helmholtz();
  const n = 2 * matrix.rows;

  test('take less than those of lu', () => {
    using F = factor(engine, matrix);
    using G = factor(engine, matrix, { method: 'lu' });
    expect(F.explain().reasons).toEqual(['ldlt: the matrix is symmetric with other signs of some columns']);
    expect(F.explain().flops).toBeLessThan(G.explain().flops);
    expect(F.bytes).toBeLessThan(0.65 * G.bytes);
  });

  test('have the determinant, and no inertia', () => {
    using F = factor(engine, matrix);
    using G = factor(engine, matrix, { method: 'lu' });
    expect(F.logDeterminant.log).toBeCloseTo(G.logDeterminant.log, 9);
    expect([F.logDeterminant.sign, G.logDeterminant.sign]).toEqual([1, 1]);
    expect(F.inertia).toBeUndefined();
  });

  test('solve columns with the bits that each has alone', () => {
    using F = factor(engine, matrix);
    for (const columns of [1, 2, 4, 5]) {
      const sides = Array.from({ length: columns }, (_, j) => rightSide(matrix).map((value, i) => value + j * (i % 3)));
      const X = F.solve(Float64Array.from(sides.flatMap((b) => [...b])));
      sides.forEach((b, j) => {
        expect(X.subarray(j * n, (j + 1) * n)).toEqual(F.solve(b));
      });
    }
  });

  test('are applied without refinement, with factors and beside what is there', () => {
    using F = factor(engine, matrix);
    const b = rightSide(matrix);
    const x = new Float64Array(n);
    F.apply(b, x);
    expect(residualOf(matrix, x, b)).toBeLessThan(1e-13);
    const y = b.slice();
    F.apply(b, y, 2, -1);
    for (let i = 0; i < n; i++) expect(y[i]).toBeCloseTo(2 * x[i]! - b[i]!, 12);
  });

  test('in half the memory they are a preconditioner', () => {
    using F = factor(engine, matrix, { dtype: 'mixed' });
    expect([F.method, F.explain().dtype]).toEqual(['ldlt', 'mixed']);
    using A = complexOperator(engine, matrix);
    const b = rightSide(matrix);
    const { x, iterations, converged } = gmres(A, b, { preconditioner: F, rtol: 1e-12 });
    expect(converged).toBe(true);
    expect(iterations).toBeLessThan(6);
    expect(residualOf(matrix, x.data, b)).toBeLessThan(1.01e-12);
    x.dispose();
    using M = precondition(engine, matrix, 'direct');
    expect(M.explain()).toMatchObject({ method: 'ldlt' });
  });

  test('follow the numbers: real ones, others, and what is not symmetric any more', () => {
    using F = factor(engine, helmholtz(0.3, 0));
    const solves = (next: ComplexMatrix) => {
      F.update(realEquivalent(next).values);
      const b = rightSide(next);
      expect(residualOf(next, F.solve(b), b)).toBeLessThan(1e-12);
      return F.method;
    };
    expect(solves(helmholtz(0.3, 0.2))).toBe('ldlt');
    expect(F.inertia).toBeUndefined();
    expect(solves(helmholtz(0.3, -0.1))).toBe('ldlt');
    expect(solves(helmholtz(0.3, 0))).toBe('ldlt');
    expect(F.inertia).toBeDefined();
    expect(solves(helmholtz(0.5, 0.1))).toBe('ldlt');
    const { values, ...pattern } = matrix;
    expect(solves(complexMatrix({ ...pattern, values: values.with(2, -3), symmetry: 'general' }))).toBe('lu');
  });

  test('of a chain whose diagonal is imaginary, and of one that is zero', () => {
    for (const own of [1, 0]) {
      const rows = 40;
      const [rowIdx, colIdx, values]: [number[], number[], number[]] = [[], [], []];
      for (let i = 0; i < rows; i++)
        for (const j of [i - 1, i, i + 1]) {
          if (j < 0 || j >= rows) continue;
          rowIdx.push(i);
          colIdx.push(j);
          values.push(...(i === j ? [0, own] : [0.3, 0.2]));
        }
      const chain = complexMatrix({ rows, cols: rows, rowIdx, colIdx, values, symmetry: 'symmetric' });
      using F = factor(engine, chain);
      expect(F.method).toBe('ldlt');
      const b = rightSide(chain);
      expect(residualOf(chain, F.solve(b), b)).toBeLessThan(1e-13);
    }
  });
});

describe('random complex symmetric matrices are solved as well as by lu', () => {
  test.each<Diagonal>(['complex', 'real', 'imaginary', 'zero', 'tiny'])('diagonal: %s', (diagonal) => {
    fc.assert(
      fc.property(randomComplexSymmetric(diagonal), (matrix) => {
        const b = rightSide(matrix);
        const errorBy = (method: 'auto' | 'lu') => {
          try {
            using F = factor(engine, matrix, { method });
            F.solve(b);
            return F.lastSolve!.backwardError;
          } catch (error) {
            expect(error).toMatchObject({ code: 'structure' });
            return Number.POSITIVE_INFINITY;
          }
        };
        // Replaced pivots count as made good up to 1e-13, by other right-hand sides.
        if (errorBy('lu') < 1e-12) expect(errorBy('auto')).toBeLessThan(diagonal === 'tiny' ? 1e-10 : 1e-14);
      }),
      { numRuns: isSoak ? 2000 : 50 },
    );
  });
});
