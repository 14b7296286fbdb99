/** The method lobpcg of eigs: blocks, preconditioners, clusters, and what breaks other methods. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#dist/engine/engine.js';
import {
  type CsrMatrix,
  createEngine,
  type EigsOptions,
  eigs,
  factor,
  functionOperator,
  gallery,
  type SparlaneError,
} from '#dist/index.node.js';
import { SPACES } from '../solvers/engines.js';
import {
  clusters,
  cube,
  cycle,
  diagonal,
  elements,
  grid,
  hypercube,
  type KnownSpectrum,
  parts,
  truss,
} from './spectra.js';

const GRID = grid(21, 21);

const SPECTRA: readonly (readonly [string, KnownSpectrum, number])[] = [
  ['a rectangular grid', grid(25, 14), 9],
  ['a cube, with triples', cube(6), 11],
  ['a cycle', cycle(100), 8],
  ['a graph in parts', parts(3, 30, 10), 16],
  ['a hypercube', hypercube(7), 20],
  [
    'clusters',
    clusters(
      Array.from({ length: 30 }, (_, i) => i * i),
      1e-7,
    ),
    7,
  ],
  ['few values, each very often', diagonal(Array.from({ length: 200 }, (_, i) => 1 + (i % 4))), 10],
  ['an indefinite matrix', diagonal(Array.from({ length: 120 }, (_, i) => Math.sin(i) * 10)), 6],
  ['the identity', diagonal(new Array(100).fill(1)), 5],
  ['nothing but zeros', diagonal(new Array(100).fill(0)), 3],
];

/** Runs lobpcg, and checks what must always hold. */
function solved(engine: Engine, matrix: CsrMatrix, k: number, options: EigsOptions = {}, mass?: CsrMatrix) {
  const { vectors, ...found } = eigs(engine, matrix, k, { method: 'lobpcg', ...options, ...(mass && { B: mass }) });
  const n = matrix.rows;
  const all = vectors.toArray({ order: 'column' });
  vectors.dispose();
  const columns = Array.from(found.values, (_, j) => all.slice(j * n, (j + 1) * n) as Float64Array);
  expect(found.decision.method).toBe('lobpcg');
  expect(found.values).toHaveLength(k);
  for (const [j, x] of columns.entries()) {
    const image = mass === undefined ? x : times(mass, x);
    for (const [i, other] of columns.entries()) expect(dot(other, image)).toBeCloseTo(Number(i === j), 10);
    const residual = times(matrix, x).map((value, i) => value - found.values[j]! * image[i]!);
    expect(Math.abs(Math.hypot(...residual) - found.residualNorms[j]!)).toBeLessThan(1e-11);
  }
  if (found.reason === 'tolerance') expect(found.converged).toBe(k);
  return found;
}

function times({ rows, rowPtr, colIdx, values }: CsrMatrix, x: Float64Array): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sum += values[k]! * x[colIdx[k]!]!;
    return sum;
  });
}

const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);

