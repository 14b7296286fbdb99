/** eigs: known spectra, of which no pair may be missed; in the heap, on a device that is none, by every method. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EIGEN_METHODS } from '#dist/eigen/methods.js';
import type { Engine } from '#dist/engine/engine.js';
import {
  type CsrMatrix,
  createEngine,
  type EigenSolution,
  type EigsOptions,
  eigs,
  eigsAsync,
  functionOperator,
  gallery,
} from '#dist/index.node.js';
import { drawFrom } from '../../bench/draw.mjs';
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

/** y = A x, on the host. */
function times({ rows, rowPtr, colIdx, values }: CsrMatrix, x: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let sum = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) sum += values[k]! * x[colIdx[k]!]!;
    return sum;
  });
}

const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
  Array.from(x).reduce((sum, value, i) => sum + value * y[i]!, 0);

/** What must hold of any solution: residuals are as reported, vectors orthonormal, the order right. */
function check(solution: EigenSolution, matrix: CsrMatrix, mass?: CsrMatrix) {
  const { values, vectors, residualNorms, converged, reason } = solution;
  const n = matrix.rows;
  expect([vectors.length, vectors.columns]).toEqual([n, values.length]);
  const all = vectors.toArray({ order: 'column' });
  const columns = Array.from(values, (_, j) => all.subarray(j * n, (j + 1) * n));
  const images = columns.map((x) => (mass === undefined ? x : times(mass, x)));
  const scale = Math.max(...matrix.values.map(Math.abs));
  for (const [j, x] of columns.entries()) {
    const product = times(matrix, x);
    const norm = Math.hypot(...product.map((value, i) => value - values[j]! * images[j]![i]!));
    expect(Math.abs(norm - residualNorms[j]!)).toBeLessThanOrEqual(1e-13 * scale * Math.hypot(...x) + 1e-6 * norm);
    for (let i = 0; i <= j; i++) expect(dot(columns[i]!, images[j]!)).toBeCloseTo(i === j ? 1 : 0, 7);
  }
  if (reason === 'tolerance') expect(converged).toBe(values.length);
  vectors.dispose();
  return solution;
}

/** Checks that the values are the best of the spectrum, each as often as it is there. */
function expectAll({ values, reason }: EigenSolution, known: readonly number[], k: number, digits = 1e-9): void {
  expect(reason).toBe('tolerance');
  expect(values).toHaveLength(k);
  const scale = Math.max(...known.map(Math.abs));
  for (const [j, value] of values.entries()) expect(Math.abs(value - known[j]!)).toBeLessThanOrEqual(digits * scale);
}

const descending = (values: readonly number[]) => [...values].reverse();
const near = (values: readonly number[], shift: number) =>
  [...values].sort((a, b) => Math.abs(a - shift) - Math.abs(b - shift));

