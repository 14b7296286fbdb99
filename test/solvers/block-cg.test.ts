/** blockCg: one common space for all columns, dependent ones included. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import type { Engine } from '#dist/engine/engine.js';
import { blockCg, cg, createEngine, functionOperator, gallery, jacobi, type ManyOptions } from '#dist/index.node.js';
import { SPACES, useSums } from './engines.js';
import { relativeResidual } from './residual.js';

const MATRIX = gallery('diffusion2d', { nx: 25, ny: 20, jump: 100, anisotropy: 0.5 });
const N = MATRIX.rows;

const random = (seed: number) => Float64Array.from(sampleVector(N, 'real', seed));
const ZEROS = new Float64Array(N);
/** A column whose solution is constant but at the boundary, and so needs fewer iterations. */
const EASY = new Float64Array(N).fill(0).with(7, 1);

function blockOf(engine: Engine, columns: readonly Float64Array[]) {
  const n = columns[0]!.length;
  const numbers = Float64Array.from({ length: n * columns.length }, (_, k) => columns[Math.floor(k / n)]![k % n]!);
  return engine.vector(numbers, { columns: columns.length, order: 'column' });
}

/** The space keeps memory for the sums of as many columns as were ever asked for at once. */
function useBlockSums(engine: Engine): void {
  using x = engine.vector(N, { columns: 8 });
  using c = engine.vector(8, { columns: 8 });
  x.fill(1).gram(x, c);
}

/** Solves, and checks what must always hold. */
function solved(engine: Engine, columns: readonly Float64Array[], options: ManyOptions = {}, matrix = MATRIX) {
  const { bytesInUse } = engine.heap;
  using A = engine.operator(matrix, { format: 'csr' });
  using B = blockOf(engine, columns);
  const { x, ...solution } = blockCg(A, B, options);
  const all = x.toArray({ order: 'column' });
  x.dispose();
  columns.forEach((b, j) => {
    const own = all.slice(j * matrix.rows, (j + 1) * matrix.rows);
    const { reason, converged, relativeResidual: reported } = solution.columns[j]!;
    expect(converged).toBe(reason === 'tolerance');
    expect(own.every(Number.isFinite)).toBe(true);
    const norm = Math.hypot(...b);
    if (norm > 0) expect(reported).toBeCloseTo(relativeResidual(matrix, own, b), 12);
    else if (norm === 0) expect(own).toEqual(b);
  });
  A.dispose();
  B.dispose();
  // A preconditioner keeps a column of each block.
  if (engine.space.heap !== undefined && options.preconditioner === undefined)
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  return { ...solution, all, reasons: solution.columns.map(({ reason }) => reason) };
}

