/** x(α b) = α x(b) for every method, from the least numbers of a type to the greatest; and A whose numbers are as small, or as large. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { Engine } from '#dist/engine/engine.js';
import {
  blockCg,
  cg,
  cgMany,
  createEngine,
  gallery,
  jacobi,
  powerIteration,
  precondition,
  solve,
  type Vector,
} from '#dist/index.node.js';
import { PRECONDITIONERS } from '#dist/preconditioners/registry.js';
import { METHODS } from '#dist/solvers/methods.js';
import { SPACES, useSums } from './engines.js';
import { solveBy } from './methods.js';

const MATRIX = gallery('laplace2d5', { nx: 9, ny: 8 });
const N = MATRIX.rows;
const TALL = gallery('dense', { rows: 40, cols: 24 });
const ALL = METHODS.map(({ name }) => name);

/** A value of 2⁻⁷ times an integer, so that few of its bits are lost in f32. */
const sample = (length: number, seed: number) =>
  Float64Array.from(sampleVector(length, 'real', seed), (value) => Math.round(128 * value) / 128);

/** Powers of two for which all numbers of a solve that count are normal ones. */
const GREATEST = { f64: 960, mixed: 960, f32: 80 } as const;
type Dtype = keyof typeof GREATEST;

const scaled = (numbers: Float64Array, factor: number) => numbers.map((value) => value * factor);

function timesMatrix({ rows, rowPtr, colIdx, values }: typeof MATRIX, x: Float64Array): Float64Array {
  const y = new Float64Array(rows);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) y[i]! += values[k]! * x[colIdx[k]!]!;
  return y;
}

/** max |x / α − expected| / max |expected| */
function errorOf(x: ArrayLike<number>, factor: number, expected: Float64Array): number {
  const greatest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return expected.reduce((most, value, i) => Math.max(most, Math.abs(x[i]! / factor - value)), 0) / greatest;
}

