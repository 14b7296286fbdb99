/** lsqr and lsmr: systems with many solutions, with one, and with none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { Engine } from '#dist/engine/engine.js';
import {
  CsrBuilder,
  type CsrMatrix,
  functionOperator,
  gallery,
  lsmr,
  lsqr,
  normalJacobi,
  scaleMatrix,
  transposeMatrix,
} from '#dist/index.node.js';
import { SPACES, useSums } from './engines.js';
import { normOf, relativeResidual, residualOf } from './residual.js';

const METHODS = { lsqr, lsmr };

/** Differences of neighbours, and the mean: rows = cols + 1, full rank. */
function tall(cols: number): CsrMatrix {
  const builder = new CsrBuilder(cols + 1, cols);
  for (let j = 0; j < cols; j++) {
    builder.add(j, j, 1 + (j % 3));
    builder.add(j + 1, j, -1);
  }
  return builder.build();
}

/** ‖Aᵀ (b − A x)‖₂ / ‖Aᵀ b‖₂ */
function gradientOf(matrix: CsrMatrix, x: ArrayLike<number>, b: Float64Array): number {
  const transpose = transposeMatrix(matrix);
  const zeros = new Float64Array(matrix.cols);
  const gradient = (r: Float64Array) => normOf(residualOf(transpose, r, zeros));
  return gradient(residualOf(matrix, x, b)) / gradient(b);
}

