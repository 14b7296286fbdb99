/** Functions of matrices: the exponential, smooth functions, traces, the diagonal of the inverse. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '#dist/engine/engine.js';
import {
  createEngine,
  expMultiply,
  expMultiplyAsync,
  exponential,
  factor,
  functionOperator,
  gallery,
  inverseDiagonal,
  logDeterminant,
  matrixFunction,
  solve,
  trace,
  type Vector,
} from '#dist/index.node.js';
import { SPACES } from '../solvers/engines.js';

const PATH = 60;
/** Eigenvalue and eigenvector k of the path's Laplacian tridiag(−1, 2, −1). */
const eigenvalue = (k: number) => 2 - 2 * Math.cos((Math.PI * k) / (PATH + 1));
const eigenvector = (k: number) =>
  Float64Array.from({ length: PATH }, (_, i) => Math.sin((Math.PI * k * (i + 1)) / (PATH + 1)));

function take(y: Vector): number[] {
  const numbers = [...y.toArray()];
  y.dispose();
  return numbers;
}

function expectClose(got: readonly number[], expected: ArrayLike<number>, bound: number): void {
  expect(got.length).toBe(expected.length);
  got.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!), `element ${i}`).toBeLessThanOrEqual(bound);
  });
}

describe.each(SPACES)('%s', (_, open) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.dispose());

  test.each([0, 1, -3, 100])('a rotation by %d', (t) => {
    const { y, method } = expMultiply(
      engine,
      [
        [0, -1],
        [1, 0],
      ],
      [1, 0],
      t,
    );
    expect(method).toBe('taylor');
    expectClose(take(y), [Math.cos(t), Math.sin(t)], 1e-14 * (1 + Math.abs(t)));
  });

  test('a nilpotent matrix: the series is finite, and norms of powers find it', () => {
    const shift = [
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 0],
    ];
    const { y, degree, stages } = expMultiply(engine, shift, [0, 0, 1], 1000);
    expect(degree * stages).toBeLessThan(20);
    expectClose(take(y), [500_000, 1000, 1], 1e-9);
  });

  test('a diagonal matrix; its mean is taken off, so that numbers far from 0 take no more products', () => {
    const diagonal = [100, 101, 102, 99.5];
    const matrix = diagonal.map((value, i) => diagonal.map((_, j) => (i === j ? value : 0)));
    const { y, products } = expMultiply(engine, matrix, [1, 2, 3, 4], -1, { method: 'taylor' });
    expect(products).toBeLessThan(40);
    take(y).forEach((value, i) => {
      expect(value / ((i + 1) * Math.exp(-diagonal[i]!))).toBeCloseTo(1, 13);
    });
  });

  test.each([
    [-1, 'taylor'],
    [-300, 'chebyshev'],
    [-3e4, 'chebyshev'],
    [40, 'chebyshev'],
  ] as const)('the path at t = %d: %s', (t, expected) => {
    const L = gallery('laplace1d3', { nx: PATH });
    const { bytesInUse } = engine.heap;
    for (const k of [1, 2, 30, 60]) {
      const { y, method } = expMultiply(engine, L, eigenvector(k), t);
      expect(method).toBe(expected);
      const factor = Math.exp(t * eigenvalue(k));
      const norm = Math.exp(t * eigenvalue(t < 0 ? 1 : PATH));
      const exact = eigenvector(k).map((value) => factor * value);
      expectClose(take(y), exact, 1e-14 * (1 + Math.abs(t)) * norm);
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('both methods agree; a block has the columns of its vectors', () => {
    const L = gallery('laplace2d5', { nx: 7, ny: 5 });
    const numbers = Float64Array.from({ length: 35 * 3 }, (_, i) => Math.cos(i * i));
    using x = engine.vector(numbers, { columns: 3 });
    const [taylor, series] = (['taylor', 'chebyshev'] as const).map((method) =>
      take(expMultiply(engine, L, x, -20, { method }).y),
    );
    expectClose(taylor!, series!, 1e-13);
    const alone = take(
      expMultiply(
        engine,
        L,
        numbers.filter((_, i) => i % 3 === 1),
        -20,
        { method: 'chebyshev' },
      ).y,
    );
    expectClose(
      alone,
      series!.filter((_, i) => i % 3 === 1),
      1e-14,
    );
  });

  test('far from normal: against many small steps', () => {
    const A = gallery('convection2d', { nx: 6, ny: 5 });
    const x = Float64Array.from({ length: 30 }, (_, i) => Math.sin(i + 1));
    using step = exponential(engine, A, -1 / 64);
    let y = x;
    for (let k = 0; k < 64; k++) {
      const next = new Float64Array(30);
      step.apply(y, next);
      y = next;
    }
    const { y: at, products } = expMultiply(engine, A, x, -1);
    expectClose(take(at), y, 1e-12);
    expect(step.products).toBeGreaterThan(64);
    expect(products).toBeGreaterThan(0);
  });

  test('a looser tolerance takes fewer products', () => {
    const A = gallery('convection2d', { nx: 10, ny: 10 });
    const counts = [1e-15, 1e-4].map((rtol) => {
      const { y, products } = expMultiply(engine, A, new Float64Array(100).fill(1), -0.01, { rtol });
      y.dispose();
      return products;
    });
    expect(counts[1]).toBeLessThan(counts[0]!);
  });

  test('√A twice is A', () => {
    const A = gallery('laplace2d5', { nx: 6, ny: 6 });
    const least = 8 * Math.sin(Math.PI / 14) ** 2;
    using root = matrixFunction(engine, A, Math.sqrt, { interval: [least, 8 - least] });
    using plain = engine.operator(A, { format: 'csr' });
    const x = Float64Array.from({ length: 36 }, (_, i) => i % 5);
    const [once, twice, expected] = [1, 2, 3].map(() => new Float64Array(36)) as Float64Array[];
    root.apply(x, once!);
    root.apply(once!, twice!);
    plain.apply(x, expected!);
    expectClose([...twice!], expected!, 1e-12);
    // α f(A) x + β y
    root.apply(once!, twice!, 2, -1);
    expectClose([...twice!], expected!, 1e-12);
  });

  test('the trace of a projector of low rank is exact with few products, that of any matrix within its estimate', () => {
    const n = 200;
    const ones = functionOperator(engine, n, n, (x, y) => {
      const sum = Float64Array.from(x.toArray()).reduce((all, value) => all + value, 0);
      y.set(new Float64Array(n).fill(sum / n));
    });
    const { value, error, products } = trace(ones, { products: 12 });
    expect(value).toBeCloseTo(1, 10);
    expect(error).toBeLessThan(1e-10);
    expect(products).toBe(12);
    using A = engine.operator(gallery('laplace2d5', { nx: 20, ny: 20 }), { format: 'csr' });
    for (let seed = 1; seed <= 10; seed++) {
      const estimate = trace(A, { seed });
      expect(Math.abs(estimate.value - 1600)).toBeLessThan(4 * estimate.error);
      expect(estimate.error).toBeLessThan(40);
    }
    expect(trace(A, { products: 400 })).toEqual({ value: 1600, error: 0, products: 400 });
    expect(trace(A, { seed: 7 })).toEqual(trace(A, { seed: 7 }));
  });

  test.each([
    ['t', [[1]], [1], Number.NaN, {}, /^t: expected a finite number/],
    ['an overflow', [[800]], [1], 1, {}, /^t: expected one for which e\^\(t A\) does not overflow, got 1/],
    ['a rectangle', [[1, 2]], [1, 2], 1, {}, /^A: expected as many rows as columns, got '1 × 2'/],
    ['a short x', [[1]], [1, 2], 1, {}, /^x: expected length 1, got 2/],
    ['an option', [[1]], [1], 1, { tol: 1 }, /^options: expected only the options method, rtol/],
    [
      'chebyshev',
      [
        [0, 1],
        [0, 0],
      ],
      [1, 1],
      1,
      { method: 'chebyshev' },
      /^method: expected taylor, for an A that is not/,
    ],
  ])('a wrong argument: %s', (_, matrix, x, t, options, message) => {
    const { bytesInUse } = engine.heap;
    expect(() => expMultiply(engine, matrix, x, t, options as never)).toThrow(message);
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });

  test('wrong arguments of functions', () => {
    const A = gallery('laplace1d3', { nx: 5 });
    expect(() => matrixFunction(engine, A, Math.log)).toThrow(/^f\(.*\): expected a finite number on the whole/);
    expect(() => matrixFunction(engine, A, Math.abs, { interval: [-1, 4] })).toThrow(
      /^f: expected a function that is smooth/,
    );
    expect(() =>
      matrixFunction(
        engine,
        [
          [0, 1],
          [0, 0],
        ],
        Math.exp,
      ),
    ).toThrow(/^A: expected a symmetric matrix/);
    expect(() => matrixFunction(engine, A, Math.exp, { interval: [2, 1] })).toThrow(/^interval\[1\]/);
    using operator = engine.operator(A, { format: 'csr' });
    expect(() => trace(operator, { products: 5 })).toThrow(/^products: expected an integer from 6/);
  });
});

describe('in the heap', () => {
  test('bits do not depend on the number of threads', async () => {
    const A = gallery('laplace2d5', { nx: 60, ny: 60 });
    const x = Float64Array.from({ length: 3600 }, (_, i) => Math.sin(i));
    const found = [];
    for (const threads of [1, 2, 3]) {
      await using engine = await createEngine({ threads });
      const [series, taylor] = (['chebyshev', 'taylor'] as const).map((method) =>
        take(expMultiply(engine, A, x, -5, { method }).y),
      );
      using operator = engine.operator(A, { format: 'csr' });
      found.push({ series, taylor, trace: trace(operator) });
    }
    expect(found[1]).toEqual(found[0]);
    expect(found[2]).toEqual(found[0]);
  });

  test('the diagonal of the inverse, the determinant and the trace by factors', async () => {
    await using engine = await createEngine({ threads: 1 });
    for (const A of [gallery('laplace2d5', { nx: 9, ny: 7 }), gallery('convection2d', { nx: 9, ny: 7 })]) {
      const expected = Float64Array.from({ length: 63 }, (_, i) => {
        const unit = new Float64Array(63);
        unit[i] = 1;
        return take(solve(engine, A, unit, { rtol: 1e-14 }).x)[i]!;
      });
      const diagonal = inverseDiagonal(engine, A);
      expectClose([...diagonal], expected, 1e-12);
      using F = factor(engine, A);
      expectClose(
        [...inverseDiagonal(engine, F, [62, 3, 3])],
        [62, 3, 3].map((i) => diagonal[i]!),
        1e-15,
      );
      expect(inverseDiagonal(engine, F, []).length).toBe(0);
      expect(trace(F, { products: 63 }).value).toBeCloseTo(
        diagonal.reduce((sum, value) => sum + value, 0),
        11,
      );
      expect(logDeterminant(engine, A)).toEqual(F.logDeterminant);
    }
    const { log, sign } = logDeterminant(engine, [
      [0, 2],
      [3, 0],
    ]);
    expect([Math.exp(log), sign]).toEqual([expect.closeTo(6, 12), -1]);
    expect(() => inverseDiagonal(engine, [[2]], [1])).toThrow(/^places\[0\]: expected an integer from 0 to 0, got 1/);
    expect(() =>
      inverseDiagonal(engine, [
        [1, 1],
        [1, 1],
      ]),
    ).toThrow(expect.objectContaining({ code: 'structure' }));
  });
});

test.each(['taylor', 'chebyshev'] as const)(
  '%s in slices: the same bits, and an abort frees the memory',
  async (method) => {
    await using engine = await createEngine({ threads: 1, binary: 'simd' });
    const A = gallery('laplace2d5', { nx: 100, ny: 100 });
    const x = new Float64Array(A.rows).fill(1);
    const expected = take(expMultiply(engine, A, x, -3, { method }).y);
    const { y, products } = await expMultiplyAsync(engine, A, x, -3, { method });
    expect(products).toBeGreaterThan(0);
    expect(take(y)).toEqual(expected);
    const before = engine.heap.bytesInUse;
    const controller = new AbortController();
    // 10⁵ products and more, if nothing stopped them.
    const running = expMultiplyAsync(engine, A, x, method === 'taylor' ? -2e4 : -1e5, {
      method,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(new Error('enough')), 0);
    await expect(running).rejects.toThrow('enough');
    expect(engine.heap.bytesInUse).toBe(before);
    const given = { signal: AbortSignal.abort(new Error('no')) };
    await expect(expMultiplyAsync(engine, A, x, -1, given)).rejects.toThrow('no');
    await expect(expMultiplyAsync(engine, A, x, -1, { signal: 1 } as never)).rejects.toThrow(/^signal: expected/);
    await expect(expMultiplyAsync(engine, A, x, Number.NaN)).rejects.toThrow(/^t: expected/);
  },
);