describe.each(SPACES)('%s', (place, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, 1000);
  });
  afterAll(() => engine.dispose());

  const X = sample(N, 1);
  const B = timesMatrix(MATRIX, X);

  // The device that is none has products of f64.
  describe.each<Dtype>(place === 'in the heap' ? ['f64', 'mixed', 'f32'] : ['f64'])('%s', (dtype) => {
    const type = dtype === 'f32' ? Float32Array : Float64Array;
    const rtol = dtype === 'f32' ? 1e-4 : 1e-8;
    const exponents = fc.integer({ min: -GREATEST[dtype], max: GREATEST[dtype] });

    test.each(ALL)('%s: a power of two changes no bit', (method) => {
      using A = engine.operator(MATRIX, { format: 'csr', dtype });
      using M = jacobi(A);
      const start = sample(N, 2);
      const run = (exponent: number, hasStart: boolean, hasM: boolean, atol: number) => {
        const factor = 2 ** exponent;
        const options = { rtol, atol: atol * factor, ...(hasStart && { x0: new type(scaled(start, factor)) }) };
        const norms: number[] = [];
        const { x, ...end } = solveBy(method)(A, new type(scaled(B, factor)), {
          ...options,
          ...(hasM && { preconditioner: M }),
          onStep: ({ residualNorm }) => void norms.push(residualNorm / factor),
        });
        const { reason, converged, iterations, relativeResidual, residualNorms } = end;
        const numbers = Array.from(x.toArray(), (value) => value / factor);
        x.dispose();
        const own = residualNorms.map((norm) => norm / factor);
        return { numbers, reason, converged, iterations, relativeResidual, own, norms };
      };
      fc.assert(
        fc.property(exponents, fc.boolean(), fc.boolean(), fc.constantFrom(0, 1e-2), (exponent, ...others) => {
          const expected = run(0, ...others);
          expect(expected.converged).toBe(true);
          expect(run(exponent, ...others)).toEqual(expected);
        }),
        {
          numRuns: 6,
          seed: 1,
          examples: [
            [-GREATEST[dtype], false, true, 0],
            [GREATEST[dtype], true, false, 0],
          ],
        },
      );
    });

    test.each(ALL)('%s: any α, as near to the solution', (method) => {
      const [least, greatest] = dtype === 'f32' ? [1e-34, 1e34] : [1e-300, 1e300];
      using A = engine.operator(MATRIX, { format: 'csr', dtype });
      const alphas = fc.double({ min: Math.log10(least), max: Math.log10(greatest), noNaN: true });
      const isSolved = (alpha: number) => {
        const { x, converged, relativeResidual, residualNorms } = solveBy(method)(A, new type(scaled(B, alpha)), {
          rtol: dtype === 'f32' ? 1e-5 : 1e-10,
        });
        const error = errorOf(x.toArray(), alpha, X);
        x.dispose();
        expect([alpha, converged]).toEqual([alpha, true]);
        expect(relativeResidual).toBeLessThan(1e-3);
        expect(relativeResidual).toBeGreaterThan(0);
        expect(residualNorms[0]! / alpha).toBeCloseTo(residualNormOf(B), 3);
        expect(error).toBeLessThan(dtype === 'f32' ? 0.02 : 1e-7);
      };
      for (const alpha of [1e-165, 1e-160, 1e153, 1e160].filter((one) => one > least && one < greatest))
        isSolved(alpha);
      fc.assert(
        fc.property(alphas, (exponent) => isSolved(10 ** exponent)),
        { numRuns: 5, seed: 2, examples: [[Math.log10(least)], [Math.log10(greatest)]] },
      );
    });
  });

  test.each(METHODS.filter(({ solves }) => solves === 'any').map(({ name }) => name))(
    '%s: a system without a solution',
    (method) => {
      using A = engine.operator(TALL, { format: 'csr' });
      const b = sample(TALL.rows, 3);
      const run = (factor: number) => {
        const { x, converged, relativeResidual, iterations } = solveBy(method)(A, scaled(b, factor));
        const numbers = Array.from(x.toArray(), (value) => value / factor);
        x.dispose();
        return { numbers, converged, relativeResidual, iterations };
      };
      const expected = run(1);
      expect(expected.converged).toBe(true);
      expect(expected.relativeResidual).toBeGreaterThan(0.1);
      for (const exponent of [-900, -530, 510, 900]) expect(run(2 ** exponent)).toEqual(expected);
    },
  );

  describe('columns of very different scale', () => {
    const EXPONENTS = [0, -600, 600, Number.NEGATIVE_INFINITY, -90, 960];
    const columns = EXPONENTS.map((exponent, j) => scaled(timesMatrix(MATRIX, sample(N, j + 1)), 2 ** exponent));
    const blockOf = (of: readonly Float64Array[]) =>
      engine.vector(
        Float64Array.from({ length: N * of.length }, (_, k) => of[Math.floor(k / N)]![k % N]!),
        { columns: of.length, order: 'column' },
      );
    const starts = EXPONENTS.map((exponent, j) => scaled(sample(N, j + 20), 2 ** exponent));
    const columnOf = (x: Vector, j: number) => x.toArray({ order: 'column' }).slice(j * N, (j + 1) * N);

    test.each([false, true])('cgMany: each has the bits of cg (x0: %s)', (hasStart) => {
      using A = engine.operator(MATRIX, { format: 'csr' });
      using right = blockOf(columns);
      using x0 = blockOf(starts);
      const many = cgMany(A, right, hasStart ? { x0 } : {});
      using x = many.x;
      expect(many.converged).toBe(true);
      columns.forEach((b, j) => {
        const alone = cg(A, b, hasStart ? { x0: starts[j]! } : {});
        expect(columnOf(x, j)).toEqual(alone.x.toArray());
        const { relativeResidual, residualNorms, iterations } = alone;
        expect(many.columns[j]).toMatchObject({ relativeResidual, residualNorms, iterations });
        alone.x.dispose();
      });
    });

    test('blockCg: each is solved, in the iterations of columns of one scale', () => {
      using A = engine.operator(MATRIX, { format: 'csr' });
      using right = blockOf(columns);
      using alike = blockOf(columns.map((b, j) => (j === 3 ? b : scaled(b, 2 ** -EXPONENTS[j]!))));
      const expected = blockCg(A, alike, { rtol: 1e-10 });
      const { x, converged, columns: ends } = blockCg(A, right, { rtol: 1e-10 });
      expect([expected.converged, converged]).toEqual([true, true]);
      for (const [j, exponent] of EXPONENTS.entries()) {
        const { iterations, relativeResidual } = expected.columns[j]!;
        expect(ends[j]).toMatchObject({ iterations, relativeResidual });
        if (j !== 3) expect(scaled(columnOf(x, j) as Float64Array, 2 ** -exponent)).toEqual(columnOf(expected.x, j));
      }
      for (const one of [x, expected.x]) one.dispose();
    });
  });

  test('an x0 that dwarfs b, or that b dwarfs', () => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    for (const [of, ofX0] of [
      [1, 1e60],
      [1e-180, 1e-120],
      [1e-300, 1e-240],
      [1e300, 1e-300],
    ] as const) {
      // Rounding leaves 16 digits of each restart.
      const options = { x0: scaled(sample(N, 4), ofX0), maxIterations: 100_000 };
      const { x, converged, reason } = cg(A, scaled(B, of), options);
      expect([of, ofX0, reason]).toEqual([of, ofX0, 'tolerance']);
      expect(converged).toBe(true);
      expect(errorOf(x.toArray(), of, X)).toBeLessThan(1e-6);
      x.dispose();
    }
    // 300 digits apart: solved or not, x is finite and what is said of it is true.
    for (const of of [1e-180, 1e120]) {
      const { x, converged } = cg(A, scaled(B, of), { x0: scaled(sample(N, 4), of === 1e120 ? 1e-180 : 1e120) });
      expect(x.toArray().every(Number.isFinite)).toBe(true);
      expect(errorOf(x.toArray(), of, X) < 1e-6).toBe(converged);
      x.dispose();
    }
  });

  test('an x that f64 has not is no solution, and what is returned is finite', () => {
    for (const [of, ofA, expected] of [
      [1e-300, 1e200, 'stagnated'],
      [1e200, 1e-200, 'not-finite'],
    ] as const) {
      using A = engine.operator({ ...MATRIX, values: scaled(MATRIX.values as Float64Array, ofA) }, { format: 'csr' });
      using right = engine.vector(scaled(B, of));
      const [one, many] = [cg(A, right), cgMany(A, right)];
      for (const end of [one, ...many.columns])
        expect(end).toMatchObject({ converged: false, reason: expected, relativeResidual: 1 });
      for (const { x } of [one, many]) {
        expect(x.toArray().every((value) => value === 0)).toBe(true);
        x.dispose();
      }
    }
  });

  test('atol is in the units of the caller', () => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    const { x, converged, iterations, relativeResidual } = cg(A, scaled(B, 1e-200), { rtol: 0, atol: 1e-203 });
    expect(converged).toBe(true);
    expect(iterations).toBeGreaterThan(3);
    expect(relativeResidual * residualNormOf(B)).toBeLessThanOrEqual(1e-3);
    expect(relativeResidual * residualNormOf(B)).toBeGreaterThan(1e-6);
    x.dispose();
    const zero = cg(A, new Float64Array(N), { atol: 1e-203, x0: scaled(X, 1e-200) });
    expect(zero.converged).toBe(true);
    expect(zero.relativeResidual).toBeGreaterThan(0);
    expect(zero.relativeResidual).toBeLessThanOrEqual(1e-203);
    zero.x.dispose();
  });

  test.each([1e-310, 1e-200, 1e-160, 1e160, 1e200, 1e300])('power iteration of A times %d', (factor) => {
    using A = engine.operator({ ...MATRIX, values: scaled(MATRIX.values as Float64Array, factor) }, { format: 'csr' });
    const { x, value, reason } = powerIteration(A, { rtol: 1e-4 });
    expect(reason).toBe('tolerance');
    expect(value / factor).toBeCloseTo(4 + 2 * Math.cos(Math.PI / 10) + 2 * Math.cos(Math.PI / 9), 3);
    x.dispose();
  });
});