function expectValues(values: Float64Array, expected: readonly number[], digits = 9) {
  for (const [j, value] of values.entries()) expect(value).toBeCloseTo(expected[j]!, digits);
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  test.each(['none', 'jacobi', 'ic0'])(
    'the smallest eigenvalues of a grid, double ones together, with %s',
    (preconditioner) => {
      for (const k of [1, 2, 3, 8]) {
        const { reason, values, products, iterations } = solved(engine, GRID.matrix, k, { preconditioner });
        expect(reason).toBe('tolerance');
        expectValues(values, GRID.values);
        expect(products).toBeLessThan(iterations + 5 + k);
      }
    },
  );

  test('a preconditioner pays', () => {
    const iterationsWith = (preconditioner: string) => solved(engine, GRID.matrix, 4, { preconditioner }).iterations;
    expect(iterationsWith('ic0')).toBeLessThan(0.6 * iterationsWith('none'));
  });

  test.each(SPECTRA)('smallest and largest of %s', (_, { matrix, values }, k) => {
    for (const which of ['smallest', 'largest'] as const) {
      const { reason, values: found } = solved(engine, matrix, k, { which });
      expect(reason).toBe('tolerance');
      expectValues(found, which === 'smallest' ? values : values.toReversed());
    }
  });

  test.each([
    ['a plane truss', 3, truss(9, 6)],
    ['a truss in space', 6, truss(4, 3, 3)],
  ])('%s that is free has %d motions without energy', (_, motions, matrix) => {
    const { reason, values } = solved(engine, matrix, motions + 3);
    expect(reason).toBe('tolerance');
    for (const value of values.subarray(0, motions)) expect(value).toBeCloseTo(0, 10);
    expect(values[motions]).toBeGreaterThan(1e-3);
  });

  test('A x = λ B x of linear elements', () => {
    const { matrix, mass, values: known } = elements(99);
    for (const preconditioner of ['ic0', 'none']) {
      const { reason, values } = solved(engine, matrix, 6, { preconditioner, tolerance: 1e-7 }, mass);
      expect(reason).toBe('tolerance');
      for (const [j, value] of values.entries()) expect(value / known[j]!).toBeCloseTo(1, 9);
    }
  });

  test.each<[string, number[], 'smallest' | 'largest']>([
    ['a negative number', Array.from({ length: 60 }, (_, i) => (i === 30 ? -1 : 1)), 'smallest'],
    ['zeros, and the largest eigenvalues', Array.from({ length: 60 }, (_, i) => Number(i > 20)), 'largest'],
    ['zeros only', new Array(60).fill(0), 'smallest'],
  ])('a B with %s is an error', (_, numbers, which) => {
    const options = { B: diagonal(numbers).matrix, method: 'lobpcg', which };
    expect(() => eigs(engine, grid(60, 1).matrix, 3, options)).toThrow(/^B: expected a symmetric positive definite/);
  });

  test('a B of a rank below the columns of a block is an error', () => {
    const B = diagonal(Array.from({ length: 60 }, (_, i) => Number(i < 4))).matrix;
    expect(() => eigs(engine, grid(60, 1).matrix, 3, { B, method: 'lobpcg' })).toThrow(
      /^B: expected a rank of at least 5/,
    );
  });

  test.each([
    [1, 1],
    [3, 2],
    [3, 3],
    [10, 9],
    [10, 10],
  ])('%d rows have %d eigenvalues', (n, k) => {
    const { matrix, values: known } = grid(n, 1);
    const { reason, values } = solved(engine, matrix, k);
    expect(reason).toBe('tolerance');
    expectValues(values, known);
  });

  test('numbers far from 1', () => {
    for (const scale of [1e-140, 1e140]) {
      const matrix = { ...GRID.matrix, values: GRID.matrix.values.map((value) => value * scale) };
      const {
        reason,
        values: found,
        vectors,
      } = eigs(engine, matrix, 3, { method: 'lobpcg', preconditioner: 'jacobi' });
      expect(reason).toBe('tolerance');
      expectValues(
        found.map((value) => value / scale),
        GRID.values,
      );
      vectors.dispose();
    }
  });

  test('ends with the best pairs so far', () => {
    const matrix = GRID.matrix;
    const steps: number[] = [];
    const onProgress = ({ iteration }: { readonly iteration: number }) => steps.push(iteration) < 6;
    const stopped = solved(engine, matrix, 3, { preconditioner: 'none', onProgress });
    expect([stopped.reason, stopped.iterations, steps]).toEqual(['stopped', 5, [0, 1, 2, 3, 4, 5]]);
    const few = solved(engine, matrix, 3, { preconditioner: 'none', maxIterations: 20 });
    expect([few.reason, few.iterations]).toEqual(['iterations', 20]);
    // Ritz values fall from step to step.
    for (const [j, value] of few.values.entries()) {
      expect(value).toBeLessThan(stopped.values[j]!);
      expect(value).toBeGreaterThan(GRID.values[j]! - 1e-12);
    }
  });

  test('as exact as rounding allows', () => {
    const { reason, residualNorms } = solved(engine, GRID.matrix, 4, { tolerance: 0 });
    expect(reason).toBe('tolerance');
    expect(Math.max(...residualNorms)).toBeLessThan(1e-13);
  });

  test('begins with a vector of the caller', () => {
    const matrix = GRID.matrix;
    const { vectors, iterations } = eigs(engine, matrix, 1, { method: 'lobpcg' });
    const start = vectors.toArray();
    vectors.dispose();
    const near = eigs(engine, matrix, 1, { method: 'lobpcg', start });
    expect(near.iterations).toBeLessThan(iterations / 2);
    near.vectors.dispose();
  });

  test('numbers that are not finite', () => {
    using A = functionOperator(engine, 50, 50, (_, y) => void y.set(new Float64Array(50).fill(Number.NaN)));
    const { reason, vectors } = eigs(engine, A, 2, { method: 'lobpcg' });
    expect(reason).toBe('not-finite');
    vectors.dispose();
  });

  test.each<[string, EigsOptions, RegExp]>([
    ['which', { which: 'nearest' }, /^which: expected 'smallest' or 'largest' for lobpcg/],
    ['shift', { shift: -1 }, /^shift: expected none for lobpcg/],
    ['the name of a preconditioner', { preconditioner: 'ic' }, /^preconditioner: expected jacobi \|/],
    ['a preconditioner', { preconditioner: 3 as never }, /^preconditioner: expected a name or a linear operator/],
    ['start', { start: [1, 2] }, /^start: expected length 30/],
  ])('a wrong argument: %s', (_, options, message) => {
    expect(() => eigs(engine, grid(30, 1).matrix, 2, { method: 'lobpcg', ...options })).toThrow(message);
  });

  test('a preconditioner of another size', () => {
    using M = functionOperator(engine, 20, 20, (x, y) => void y.copyFrom(x));
    expect(() => eigs(engine, grid(30, 1).matrix, 2, { preconditioner: M })).toThrow(
      /^preconditioner: expected 30 × 30/,
    );
  });
});