function iterationsAlone(engine: Engine, b: Float64Array): number {
  using A = engine.operator(MATRIX, { format: 'csr' });
  const { x, iterations } = cg(A, b, { checkEvery: 1 });
  x.dispose();
  return iterations;
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
    useSums(engine, 1000);
    useBlockSums(engine);
  });
  afterAll(() => engine.dispose());

  test('fewer iterations than any column needs alone', () => {
    const columns = [1, 2, 3, 4, 5, 6].map(random);
    const { converged, columns: ends, iterations, products } = solved(engine, columns);
    expect(converged).toBe(true);
    const alone = columns.map((b) => iterationsAlone(engine, b));
    for (const end of ends) expect(end.iterations).toBeLessThan(0.6 * Math.min(...alone));
    expect(iterations).toBe(Math.max(...ends.map((end) => end.iterations)));
    expect(products).toBe(iterations + 2);
    for (const { residualNorms, iterations: own } of ends) expect(residualNorms).toHaveLength(own + 1);
  });

  test('one column is cg', () => {
    const b = random(1);
    const { iterations, reasons } = solved(engine, [b]);
    expect(reasons).toEqual(['tolerance']);
    expect(iterations / iterationsAlone(engine, b)).toBeCloseTo(1, 1);
  });

  test('with a preconditioner', () => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    using M = jacobi(A);
    const columns = [random(1), random(2), EASY];
    const plain = solved(engine, columns);
    const { converged, iterations } = solved(engine, columns, { preconditioner: M });
    expect(converged).toBe(true);
    expect(iterations).toBeLessThan(0.8 * plain.iterations);
  });

  test.each<[string, readonly Float64Array[]]>([
    ['equal', [random(1), random(1), random(1)]],
    ['zero', [ZEROS, random(1), ZEROS, random(2)]],
    ['all zero', [ZEROS, ZEROS]],
    ['a sum of the others', [random(1), random(2), random(1).map((value, i) => value - 3 * random(2)[i]!)]],
    ['almost equal', [random(1), random(1).map((value, i) => value * (1 + 1e-10 * Math.sin(i)))]],
    ['of very different size', [random(1), random(2).map((value) => 1e-9 * value), random(3).map((v) => 1e9 * v)]],
    ['done at different times', [random(1), EASY, random(2)]],
  ])('columns that are %s', (_, columns) => {
    const { reasons } = solved(engine, columns);
    expect(reasons).toEqual(columns.map(() => 'tolerance'));
  });

  test('more columns than the space has dimensions', () => {
    const matrix = gallery('laplace1d3', { nx: 5 });
    const columns = [1, 2, 3, 4, 5, 6, 7].map((seed) => Float64Array.from(sampleVector(5, 'real', seed)));
    const { reasons, iterations } = solved(engine, columns, {}, matrix);
    expect(reasons).toEqual(columns.map(() => 'tolerance'));
    expect(iterations).toBeLessThanOrEqual(2);
  });

  test('it ends after as many iterations as the space has room for', () => {
    const matrix = gallery('laplace1d3', { nx: 60 });
    const columns = [1, 2, 3, 4].map((seed) => Float64Array.from(sampleVector(60, 'real', seed)));
    const { reasons, iterations } = solved(engine, columns, {}, matrix);
    expect(reasons).toEqual(columns.map(() => 'tolerance'));
    expect(iterations).toBeLessThanOrEqual(60 / 4 + 2);
  });

  test('starts from x0, and does not change it', () => {
    const columns = [random(1), random(2)];
    const far = solved(engine, columns);
    using x0 = engine.vector(far.all as Float64Array, { columns: 2, order: 'column' });
    const near = solved(engine, columns, { x0 });
    expect(near.columns.map(({ iterations }) => iterations)).toEqual([0, 0]);
    expect(near.all).toEqual(far.all);
    expect(x0.toArray({ order: 'column' })).toEqual(far.all);
  });

  test('a reason for each column', () => {
    const columns = [random(1), ZEROS, random(2)];
    const reasonsOf = (options: ManyOptions, matrix: CsrMatrix = MATRIX) =>
      solved(engine, columns, options, matrix).reasons;
    expect(reasonsOf({ maxIterations: 3 })).toEqual(['iterations', 'tolerance', 'iterations']);
    expect(reasonsOf({ onStep: ({ iteration }) => iteration < 2 })).toEqual(['stopped', 'tolerance', 'stopped']);
    expect(reasonsOf({ signal: AbortSignal.abort() })).toEqual(['stopped', 'tolerance', 'stopped']);
    const withValues = (of: (value: number) => number) => ({ ...MATRIX, values: MATRIX.values.map(of) });
    expect(
      reasonsOf(
        {},
        withValues((v) => -v),
      ),
    ).toEqual(['not-definite', 'tolerance', 'not-definite']);
    expect(
      reasonsOf(
        {},
        withValues(() => 0),
      ),
    ).toEqual(['breakdown', 'tolerance', 'breakdown']);
    expect(reasonsOf({ rtol: 1e-18 })).toEqual(['stagnated', 'tolerance', 'stagnated']);
  });

  test('a NaN stays in its column', () => {
    const columns = [random(1), random(2).with(3, Number.NaN), random(3)];
    const { reasons } = solved(engine, columns);
    expect(reasons).toEqual(['tolerance', 'not-finite', 'tolerance']);
  });

  test('numbers that overflow in the middle leave the x before', () => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    let products = 0;
    using spoiled = functionOperator(engine, N, N, (x, y) => {
      A.apply(x, y);
      // The tenth block product of three columns: 27 products before it.
      if (++products > 27) y.scale(1e300).scale(1e300);
    });
    using B = blockOf(engine, [1, 2, 3].map(random));
    const { x, columns } = blockCg(spoiled, B);
    expect(columns.map(({ reason }) => reason)).toEqual(['not-finite', 'not-finite', 'not-finite']);
    expect(x.toArray().every(Number.isFinite)).toBe(true);
    x.dispose();
  });

  test.each([
    ['B', (A: never) => blockCg(A, new Float64Array(N) as never), /^B: expected a block/],
    [
      'x0',
      (A: never) => blockCg(A, blockOf(engine, [ZEROS, ZEROS]), { x0: engine.vector(N) }),
      /^x0: expected 500 × 2/,
    ],
    ['an option', (A: never) => blockCg(A, blockOf(engine, [ZEROS]), { timing: true } as never), /^options: expected/],
  ])('a wrong argument: %s', (_, call, message) => {
    using A = engine.operator(MATRIX, { format: 'csr' });
    expect(() => call(A as never)).toThrow(message);
  });
});

test('the same bits on any number of threads', async () => {
  const matrix = gallery('laplace2d5', { nx: 150, ny: 150 });
  const solutions: Float64Array[] = [];
  for (const threads of [1, 2, 3]) {
    await using engine = await createEngine({ threads, onHint: () => {} });
    using A = engine.operator(matrix, { format: 'csr' });
    using B = engine.vector(Float64Array.from(sampleVector(4 * matrix.rows, 'real', 1)), { columns: 4 });
    const { x } = blockCg(A, B, { maxIterations: 100 });
    solutions.push(x.toArray() as Float64Array);
  }
  for (const x of solutions) expect(x.findIndex((value, i) => !Object.is(value, solutions[0]![i]))).toBe(-1);
});

test('in f32, dependent columns included', async () => {
  await using engine = await createEngine({ threads: 1 });
  using A = engine.operator(MATRIX, { format: 'csr', dtype: 'f32' });
  const columns = [random(1), random(2), random(1)];
  const numbers = Float32Array.from({ length: 3 * N }, (_, k) => columns[Math.floor(k / N)]![k % N]!);
  using B = engine.vector(numbers, { dtype: 'f32', columns: 3, order: 'column' });
  const { x, columns: ends } = blockCg(A, B, { rtol: 1e-4 });
  expect(ends.map(({ reason }) => reason)).toEqual(['tolerance', 'tolerance', 'tolerance']);
  x.dispose();
});