/** ‖b‖₂ of ordinary numbers. */
function residualNormOf(b: Float64Array): number {
  return Math.hypot(...b);
}

describe('A times 1e±200, and more', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 1 });
  });
  afterAll(() => engine.dispose());

  const X = sample(N, 1);
  const FACTORS = [1e-310, 1e-300, 1e-200, 1e-160, 1e-100, 1e100, 1e160, 1e200, 1e300];
  const KINDS = ['none', ...PRECONDITIONERS.map(({ name }) => name)];

  test.each(
    METHODS.flatMap(({ name, solves }) => (solves === 'any' ? ['none', 'jacobi'] : KINDS).map((M) => [name, M])),
  )('%s with %s: the solution, or a reason', (method, preconditioner) => {
    for (const factor of FACTORS) {
      const matrix = { ...MATRIX, values: scaled(MATRIX.values as Float64Array, factor) };
      const b = timesMatrix(matrix, X);
      for (const [right, size] of [
        [b, 1],
        [scaled(b, 1 / factor), 1 / factor],
      ] as const) {
        if (!Number.isFinite(size)) continue;
        try {
          const { x, converged, relativeResidual } = solve(engine, matrix, right, {
            method,
            preconditioner,
            rtol: 1e-9,
          });
          const error = errorOf(x.toArray(), size, X);
          x.dispose();
          if (converged) expect([factor, error < 1e-3]).toEqual([factor, true]);
          else expect([factor, relativeResidual > 1e-9]).toEqual([factor, true]);
        } catch (error) {
          // A preconditioner that cannot be made of such numbers.
          expect(error).toMatchObject({ code: 'structure' });
        }
      }
    }
  });

  test('no options: solved, but for numbers whose inverse overflows', () => {
    for (const factor of FACTORS.slice(1)) {
      const matrix = { ...MATRIX, values: scaled(MATRIX.values as Float64Array, factor) };
      const { x, reason } = solve(engine, matrix, timesMatrix(matrix, X));
      expect([factor, reason]).toEqual([factor, 'tolerance']);
      expect(errorOf(x.toArray(), 1, X)).toBeLessThan(1e-4);
      x.dispose();
    }
  });

  test('a preconditioner made of it is that of A, scaled', () => {
    for (const { name } of PRECONDITIONERS) {
      const apply = (factor: number) => {
        const values = scaled(MATRIX.values as Float64Array, factor);
        using M = precondition(engine, { ...MATRIX, values }, name, { dtype: 'f64' });
        const z = new Float64Array(N);
        M.apply(X, z);
        return z;
      };
      const expected = apply(1);
      for (const exponent of [-600, 600])
        expect(errorOf(apply(2 ** exponent), 2 ** -exponent, expected)).toBeLessThan(1e-9);
    }
  });
});