const SPECTRA: readonly (readonly [string, KnownSpectrum, number])[] = [
  ['a square grid, with pairs', grid(20, 20), 12],
  ['a rectangular grid', grid(25, 14), 9],
  ['a cube, with triples', cube(7), 11],
  ['a cycle', cycle(150), 8],
  ['a graph in parts', parts(3, 40, 15), 25],
  ['a hypercube', hypercube(7), 20],
  [
    'clusters',
    clusters(
      [
        1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114,
        115, 116, 117, 118, 119, 120, 121, 122, 123, 124,
      ],
      1e-7,
    ),
    7,
  ],
  ['few values, each very often', diagonal(Array.from({ length: 300 }, (_, i) => 1 + (i % 4))), 10],
  ['an indefinite matrix', diagonal(Array.from({ length: 200 }, (_, i) => Math.sin(i) * 10)), 6],
  ['the identity', diagonal(new Array(100).fill(1)), 5],
  ['nothing but zeros', diagonal(new Array(100).fill(0)), 3],
];

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  test.each(SPECTRA)('smallest and largest of %s', (_, { matrix, values }, k) => {
    const methods = engine.space.heap === undefined ? ['lanczos'] : ['shift-invert', 'lanczos'];
    for (const method of methods) expectAll(check(eigs(engine, matrix, k, { method }), matrix), values, k);
    expectAll(check(eigs(engine, matrix, k, { which: 'largest' }), matrix), descending(values), k);
  });

  test.each([1, 2, 3, 5, 40])('a matrix of size %d, all and one', (n) => {
    const { matrix, values } = grid(n, 1);
    expectAll(check(eigs(engine, matrix, n), matrix), values, n);
    expectAll(check(eigs(engine, matrix, 1), matrix), values, 1);
    expectAll(check(eigs(engine, matrix, 1, { which: 'largest' }), matrix), descending(values), 1);
  });

  test('an operator of products only', () => {
    const { values } = grid(60, 1);
    using A = functionOperator(engine, 60, 60, (x, y) => {
      const numbers = x.toArray();
      y.set(numbers.map((value, i) => 4 * value - (numbers[i - 1] ?? 0) - (numbers[i + 1] ?? 0)));
    });
    const solution = eigs(engine, A, 4);
    expectAll(solution, values, 4);
    expect(solution.decision.method).toBe('lanczos');
    solution.vectors.dispose();
  });

  test('an operator of a matrix, and its memory', () => {
    const { matrix, values } = grid(20, 10);
    using A = engine.operator(matrix, { format: 'csr' });
    const once = () => expectAll(check(eigs(engine, A, 3), matrix), values, 3);
    once();
    const { bytesInUse } = engine.heap;
    once();
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});

