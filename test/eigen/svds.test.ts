/** Singular values and vectors: known spectra, awkward matrices, how a search ends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#dist/engine/engine.js';
import { below, randomStream, unit } from '#dist/gallery/draw.js';
import {
  addMatrices,
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  csrMatrix,
  functionOperator,
  gallery,
  kroneckerProduct,
  type LinearOperator,
  multiplyMatrices,
  type SvdsOptions,
  type SvdsSolution,
  svds,
  svdsAsync,
  transposeMatrix,
  type Vector,
} from '#dist/index.node.js';
import { fewOrAll } from '../soak.js';
import { SPACES } from '../solvers/engines.js';

function diagonal(values: readonly number[], rows = values.length): CsrMatrix {
  const builder = new CsrBuilder(rows, values.length);
  for (const [i, value] of values.entries()) builder.add(i, i, value);
  return builder.build();
}

/** I − 2 v vᵀ / vᵀ v: orthogonal, and dense. */
function reflector(n: number, seed: number): CsrMatrix {
  const v = Array.from({ length: n }, (_, i) => Math.sin(seed + i * i));
  const square = v.reduce((sum, x) => sum + x * x, 0);
  return csrMatrix(v.map((x, i) => v.map((y, j) => (i === j ? 1 : 0) - (2 * x * y) / square)));
}

/** P D Q with known singular values. */
function withValues(values: readonly number[], rows = values.length): CsrMatrix {
  const n = values.length;
  return multiplyMatrices(multiplyMatrices(reflector(rows, 1), diagonal(values, rows)), reflector(n, 2));
}

/** The differences along a path, or around a cycle. */
function differences(n: number, isCycle: boolean): CsrMatrix {
  const builder = new CsrBuilder(isCycle ? n : n - 1, n);
  for (let i = 0; i < (isCycle ? n : n - 1); i++) {
    builder.add(i, i, -1);
    builder.add(i, (i + 1) % n, 1);
  }
  return builder.build();
}

function columnsOf(block: Vector): Float64Array[] {
  const numbers = Float64Array.from(block.toArray({ order: 'column' }));
  return Array.from({ length: block.columns }, (_, j) => numbers.slice(j * block.length, (j + 1) * block.length));
}

function product({ rows, rowPtr, colIdx, values }: CsrMatrix, x: Float64Array): Float64Array {
  const y = new Float64Array(rows);
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) y[i]! += values[k]! * x[colIdx[k]!]!;
  return y;
}

const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);

/** Checks everything that the answer says, and disposes the vectors. */
function expectTriplets(A: CsrMatrix, { values, U, V, residualNorms }: SvdsSolution, rounding = 1e-12): number[] {
  const [us, vs] = [columnsOf(U), columnsOf(V)];
  expect([us.length, vs.length, residualNorms.length]).toEqual([values.length, values.length, values.length]);
  expect([...values]).toEqual([...values].sort((a, b) => b - a));
  const At = transposeMatrix(A);
  for (const [j, value] of values.entries()) {
    const left = product(A, vs[j]!).map((x, i) => x - value * us[j]![i]!);
    const right = product(At, us[j]!).map((x, i) => x - value * vs[j]![i]!);
    const norm = Math.max(Math.sqrt(dot(left, left)), Math.sqrt(dot(right, right)));
    expect(Math.abs(norm - residualNorms[j]!)).toBeLessThanOrEqual(100 * rounding * Math.max(norm, values[0]!));
    for (const vectors of [us, vs])
      vectors.forEach((x, i) => {
        expect(Math.abs(dot(x, vectors[j]!) - (i === j ? 1 : 0))).toBeLessThan(rounding);
      });
  }
  U.dispose();
  V.dispose();
  return [...values];
}

function expectClose(got: readonly number[], expected: readonly number[], bound: number): void {
  expect(got.length).toBe(expected.length);
  got.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!), `value ${i}`).toBeLessThanOrEqual(bound);
  });
}

