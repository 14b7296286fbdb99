/** Least squares by the factors of the augmented system: where iterations are slow or stand still, and where they are named. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import {
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  createSolver,
  type Engine,
  solve,
  solveAsync,
  transposeMatrix,
} from '#dist/index.node.js';
import { useSums } from './engines.js';
import { normOf, residualOf } from './residual.js';

/** ‖Aᵀ (b − A x)‖₂ / ‖Aᵀ b‖₂ */
function gradientOf(matrix: CsrMatrix, x: ArrayLike<number>, b: Float64Array): number {
  const transpose = transposeMatrix(matrix);
  const zeros = new Float64Array(matrix.cols);
  const gradient = (r: Float64Array) => normOf(residualOf(transpose, r, zeros));
  return gradient(residualOf(matrix, x, b)) / gradient(b);
}

const product = (matrix: CsrMatrix, x: Float64Array) =>
  residualOf(matrix, x, new Float64Array(matrix.rows)).map((value) => -value);

/** Differences of heights that were measured with weights from 1e-3 to 1e3. The condition is some 10⁷. */
function levelling(points: number): CsrMatrix {
  const builder = new CsrBuilder(3 * points, points);
  builder.add(0, 0, 1);
  let seed = 1;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  for (let i = 1; i < 3 * points; i++) {
    const weight = 10 ** (6 * random() - 3);
    builder.add(i, i % points, weight);
    builder.add(i, ((i % points) + 1 + Math.floor(3 * random())) % points, -weight);
  }
  return builder.build();
}

/** Powers of x at points of [0, 1]. */
function polynomials(points: number, degree: number): CsrMatrix {
  const builder = new CsrBuilder(points, degree + 1);
  for (let i = 0; i < points; i++) for (let j = 0; j <= degree; j++) builder.add(i, j, (i / (points - 1)) ** j);
  return builder.build();
}

/** Läuchli's matrix: a row of ones above ε I. The squares of ε are lost beside 1. */
function lauchli(cols: number, epsilon: number): CsrMatrix {
  const builder = new CsrBuilder(cols + 1, cols);
  for (let j = 0; j < cols; j++) {
    builder.add(0, j, 1);
    builder.add(j + 1, j, epsilon);
  }
  return builder.build();
}