describe('in the heap', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 2 });
  });
  afterAll(() => engine.dispose());

  test.each([
    ['a square grid', grid(20, 20), 12, 2],
    ['a square grid', grid(20, 20), 7, 8],
    ['a square grid, at a value that is there 20 times', grid(20, 20), 26, 4],
    ['a hypercube, between values', hypercube(7), 30, 5],
    ['a hypercube, at a value', hypercube(7), 25, 4],
    ['a graph in parts, at 0', parts(3, 40, 15), 25, 0],
    ['an indefinite matrix', diagonal(Array.from({ length: 200 }, (_, i) => Math.sin(i) * 10)), 9, 0],
    [
      'clusters',
      clusters(
        Array.from({ length: 60 }, (_, i) => i + 1),
        1e-7,
      ),
      5,
      30.2,
    ],
  ] as const)('nearest of %s', (_, { matrix, values }, k, shift) => {
    const solution = check(eigs(engine, matrix, k, { which: 'nearest', shift }), matrix);
    const distances = near(values, shift).map((value) => Math.abs(value - shift));
    expectAll({ ...solution, values: solution.values.map((value) => Math.abs(value - shift)) }, distances, k);
    expect(solution.decision.reasons.some((reason) => /^inertia: (\d+) eigenvalues .* and \1 were/.test(reason))).toBe(
      true,
    );
  });

  test('inertia proves that no value of a grid is missing', () => {
    const { matrix, values } = grid(30, 30);
    const { decision, solves, iterations } = check(eigs(engine, matrix, 10), matrix);
    expect(decision.method).toBe('shift-invert');
    const below = values.filter((value) => value < values[9]! - 1e-6).length;
    expect(decision.reasons).toContainEqual(expect.stringMatching(`^inertia: ${below} eigenvalues .* ${below} were`));
    expect([solves > iterations - 1, solves < 200]).toEqual([true, true]);
  });

  test('stiffness and mass: the smallest, the largest, the nearest', () => {
    const { matrix, mass, values } = elements(150);
    const solve = (k: number, options: EigsOptions = {}) =>
      check(eigs(engine, matrix, k, { B: mass, ...options }), matrix, mass);
    expectAll(solve(8), values, 8, 1e-12);
    expectAll(solve(8, { which: 'largest' }), descending(values), 8);
    expectAll(solve(8, { method: 'lanczos' }), values, 8);
    const shift = 3000;
    expectAll(solve(8, { which: 'nearest', shift }), near(values, shift), 8);
  });

  test('a mass of which most elements are 0: as many values as there are masses', () => {
    const { matrix } = elements(60);
    const mass = diagonal(Array.from({ length: 60 }, (_, i) => (i % 10 === 0 ? 1 : 0))).matrix;
    // Eliminated by hand: K restricted to the masses, by Schur's complement, is that of springs in series.
    const lengths = [1, 10, 10, 10, 10, 10, 10];
    const springs = lengths.map((length) => 61 / length);
    const reduced = Array.from({ length: 6 }, (_, i) =>
      Array.from({ length: 6 }, (_, j) =>
        i === j ? springs[i]! + springs[i + 1]! : Math.abs(i - j) === 1 ? -springs[Math.max(i, j)]! : 0,
      ),
    );
    const expected = check(eigs(engine, reduced, 6), diagonalOf(reduced)).values;
    for (const k of [3, 6, 8]) {
      const { values, decision } = check(eigs(engine, matrix, k, { B: mass }), matrix, mass);
      expect(values).toHaveLength(Math.min(k, 6));
      for (const [j, value] of values.entries()) expect(value / expected[j]!).toBeCloseTo(1, 9);
      if (k === 8) expect(decision.reasons).toContain('B has rank 6: there are no more eigenvalues');
    }
  });

  test.each([
    ['a plane truss', 3, truss(9, 6)],
    ['a truss in space', 6, truss(5, 4, 3)],
  ])('%s that is free has %d motions without energy', (_, motions, matrix) => {
    const { values, reason } = check(eigs(engine, matrix, motions + 3), matrix);
    expect(reason).toBe('tolerance');
    const scale = Math.max(...matrix.values);
    for (const value of values.subarray(0, motions)) expect(Math.abs(value)).toBeLessThan(1e-12 * scale);
    expect(values[motions]!).toBeGreaterThan(1e-4 * scale);
    const products = check(eigs(engine, matrix, motions + 3, { method: 'lanczos' }), matrix);
    for (const [j, value] of products.values.entries()) expect(value).toBeCloseTo(values[j]!, 10);
  });

  test('random sparse matrices, against all of their eigenvalues', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const matrix = symmetricRandom(120, seed);
      const all = Array.from(check(eigs(engine, matrix, 120), matrix).values);
      expectAll(check(eigs(engine, matrix, 9), matrix), all, 9);
      expectAll(check(eigs(engine, matrix, 9, { method: 'lanczos' }), matrix), all, 9);
      expectAll(check(eigs(engine, matrix, 9, { which: 'largest' }), matrix), descending(all), 9);
      expectAll(check(eigs(engine, matrix, 9, { which: 'nearest', shift: 0.3 }), matrix), near(all, 0.3), 9);
    }
  });

  test('a shift below all values is taken, one that is not is moved', () => {
    const { matrix, values } = grid(20, 20);
    const taken = check(eigs(engine, matrix, 5, { shift: -0.5 }), matrix);
    expectAll(taken, values, 5);
    expect(taken.decision.reasons).toContain('shift -0.5, factors by ldlt');
    const moved = check(eigs(engine, matrix, 5, { shift: 1 }), matrix);
    expectAll(moved, values, 5);
  });

  test('f32', () => {
    const { matrix, values } = grid(15, 15);
    using A = engine.operator(matrix, { dtype: 'f32' });
    for (const method of ['shift-invert', 'lanczos']) {
      const solution = eigs(engine, A, 6, { method });
      expectAll(solution, values, 6, 1e-5);
      solution.vectors.dispose();
    }
  });

  test.each([1e-150, 1e150])('numbers of about %d', (scale) => {
    const { matrix, values } = grid(12, 9);
    const scaled = { ...matrix, values: matrix.values.map((value) => value * scale) };
    for (const options of [{}, { method: 'lanczos' }, { which: 'nearest', shift: 3 * scale }] as const) {
      const known = 'which' in options ? near(values, 3) : values;
      const solution = eigs(engine, scaled, 4, options);
      expectAll(
        solution,
        known.map((value) => value * scale),
        4,
      );
      solution.vectors.dispose();
    }
  });

  test('the same bits on 1 and 3 threads', async () => {
    const run = async (threads: number) => {
      await using own = await createEngine({ threads });
      const results = [{}, { method: 'lanczos' }, { which: 'nearest', shift: 3 }].map((options) => {
        const { values, vectors, residualNorms } = eigs(
          own,
          gallery('laplace2d5', { nx: 40, ny: 35 }),
          5,
          options as EigsOptions,
        );
        return [values, vectors.toArray(), residualNorms];
      });
      return results;
    };
    expect(await run(3)).toEqual(await run(1));
  });

  test('limits and stops: the best pairs so far, and never more converged than are', async () => {
    const { matrix, values } = grid(40, 40);
    for (const method of ['shift-invert', 'lanczos'])
      for (const maxIterations of [1, 2, 30, 45]) {
        const { reason, converged, iterations, residualNorms, ...solution } = check(
          eigs(engine, matrix, 10, { method, maxIterations }),
          matrix,
        );
        expect([reason, iterations]).toEqual(['iterations', maxIterations]);
        expect(solution.values).toHaveLength(Math.min(10, maxIterations));
        const good = residualNorms.filter((norm, j) => norm <= 1e-8 * Math.max(solution.values[j]!, 8e-4));
        expect(converged).toBe(good.length);
      }
    const steps: number[] = [];
    const stopped = check(
      eigs(engine, matrix, 10, { method: 'lanczos', onProgress: ({ iteration }) => steps.push(iteration) < 3 }),
      matrix,
    );
    expect([stopped.reason, steps.length]).toEqual(['stopped', 3]);
    expect(stopped.values[0]).toBeCloseTo(values[0]!, 1);
    const controller = new AbortController();
    const running = eigsAsync(engine, grid(150, 150).matrix, 10, {
      method: 'lanczos',
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    const aborted = await running;
    expect(aborted.reason).toBe('stopped');
    aborted.vectors.dispose();
    await expect(eigsAsync(engine, matrix, 3, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
  });

  test('a start vector, also one of an invariant subspace, and a small basis', () => {
    const { matrix, values } = grid(15, 15);
    const eigenvector = Float64Array.from({ length: 225 }, (_, i) => {
      const [x, y] = [(i % 15) + 1, Math.floor(i / 15) + 1];
      return Math.sin((x * 3 * Math.PI) / 16) * Math.sin((y * 2 * Math.PI) / 16);
    });
    for (const method of ['shift-invert', 'lanczos'])
      for (const start of [new Float64Array(225).fill(1), eigenvector])
        expectAll(check(eigs(engine, matrix, 6, { start, basisSize: 16, method }), matrix), values, 6);
  });

  test('memory that does not suffice is an error, and nothing stays allocated; factors give way to products', async () => {
    await using small = await createEngine({ threads: 1, maximumBytes: 3 * 2 ** 20 });
    const large = gallery('laplace2d5', { nx: 100, ny: 100 });
    const once = () => expect(() => eigs(small, large, 40)).toThrow(/bytes/);
    once();
    const { bytesInUse } = small.heap;
    once();
    expect(small.heap.bytesInUse).toBe(bytesInUse);
    await using medium = await createEngine({ threads: 1, maximumBytes: 3 * 2 ** 20 });
    const { matrix, values } = cube(16);
    const solution = check(eigs(medium, matrix, 2), matrix);
    expectAll(solution, values, 2);
    expect(solution.decision.method).not.toBe('shift-invert');
    expect(solution.decision.reasons).toContainEqual(expect.stringMatching(/^not shift-invert: .*bytes/));
  });

  test('what is wrong is said', () => {
    const { matrix } = grid(5, 5);
    const lopsided = [
      [1, 2],
      [3, 4],
    ];
    expect(() => eigs(engine, lopsided, 1)).toThrow(
      'A: expected a symmetric matrix (eigsGeneral takes any square one), got one that is not',
    );
    expect(() => eigs(engine, [[1, 2]], 1)).toThrow("A: expected as many rows as columns, got '1 × 2'");
    expect(() => eigs(engine, matrix, 26)).toThrow('k: expected');
    expect(() => eigs(engine, matrix, 0)).toThrow('k: expected');
    expect(() => eigs(engine, matrix, 2, { B: lopsided })).toThrow("B: expected 25 × 25, got '2 × 2'");
    expect(() => eigs(engine, matrix, 2, { which: 'best' as 'nearest' })).toThrow('which: expected');
    expect(() => eigs(engine, matrix, 2, { which: 'largest', shift: 3 })).toThrow('shift: expected none for largest');
    expect(() => eigs(engine, matrix, 2, { basisSize: 3 })).toThrow('basisSize: expected');
    expect(() => eigs(engine, matrix, 2, { start: new Float64Array(25) })).toThrow(
      'start: expected a vector that is not 0',
    );
    expect(() => eigs(engine, { ...matrix, values: matrix.values.with(3, Number.NaN) }, 2)).toThrow(
      'A: expected finite numbers',
    );
    expect(() => eigs(engine, matrix, 2, { method: 'lanczos', preconditioner: 'amg' })).toThrow(
      'preconditioner: expected none for lanczos',
    );
    using A = functionOperator(engine, 4, 4, (x, y) => void y.copyFrom(x));
    expect(() => eigs(engine, A, 2, { which: 'nearest' })).toThrow('A: expected a matrix for shift-invert');
    using turned = functionOperator(engine, 4, 4, ({ data: x }, { data: y }) => {
      for (let i = 0; i < 4; i++) y[i] = x[(i + 1) % 4]!;
    });
    expect(() => eigs(engine, turned, 2)).toThrow('A: expected a symmetric matrix');
    expect(() => eigs(engine, matrix, 2, { B: diagonal(new Array(25).fill(-1)).matrix, which: 'largest' })).toThrow(
      'B: expected a positive definite',
    );
    using spoiled = functionOperator(engine, 9, 9, (_, y) => void y.fill(Number.NaN));
    const { reason, vectors, converged } = eigs(engine, spoiled, 2, { method: 'lanczos' });
    expect([reason, converged]).toEqual(['not-finite', 0]);
    vectors.dispose();
  });
});

test('docs/eigenvalues.md names each method', () => {
  const text = readFileSync(new URL('../../docs/eigenvalues.md', import.meta.url), 'utf8');
  expect(EIGEN_METHODS.length).toBeGreaterThan(1);
  for (const { name } of EIGEN_METHODS) expect(text).toContain(`\`${name}\``);
});

function diagonalOf(rows: readonly (readonly number[])[]): CsrMatrix {
  const n = rows.length;
  return {
    ...diagonal(new Array(n).fill(1)).matrix,
    nnz: n * n,
    rowPtr: Uint32Array.from({ length: n + 1 }, (_, i) => n * i),
    colIdx: Uint32Array.from({ length: n * n }, (_, k) => k % n),
    values: Float64Array.from(rows.flat()),
  };
}

function symmetricRandom(n: number, seed: number): CsrMatrix {
  const entries = new Map<number, number>();
  const draw = drawFrom(seed);
  for (let e = 0; e < 4 * n; e++) {
    const [i, j, value] = [Math.floor(draw() * n), Math.floor(draw() * n), draw() - 0.5];
    entries.set(i * n + j, value);
    entries.set(j * n + i, value);
  }
  const keys = [...entries.keys()].sort((a, b) => a - b);
  const rowPtr = new Uint32Array(n + 1);
  for (const key of keys) rowPtr[Math.floor(key / n) + 1]!++;
  for (let i = 0; i < n; i++) rowPtr[i + 1]! += rowPtr[i]!;
  const base = diagonal(new Array(n).fill(1)).matrix;
  const colIdx = Uint32Array.from(keys, (key) => key % n);
  const values = Float64Array.from(keys, (key) => entries.get(key)!);
  return { ...base, nnz: keys.length, rowPtr, colIdx, values };
}