describe('preconditioners', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 2 });
  });
  afterAll(() => engine.dispose());

  test('multigrid is chosen for large elliptic problems, and keeps the number of iterations', () => {
    const iterations = [50, 100].map((nx) => {
      const { values, decision, ...found } = solved(engine, gallery('laplace2d5', { nx, ny: nx }), 4);
      expect(found.reason).toBe('tolerance');
      expect(decision.reasons.join()).toContain('preconditioner amg');
      const part = (j: number) => 2 - 2 * Math.cos((j * Math.PI) / (nx + 1));
      expectValues(values, [2 * part(1), part(1) + part(2), part(1) + part(2), 2 * part(2)]);
      return found.iterations;
    });
    expect(iterations[1]!).toBeLessThan(iterations[0]! + 10);
  });

  test('factors, by name or as an operator', () => {
    const matrix = GRID.matrix;
    using F = factor(engine, matrix);
    for (const preconditioner of ['direct', F]) {
      const { reason, values, iterations } = solved(engine, matrix, 4, { preconditioner });
      expect([reason, iterations < 15]).toEqual(['tolerance', true]);
      expectValues(values, GRID.values);
    }
  });

  test('frees its memory, after an error too', () => {
    const [{ matrix }, { matrix: broken }] = [grid(30, 20), diagonal(Array.from({ length: 600 }, (_, i) => i % 2))];
    const run = () => {
      solved(engine, matrix, 5);
      expect(() => eigs(engine, matrix, 5, { method: 'lobpcg', which: 'largest', B: broken })).toThrow(/^B:/);
      expect(() => eigs(engine, matrix, 5, { method: 'lobpcg', start: [1] })).toThrow(/^start/);
    };
    run();
    const { bytesInUse } = engine.heap;
    run();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('a B that is singular, and the smallest eigenvalues', () => {
    const { matrix } = grid(60, 1);
    const B = diagonal(Array.from({ length: 60 }, (_, i) => Number(i % 3 > 0))).matrix;
    const { reason, values } = solved(engine, matrix, 3, {}, B);
    expect(reason).toBe('tolerance');
    const exact = eigs(engine, matrix, 3, { B, method: 'shift-invert' });
    expectValues(values, Array.from(exact.values));
    exact.vectors.dispose();
  });

  test('elasticity, the default of which is ic0', () => {
    const matrix = gallery('elasticity3d', { nx: 6, ny: 4, nz: 4 });
    const { reason, decision, values } = solved(engine, matrix, 6);
    expect([reason, decision.reasons.join().includes('preconditioner ic0')]).toEqual(['tolerance', true]);
    const exact = eigs(engine, matrix, 6, { method: 'shift-invert' });
    expectValues(values, Array.from(exact.values));
    exact.vectors.dispose();
  });
});

test('the same bits on any number of threads', async () => {
  const matrix = gallery('laplace2d5', { nx: 70, ny: 70 });
  const found: Float64Array[] = [];
  for (const threads of [1, 2, 3]) {
    await using engine = await createEngine({ threads, onHint: () => {} });
    const { values, vectors } = eigs(engine, matrix, 4, {
      method: 'lobpcg',
      preconditioner: 'jacobi',
      maxIterations: 30,
    });
    found.push(Float64Array.of(...values, ...vectors.toArray()));
  }
  for (const numbers of found) expect(numbers.findIndex((value, i) => !Object.is(value, found[0]![i]))).toBe(-1);
});

test('in f32', async () => {
  await using engine = await createEngine({ threads: 1 });
  using A = engine.operator(GRID.matrix, { dtype: 'f32' });
  for (const preconditioner of ['none', 'ic0']) {
    const { reason, values } = eigs(engine, A, 4, { method: 'lobpcg', preconditioner, tolerance: 1e-4 });
    expect(reason).toBe('tolerance');
    expectValues(values, GRID.values, 5);
  }
});

test('memory that does not suffice is an error, and nothing stays allocated', async () => {
  const ends = new Set<string>();
  for (const k of [1, 2, 3, 4, 5, 6, 8, 20]) {
    await using engine = await createEngine({ threads: 1, maximumBytes: 3 * 2 ** 20 });
    using A = engine.operator(grid(80, 80).matrix, { format: 'csr' });
    const once = () => {
      try {
        const { vectors, reason } = eigs(engine, A, k, { method: 'lobpcg', preconditioner: 'ic0', maxIterations: 3 });
        vectors.dispose();
        return reason;
      } catch (error) {
        return (error as SparlaneError).code;
      }
    };
    ends.add(once());
    const { bytesInUse } = engine.heap;
    once();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  }
  expect(ends).toEqual(new Set(['iterations', 'heap']));
});