describe('where iterations take long', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 1 });
    useSums(engine, 60_000);
  });
  afterAll(() => engine.dispose());

  test('a network with weights of all sizes: lsmr alone does not arrive, solve does', () => {
    const matrix = levelling(2000);
    const { bytesInUse } = engine.heap;
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
    const alone = solve(engine, matrix, b, { method: 'lsmr' });
    expect(alone.reason).toBe('iterations');
    expect(gradientOf(matrix, alone.x.toArray(), b)).toBeGreaterThan(1e-8);
    alone.x.dispose();
    const { x, reason, decision } = solve(engine, matrix, b);
    expect(reason).toBe('tolerance');
    expect(gradientOf(matrix, x.toArray(), b)).toBeLessThan(1.01e-8);
    expect(decision.attempts.map(({ method }) => method)).toEqual(['lsmr', 'direct']);
    expect(decision.attempts[0]!.reason).toBe('slow');
    expect(decision.reasons.join()).toContain('the factors are those of [α I, A; Aᵀ, 0]');
    x.dispose();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test.each([
    ['polynomials of degree 10', polynomials(200, 10), 1e8],
    ["Läuchli's matrix", lauchli(60, 1e-7), 1e8],
    ['a network', levelling(300), 1e7],
  ] as const)('%s: direct is as accurate as the condition of A allows, not that of Aᵀ A', (_, matrix, condition) => {
    const expected = Float64Array.from(sampleVector(matrix.cols, 'real', 1));
    const b = product(matrix, expected);
    const { x, converged, iterations } = solve(engine, matrix, b, { method: 'direct', rtol: 1e-14 });
    const error = x.toArray().map((value, i) => value - expected[i]!);
    expect(normOf(error) / normOf(expected)).toBeLessThan(condition * 2 ** -50);
    expect(converged).toBe(true);
    expect(iterations).toBeLessThanOrEqual(3);
    x.dispose();
  });

  test('a tolerance below rounding errors: a reason says so', () => {
    const matrix = levelling(2000);
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
    const { x, reason, decision } = solve(engine, matrix, b, { rtol: 1e-14 });
    expect(reason).toBe('stagnated');
    expect(gradientOf(matrix, x.toArray(), b)).toBeLessThan(1e-10);
    expect(decision.reasons.at(-1)).toMatch(/^Aᵀ \(b − A x\) consists of rounding errors/);
    x.dispose();
  });

  test('more columns than rows: the shortest x', () => {
    const tall = levelling(300);
    const wide = transposeMatrix(tall);
    const shortest = product(tall, Float64Array.from(sampleVector(tall.cols, 'real', 1)));
    const b = product(wide, shortest);
    const { x, reason } = solve(engine, wide, b, { method: 'direct', rtol: 1e-12 });
    expect(reason).toBe('tolerance');
    const error = x.toArray().map((value, i) => value - shortest[i]!);
    expect(normOf(error) / normOf(shortest)).toBeLessThan(1e-8);
    x.dispose();
  });

  test('a solver: other values keep the analysis, and need no iterations', () => {
    const matrix = levelling(2000);
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
    const { bytesInUse } = engine.heap;
    {
      using solver = createSolver(engine, matrix);
      solver.solve(b).x.dispose();
      const again = solver.solve(b);
      expect(again.decision.attempts.map(({ method }) => method)).toEqual(['direct']);
      again.x.dispose();
      const values = matrix.values.map((value, k) => value * (1 + (k % 5)));
      solver.update(values);
      const { x, reason } = solver.solve(b);
      expect(reason).toBe('tolerance');
      expect(gradientOf({ ...matrix, values }, x.toArray(), b)).toBeLessThan(1.01e-8);
      x.dispose();
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('what is stopped while factors are made ends with the x of lsmr', async () => {
    const matrix = levelling(20_000);
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
    const { bytesInUse } = engine.heap;
    const controller = new AbortController();
    const solving = solveAsync(engine, matrix, b, {
      method: 'direct',
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    const { x, reason, relativeResidual } = await solving;
    expect([reason, x.length, relativeResidual]).toEqual(['stopped', matrix.cols, 1]);
    x.dispose();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('factors that do not fit are refused, and lsmr ends by itself', async () => {
    const matrix = levelling(2000);
    const b = Float64Array.from(sampleVector(matrix.rows, 'real', 1));
    await using small = await createEngine({ threads: 1, maximumBytes: 2 ** 21 });
    const { x, converged, decision } = solve(small, matrix, b, { maxIterations: 2000 });
    expect(converged).toBe(false);
    expect(decision.method).toBe('lsmr');
    expect(decision.reasons.join()).toMatch(/not direct: factors: expected room for \d+ bytes/);
    x.dispose();
  });

  test('columns that depend on each other, of zeros, and rows of zeros: a least residual all the same', () => {
    const columns = (rows: number, of: ((i: number) => number)[]) => {
      const builder = new CsrBuilder(rows, of.length);
      for (let i = 0; i < rows; i++)
        for (const [j, value] of of.entries()) if (value(i) !== 0) builder.add(i, j, value(i));
      return builder.build();
    };
    const SINGULAR = [
      columns(6, [(i) => i + 1, (i) => i + 1, () => 1]),
      columns(6, [(i) => i + 1, () => 0, () => 1]),
      columns(6, [(i) => (i < 5 ? i + 1 : 0), (i) => (i < 5 ? 1 : 0), (i) => (i < 5 ? i * i : 0)]),
    ];
    for (const matrix of SINGULAR) {
      const b = Float64Array.of(1, 2, 3, 4, 5, 7);
      const { x, converged } = solve(engine, matrix, b, { method: 'direct' });
      expect(converged).toBe(true);
      expect(gradientOf(matrix, x.toArray(), b)).toBeLessThan(1e-8);
      expect(normOf(x.toArray())).toBeLessThan(10);
      x.dispose();
    }
  });

  test.each([
    [[[3, 4]], [5], [0.6, 0.8]],
    [[[3], [4]], [5, 5], [1.4]],
  ])('%j', (rows, b, expected) => {
    const { x, reason } = solve(engine, rows, b, { method: 'direct' });
    expect(reason).toBe('tolerance');
    for (const [i, value] of x.toArray().entries()) expect(value).toBeCloseTo(expected[i]!, 14);
    x.dispose();
  });

  test('an operator of f32', () => {
    const matrix = levelling(300);
    using A = engine.operator(matrix, { dtype: 'f32' });
    const b = Float32Array.from(sampleVector(matrix.rows, 'real', 1));
    const { x, converged, decision } = solve(engine, A, b, { rtol: 1e-4 });
    expect([converged, decision.method, x.type]).toEqual([true, 'direct', Float32Array]);
    x.dispose();
  });

  test('numbers whose squares overflow: lsmr has no norm of them, the factors have', () => {
    const { x, converged, decision } = solve(
      engine,
      [
        [1e200, 1],
        [1, 2],
        [3, 1e200],
      ],
      [1e200, 1, 1],
    );
    expect([converged, decision.method]).toEqual([true, 'direct']);
    expect(x.data[0]).toBeCloseTo(1, 14);
    x.dispose();
  });
});