const GRADED = Array.from({ length: 70 }, (_, i) => 0.9 ** i);

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  const found = (A: CsrMatrix, k: number, options: SvdsOptions = {}) => {
    const solution = svds(engine, A, k, options);
    expect([solution.reason, solution.converged]).toEqual(['tolerance', k]);
    return expectTriplets(A, solution);
  };

  /** By any method that there is: a device has no factors. */
  const expectSmallest = (A: CsrMatrix, k: number, expected: readonly number[], bound: number) => {
    const methods =
      engine.space.heap === undefined ? (['lanczos'] as const) : (['auto', 'lanczos', 'inverse'] as const);
    for (const method of methods) expectClose(found(A, k, { which: 'smallest', method }), expected, bound);
  };

  test.each([
    ['square', withValues(GRADED)],
    ['tall', withValues(GRADED, 90)],
    ['wide', transposeMatrix(withValues(GRADED, 90))],
  ])('a diagonal between orthogonal matrices: %s', (_, A) => {
    expectClose(found(A, 6), GRADED.slice(0, 6), 1e-13);
    expectSmallest(A, 6, GRADED.slice(-6), 1e-12);
    expectClose(found(A, 1), [1], 1e-13);
  });

  test('a Kronecker product has the products of the values', () => {
    const [a, b] = [withValues([3, 2, 1, 0.5]), withValues([7, 5, 1], 5)];
    const all = [3, 2, 1, 0.5].flatMap((x) => [7, 5, 1].map((y) => x * y)).sort((x, y) => y - x);
    const A = kroneckerProduct(a, b);
    for (const k of [1, 5, 12]) {
      expectClose(found(A, k), all.slice(0, k), 1e-12);
      expectSmallest(A, k, all.slice(-k), 1e-12);
    }
  });

  test('the differences along a path, and around a cycle, whose values are double, and the least 0', () => {
    const n = 60;
    const path = Array.from({ length: n - 1 }, (_, k) => 2 * Math.sin((Math.PI * (n - 1 - k)) / (2 * n)));
    expectClose(found(differences(n, false), 4), path.slice(0, 4), 1e-12);
    expectSmallest(differences(n, false), 4, path.slice(-4), 1e-12);
    const cycle = Array.from({ length: n }, (_, k) => 2 * Math.abs(Math.sin((Math.PI * k) / n))).sort((x, y) => y - x);
    expectClose(found(differences(n, true), 5), cycle.slice(0, 5), 1e-10);
    expectSmallest(differences(n, true), 4, cycle.slice(-4), 1e-10);
  });

  test.each([
    ['the identity', diagonal(new Array(80).fill(1)), new Array(80).fill(1)],
    ['no entries', diagonal(new Array(50).fill(0), 60), new Array(50).fill(0)],
    [
      'rank 1',
      csrMatrix(Array.from({ length: 45 }, () => new Array(60).fill(1))),
      [Math.sqrt(2700), ...new Array(44).fill(0)],
    ],
    ['five equal values', withValues([5, 5, 5, 5, 5, ...GRADED]), [5, 5, 5, 5, 5, ...GRADED]],
    ['one number', csrMatrix([[-3]]), [3]],
    ['a row', csrMatrix([[3, 0, 4]]), [5]],
  ])('awkward: %s', (_, A, values) => {
    const k = Math.min(7, values.length);
    expectClose(found(A, k), values.slice(0, k), 1e-10);
    expectSmallest(A, k, values.slice(-k), 1e-10);
  });

  test('all values of a small matrix', () => {
    const A = withValues([9, 4, 4, 2, 0, 0], 8);
    expectClose(found(A, 6), [9, 4, 4, 2, 0, 0], 1e-12);
    expectSmallest(A, 6, [9, 4, 4, 2, 0, 0], 1e-12);
  });

  test('scales', () => {
    for (const scale of [1e200, 1e-200]) {
      const values = [3, 2, 1].map((value) => value * scale);
      found(diagonal(values), 2).forEach((value, i) => {
        expect(value / values[i]!).toBeCloseTo(1, 13);
      });
    }
  });

  test.each([
    ['square', withValues(GRADED)],
    ['tall', withValues(GRADED, 90)],
    ['wide', transposeMatrix(withValues(GRADED, 90))],
  ])('cross, that is AᵀA: %s', (_, A) => {
    const solution = svds(engine, A, 6, { method: 'cross' });
    expect(solution).toMatchObject({ reason: 'tolerance', converged: 6, decision: { method: 'cross', reasons: [] } });
    expectClose(expectTriplets(A, solution), GRADED.slice(0, 6), 1e-13);
  });

  test('cross finds more copies of a value than a block has columns, also with restarts', () => {
    const copies = [...new Array(9).fill(5), 4, 4, 4, 3, ...GRADED];
    const A = withValues(copies, 100);
    for (const basisSize of [28, 60]) {
      const solution = svds(engine, A, 14, { method: 'cross', basisSize });
      expect([solution.reason, solution.converged]).toEqual(['tolerance', 14]);
      expectClose(expectTriplets(A, solution), copies.slice(0, 14), 1e-12);
    }
  });

  test.each([
    ['exhausted', withValues([3, 2, 1, ...new Array(90).fill(0)]), 3, [3, 2, 1], /exhausted/],
    ['tiny values', withValues(Array.from({ length: 90 }, (_, i) => 0.4 ** i)), 12, undefined, /rounding errors/],
    ['a small matrix', withValues(GRADED.slice(0, 40)), 16, GRADED.slice(0, 16), /no room for blocks/],
  ] as const)('cross declines: %s', (_, A, k, values, reason) => {
    const solution = svds(engine, A, k, { method: 'cross' });
    expect(solution).toMatchObject({ reason: 'tolerance', converged: k, decision: { method: 'lanczos' } });
    expect(solution.decision.reasons.join()).toMatch(reason);
    const found = expectTriplets(A, solution);
    expectClose(found, values ?? found.map((_, i) => 0.4 ** i), 1e-12);
  });

  test('randomized: exact where the rank is small, and a bound of the error', () => {
    const low = withValues([8, 4, 2, ...new Array(60).fill(0)], 80);
    const solution = svds(engine, low, 3, { method: 'randomized' });
    expect(solution).toMatchObject({ reason: 'passes', converged: 3, decision: { method: 'randomized' } });
    expect(solution.errorBound).toBeLessThan(1e-11);
    expectClose(expectTriplets(low, solution), [8, 4, 2], 1e-12);
    const A = withValues(GRADED, 90);
    const rough = svds(engine, A, 5, { method: 'randomized', powerIterations: 0, oversampling: 5 });
    // What is left of A has the norm of a value beyond the ten that were kept, at least.
    expect(rough.errorBound).toBeGreaterThan(GRADED[10]!);
    expectClose(expectTriplets(A, rough), GRADED.slice(0, 5), 0.1);
    const better = svds(engine, A, 5, { method: 'randomized', powerIterations: 4 });
    expectClose(expectTriplets(A, better), GRADED.slice(0, 5), 1e-3);
  });

  test('an operator with its transpose', () => {
    const A = withValues(GRADED, 90);
    using stored = engine.operator(A, { format: 'csr' });
    expectClose(expectTriplets(A, svds(engine, stored, 3)), GRADED.slice(0, 3), 1e-13);
    using forward = functionOperator(engine, 90, 70, (x, y) => stored.apply(x, y));
    using back = functionOperator(engine, 70, 90, (x, y) => stored.transposed().apply(x, y));
    const own = Object.assign(forward, { transposed: (): LinearOperator => back });
    expectClose(expectTriplets(A, svds(engine, own, 3)), GRADED.slice(0, 3), 1e-13);
    expectClose(expectTriplets(A, svds(engine, own, 3, { which: 'smallest' })), GRADED.slice(-3), 1e-10);
  });

  test('ends with a reason, and with the best triplets so far', () => {
    const A = gallery('rmat', { scale: 10 });
    const { bytesInUse } = engine.heap;
    const reasonOf = (options: SvdsOptions, matrix = A) => {
      const { reason, U, V, values } = svds(engine, matrix, 4, options);
      U.dispose();
      V.dispose();
      return [reason, values.length];
    };
    for (const method of ['lanczos', 'cross'] as const) {
      // A step of `cross` has four vectors.
      expect(reasonOf({ method, maxIterations: 3 })).toEqual(['iterations', method === 'cross' ? 4 : 3]);
      expect(reasonOf({ method, onProgress: () => false })).toEqual(['stopped', 4]);
      expect(reasonOf({ method, signal: AbortSignal.abort() })).toEqual(['stopped', method === 'cross' ? 4 : 1]);
    }
    expect(reasonOf({}, diagonal([1, 2, Number.NaN, 3]))[0]).toBe('not-finite');
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test.each([
    ['k', diagonal([1, 2]), 3, {}, /^k: expected an integer from 1 to 2, got 3/],
    ['no columns', csrMatrix({ rows: 3, cols: 0, rowPtr: [0, 0, 0, 0], colIdx: [] }), 1, {}, /^k: expected/],
    ['an option', diagonal([1]), 1, { tol: 1 }, /^options: expected only the options which/],
    ['which', diagonal([1]), 1, { which: 'nearest' }, /^which: expected largest \| smallest/],
    ['a method', diagonal([1]), 1, { which: 'smallest', method: 'randomized' }, /^method: expected lanczos \| inverse/],
    ['a basis', diagonal([1, 2, 3, 4]), 2, { basisSize: 3 }, /^basisSize: expected an integer from 4/],
  ])('a wrong argument: %s', (_, A, k, options, message) => {
    expect(() => svds(engine, A, k, options as never)).toThrow(message);
  });
});