const TALL = tall(200);
/** The columns differ by up to 10⁴, one is zero. */
const UNEVEN = scaleMatrix(TALL, {
  cols: Float64Array.from({ length: TALL.cols }, (_, j) => (j === 77 ? 0 : 10 ** ((j * 7) % 5))),
});
const WIDE = transposeMatrix(TALL);

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, 1000);
  });
  afterAll(() => engine.dispose());

  describe.each(Object.entries(METHODS))('%s', (_, solve) => {
    test('no solution: the gradient becomes 0', () => {
      const b = Float64Array.from(sampleVector(TALL.rows, 'real', 1));
      using A = engine.operator(TALL, { format: 'csr' });
      const { x, reason, converged, relativeResidual: reported, products, iterations } = solve(A, b, { rtol: 1e-10 });
      expect([reason, converged]).toEqual(['tolerance', true]);
      expect(reported).toBeGreaterThan(1e-3);
      expect(reported).toBeCloseTo(relativeResidual(TALL, x.toArray(), b), 10);
      const transpose = transposeMatrix(TALL);
      const zeros = new Float64Array(TALL.cols);
      const gradient = normOf(residualOf(transpose, residualOf(TALL, x.toArray(), b), zeros));
      expect(gradient / normOf(residualOf(transpose, b, zeros))).toBeLessThan(1.01e-10);
      expect(products).toBe(2 * iterations + 4);
      x.dispose();
    });

    test('many solutions: the shortest one', () => {
      const expected = Float64Array.from(sampleVector(WIDE.rows, 'real', 1));
      // x = Aᵀ y is orthogonal to the null space.
      const shortest = residualOf(TALL, expected, new Float64Array(TALL.rows)).map((value) => -value);
      const b = residualOf(WIDE, shortest, new Float64Array(WIDE.rows)).map((value) => -value);
      using A = engine.operator(WIDE, { format: 'csr' });
      const { x, reason } = solve(A, b, { rtol: 1e-12 });
      expect(reason).toBe('tolerance');
      const error = x.toArray().map((value, i) => value - shortest[i]!);
      expect(normOf(error) / normOf(shortest)).toBeLessThan(1e-9);
      x.dispose();
    });

    test('one solution, from x0, and nothing stays allocated', () => {
      const matrix = gallery('laplace2d5', { nx: 12, ny: 12 });
      const { bytesInUse } = engine.heap;
      {
        const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
        using A = engine.operator(matrix, { format: 'csr' });
        const x0 = new Float64Array(matrix.rows).fill(1);
        const { x, reason } = solve(A, b, { x0 });
        expect(reason).toBe('tolerance');
        expect(normOf(residualOf(matrix, x.toArray(), b)) / normOf(b)).toBeLessThan(0.01);
        x.dispose();
      }
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    });

    test('the residual norm of the recurrence is that of x', () => {
      const b = Float64Array.from(sampleVector(TALL.rows, 'real', 1));
      using A = engine.operator(TALL, { format: 'csr' });
      for (const maxIterations of [1, 2, 5, 20]) {
        const { x, residualNorms } = solve(A, b, { maxIterations, rtol: 0 });
        expect(residualNorms.at(-1)).toBeCloseTo(normOf(residualOf(TALL, x.toArray(), b)), 10);
        x.dispose();
      }
    });

    test('a reason each', () => {
      const b = new Float64Array(TALL.rows).fill(1);
      using A = engine.operator(TALL, { format: 'csr' });
      const reasonOf = (right: Float64Array, options: Parameters<typeof lsqr>[2] = {}) => {
        const { x, reason } = solve(A, right, options);
        x.dispose();
        return reason;
      };
      expect(reasonOf(b, { maxIterations: 2 })).toBe('iterations');
      expect(reasonOf(b, { signal: AbortSignal.abort() })).toBe('stopped');
      expect(reasonOf(b.with(3, Number.NaN))).toBe('not-finite');
      expect(reasonOf(b.fill(0))).toBe('tolerance');
      using zero = engine.operator({ ...TALL, values: new Float64Array(TALL.nnz) }, { format: 'csr' });
      const { x, reason } = solve(zero, new Float64Array(TALL.rows).fill(1));
      expect(reason).toBe('tolerance');
      expect(normOf(x.toArray())).toBe(0);
      x.dispose();
    });

    test('columns of very different size: normalJacobi, and the norms of the recurrences are true', () => {
      const b = Float64Array.from(sampleVector(UNEVEN.rows, 'real', 1));
      using A = engine.operator(UNEVEN, { format: 'csr' });
      using M = normalJacobi(A);
      const plain = solve(A, b, { rtol: 1e-9, maxIterations: 5000 });
      const { x, reason, iterations, products } = solve(A, b, { rtol: 1e-9, preconditioner: M });
      expect(reason).toBe('tolerance');
      expect(iterations).toBeLessThan(plain.iterations / 2);
      expect(gradientOf(UNEVEN, x.toArray(), b)).toBeLessThan(1.01e-9);
      // The recurrence of ‖Aᵀ r‖₂ was right: no restart.
      expect(products).toBe(2 * iterations + 4);
      for (const vector of [x, plain.x]) vector.dispose();
      for (const maxIterations of [1, 2, 5, 20]) {
        const early = solve(A, b, { maxIterations, rtol: 0, preconditioner: M });
        expect(early.residualNorms.at(-1)! / normOf(residualOf(UNEVEN, early.x.toArray(), b))).toBeCloseTo(1, 10);
        early.x.dispose();
      }
    });

    test('a right preconditioner N is M⁻¹ = N Nᵀ', () => {
      const b = Float64Array.from(sampleVector(TALL.rows, 'real', 1));
      const scales = Float64Array.from({ length: TALL.cols }, (_, j) => 1 + (j % 4));
      const scaled = scaleMatrix(TALL, { cols: scales });
      using A = engine.operator(TALL, { format: 'csr' });
      using AN = engine.operator(scaled, { format: 'csr' });
      using squares = engine.vector(scales.map((scale) => scale ** 2));
      const M = functionOperator(engine, TALL.cols, TALL.cols, (g, z) => void z.multiply(squares, g));
      for (const maxIterations of [1, 3, 8]) {
        const one = solve(A, b, { preconditioner: M, rtol: 0, maxIterations });
        const other = solve(AN, b, { rtol: 0, maxIterations });
        const expected = other.x.toArray().map((z, j) => z * scales[j]!);
        one.x.toArray().forEach((value, j) => void expect(value / expected[j]!).toBeCloseTo(1, 9));
        for (const { x } of [one, other]) x.dispose();
      }
    });

    test('a preconditioner that is not definite, and one that overflows', () => {
      const b = Float64Array.from(sampleVector(TALL.rows, 'real', 1));
      using A = engine.operator(TALL, { format: 'csr' });
      for (const [factor, expected] of [
        [-1, 'not-definite'],
        [1e300, 'not-finite'],
      ] as const) {
        const M = functionOperator(
          engine,
          TALL.cols,
          TALL.cols,
          (g, z) => void z.axpby(factor, g, 0).scale(Math.abs(factor)),
        );
        const { x, reason } = solve(A, b, { preconditioner: M });
        expect(reason).toBe(expected);
        expect(x.toArray().every(Number.isFinite)).toBe(true);
        x.dispose();
      }
    });

    test.each([
      ['an unknown option', { damp: 1 }, /^options: expected only the options x0/],
      ['preconditioner', { preconditioner: 'jacobi' }, /^preconditioner: expected a linear operator/],
      ['its shape', 3, /^preconditioner: expected 200 × 200, as many as A has columns, got '3 × 3'/],
    ])('a wrong option: %s', (_, given, message) => {
      using A = engine.operator(TALL, { format: 'csr' });
      const options = given === 3 ? { preconditioner: functionOperator(engine, given, given, () => {}) } : given;
      expect(() => solve(A, new Float64Array(TALL.rows), options as never)).toThrow(message);
    });
  });
});