describe('in the heap', () => {
  test('the smallest of a larger matrix are found by factors, also if it is singular', async () => {
    await using engine = await createEngine({ threads: 1 });
    for (const isCycle of [false, true]) {
      const A = differences(300, isCycle);
      const solution = svds(engine, A, 5, { which: 'smallest' });
      expect(solution).toMatchObject({ reason: 'tolerance', converged: 5, decision: { method: 'inverse' } });
      expect(solution.solves).toBeLessThan(300);
      expect(solution.decision.reasons.join()).toMatch(isCycle ? /A is singular/ : /of the inverse/);
      const angles = isCycle ? [2, 2, 1, 1, 0] : [2.5, 2, 1.5, 1, 0.5];
      expectClose(
        expectTriplets(A, solution),
        angles.map((k) => 2 * Math.sin((Math.PI * k) / 300)),
        1e-12,
      );
    }
  });

  test('large values beside one that is 0', async () => {
    await using engine = await createEngine({ threads: 1 });
    const A = withValues([9, 8, 7, 6, 5, 0, 0], 12);
    const solution = svds(engine, A, 7, { which: 'smallest', method: 'inverse' });
    expect(solution).toMatchObject({ reason: 'tolerance', converged: 7 });
    expectClose(expectTriplets(A, solution), [9, 8, 7, 6, 5, 0, 0], 1e-12);
  });

  test('in the same formats, bits do not depend on the number of threads', async () => {
    const matrix = gallery('rowlengths', { rows: 1500, cols: 1500, distribution: 'uniform', mean: 20 });
    const results = [];
    for (const threads of [1, 2, 3, 4]) {
      await using engine = await createEngine({ threads });
      using A = engine.operator(matrix, { format: 'csr' });
      expect(A.transposed().format).toBe('csr');
      const all = [{}, { method: 'lanczos' }, { method: 'randomized' }] as const;
      results.push(
        all.map((options) => {
          const { values, U, V, residualNorms } = svds(engine, A, 3, options);
          return { values, U: U.toArray(), V: V.toArray(), residualNorms };
        }),
      );
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect(results[3]).toEqual(results[0]);
  });

  test('cross misses nothing: random matrices, with copies of their values', async () => {
    await using engine = await createEngine({ threads: 1 });
    for (let seed = 0; seed < fewOrAll(6, 60); seed++) {
      const random = randomStream(seed, 'values');
      const [rows, cols] = [40 + below(random, 60), 40 + below(random, 60)];
      const builder = new CsrBuilder(rows, cols);
      for (let entry = 0; entry < 400; entry++)
        builder.add(below(random, rows), below(random, cols), unit(random) ** 3);
      const copies = 1 + below(random, 7);
      const A = kroneckerProduct(builder.build(), diagonal(new Array(copies).fill(1)));
      const k = 1 + below(random, 24);
      const known = expectTriplets(A, svds(engine, A, k, { method: 'lanczos', seed: seed + 1 }));
      const solution = svds(engine, A, k, { method: 'cross', seed });
      expect([solution.reason, solution.converged]).toEqual(['tolerance', k]);
      expectClose(expectTriplets(A, solution), known, 1e-8 * known[0]!);
    }
  });

  test('a large matrix is searched by cross, and so is an operator of the caller', async () => {
    await using engine = await createEngine({ threads: 1 });
    const A = gallery('rmat', { scale: 11, values: 'ones' });
    const solution = svds(engine, A, 5);
    expect(solution).toMatchObject({ reason: 'tolerance', decision: { method: 'cross' } });
    expect(solution.products).toBeLessThan(80);
    using stored = engine.operator(A);
    const again = svds(engine, stored, 5);
    expect(again.decision.method).toBe('cross');
    expectClose(expectTriplets(A, again), expectTriplets(A, solution), 1e-10);
  });

  test('documents and terms: as the eigenvalues of Aᵀ A say', async () => {
    await using engine = await createEngine({ threads: 1 });
    // 300 documents with some of 200 terms, of which a few are frequent.
    const builder = new CsrBuilder(300, 200);
    for (let i = 0; i < 300; i++)
      for (let w = 0; w < 12; w++) builder.add(i, Math.floor(200 * Math.abs(Math.sin(i * 13 + w * 7)) ** 3 * 0.999), 1);
    const A = builder.build();
    const values = expectTriplets(A, svds(engine, A, 8));
    const gram = multiplyMatrices(transposeMatrix(A), A);
    const shifted = addMatrices(gram, diagonal(new Array(200).fill(1)), 1, 1);
    const squares = expectTriplets(shifted, svds(engine, shifted, 8));
    expectClose(
      values.map((value) => value ** 2 + 1),
      squares,
      1e-9 * squares[0]!,
    );
  });

  test('f32', async () => {
    await using engine = await createEngine({ threads: 1 });
    const A = withValues(GRADED, 90);
    using stored = engine.operator(A, { format: 'csr', dtype: 'f32' });
    for (const options of [{}, { which: 'smallest' }] as const) {
      const solution = svds(engine, stored, 3, { ...options, tolerance: 1e-5 });
      const expected = options === undefined || !('which' in options) ? GRADED.slice(0, 3) : GRADED.slice(-3);
      expectClose(expectTriplets(A, solution, 1e-5), expected, 1e-5);
    }
  });

  test('without blocking; an abort ends it', async () => {
    await using engine = await createEngine({ threads: 1 });
    const { reason, values, U, V } = await svdsAsync(engine, withValues(GRADED), 3);
    expect(reason).toBe('tolerance');
    expectClose([...values], GRADED.slice(0, 3), 1e-13);
    U.dispose();
    V.dispose();
    const { bytesInUse } = engine.heap;
    const aborted = { which: 'smallest', method: 'inverse', signal: AbortSignal.abort('enough') } as const;
    await expect(svdsAsync(engine, withValues(GRADED), 3, aborted)).rejects.toBe('enough');
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
    await expect(svdsAsync(engine, withValues(GRADED), 0)).rejects.toThrow(/^k: expected/);
  });
});
