/** Functions of matrices by the asynchronous engine, in Node with a real worker. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';
import {
  createEngine,
  type Engine,
  expMultiply,
  exponential,
  factor,
  gallery,
  inverseDiagonal,
  logDeterminant,
  matrixFunction,
  trace,
} from '#dist/index.node.js';

const GRID = { gallery: 'gallery:laplace2d5?nx=12&ny=11' };
const LARGE = { gallery: 'gallery:laplace2d5?nx=200&ny=200' };

describe('functions of matrices', () => {
  let engine: AsyncEngine;
  let reference: Engine;
  const grid = gallery('laplace2d5', { nx: 12, ny: 11 });
  const heat = Float64Array.from({ length: 132 }, (_, i) => Math.sin(i));
  const bytes = async () => (await engine.status()).bytesInUse;
  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 1, binary: 'simd' });
    reference = await createEngine({ threads: 1, binary: 'simd' });
    // The space keeps memory for the sums of the longest vectors and widest blocks that were ever asked for.
    await engine.trace(LARGE);
    await engine.trace(GRID, { products: 400 });
  });
  afterAll(async () => {
    await engine.dispose();
    await reference.dispose();
  });

  test.each([
    ['taylor', grid, -1, { method: 'taylor' }],
    ['chebyshev', grid, -20, {}],
    ['not symmetric', gallery('convection2d', { nx: 12, ny: 11 }), -0.01, { rtol: 1e-6 }],
  ] as const)('expMultiply has the bits and the report of the synchronous one: %s', async (_, matrix, t, options) => {
    const { y, ...expected } = expMultiply(reference, matrix, heat, t, options);
    const before = await bytes();
    const found = await engine.expMultiply(matrix, heat, t, options);
    expect(found.sourceMs).toBeGreaterThanOrEqual(0);
    expect({ ...found, setupMs: 0, solveMs: 0, sourceMs: 0 }).toEqual({
      ...expected,
      ...{ y: y.toArray(), setupMs: 0, solveMs: 0, sourceMs: 0 },
    });
    y.dispose();
    expect(await bytes()).toBe(before);
  });

  test('blocks of vectors, operators that are disposed at once, arrays of numbers', async () => {
    const columns = 3;
    const numbers = Float64Array.from({ length: 132 * columns }, (_, i) => Math.cos(i));
    using x = reference.vector(numbers, { columns });
    const { y } = expMultiply(reference, grid, x, -2);
    const expected = y.toArray();
    y.dispose();
    const A = await engine.operator(grid, { format: 'csr' });
    using block = await engine.vector(numbers, { columns });
    const running = engine.expMultiply(A, block, -2);
    A.dispose();
    const found = (await running).y;
    for (const [i, value] of found.entries()) expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-13);
    const short = await engine.expMultiply([[1, 0], [0, 2]], [1, 1], 1); // biome-ignore format: rows
    expect([...short.y]).toEqual([expect.closeTo(Math.E, 13), expect.closeTo(Math.exp(2), 12)]);
  });

  test('exponential and matrixFunction are planned once, and traced', async () => {
    const before = await bytes();
    using later = exponential(reference, grid, -1);
    const heatLater = await engine.exponential(GRID, -1);
    const { rows, method, degree, stages } = heatLater;
    expect({ rows, method, degree, stages }).toEqual({
      ...{ rows: later.rows, method: later.method, degree: later.degree, stages: later.stages },
    });
    const y = new Float64Array(132);
    later.apply(heat, y);
    expect(await heatLater.apply(heat)).toEqual(y);
    expect(await engine.trace(heatLater, { products: 30, seed: 3 })).toMatchObject(
      trace(later, { products: 30, seed: 3 }),
    );
    const interval = [0.05, 8] as const;
    using root = matrixFunction(reference, grid, Math.sqrt, { interval });
    // A function of the caller's thread: what it uses is never sent.
    const power = 0.5;
    const half = await engine.matrixFunction(GRID, (value) => value ** power, { interval });
    expect([half.method, half.degree]).toEqual(['chebyshev', root.degree]);
    root.apply(heat, y);
    for (const [i, value] of (await half.apply(heat)).entries()) expect(Math.abs(value - y[i]!)).toBeLessThan(1e-14);
    using block = await engine.vector(
      Float64Array.from({ length: 264 }, (_, i) => heat[i >> 1]!),
      { columns: 2 },
    );
    const both = await half.apply(block);
    for (const [i, value] of both.entries()) expect(Math.abs(value - y[i >> 1]!)).toBeLessThan(1e-14);
    block.dispose();
    // Gershgorin's interval, which the worker knows.
    const square = await engine.matrixFunction(grid, (value) => value * value);
    expect((await engine.trace(square, { products: 200 })).value).toBeCloseTo(
      Array.from(grid.values).reduce((sum, value) => sum + value * value, 0),
      8,
    );
    for (const made of [heatLater, half, square]) made.dispose();
    expect(await bytes()).toBe(before);
    await expect(half.apply(heat)).rejects.toThrow(/^operator: expected one that is in use/);
    await expect(engine.trace(half)).rejects.toThrow(/^A: expected one that is in use/);
  });

  test('traces and numbers of the inverse, of matrices and of factors', async () => {
    const before = await bytes();
    using A = reference.operator(grid, { products: 'many', tune: false });
    expect(await engine.trace(GRID)).toMatchObject(trace(A));
    using factors = factor(reference, grid);
    using made = await engine.factor(GRID);
    expect(await engine.trace(made, { seed: 4 })).toMatchObject(trace(factors, { seed: 4 }));
    const expected = inverseDiagonal(reference, factors, [0, 7, 131]);
    expect(await engine.inverseDiagonal(made, [0, 7, 131])).toEqual(expected);
    expect(await engine.inverseDiagonal(GRID, Uint32Array.of(0, 7, 131))).toEqual(expected);
    expect(await engine.inverseDiagonal(grid)).toEqual(inverseDiagonal(reference, grid));
    expect(await engine.logDeterminant(GRID)).toEqual(logDeterminant(reference, grid));
    expect(await engine.logDeterminant(made)).toEqual(factors.logDeterminant);
    const solving = engine.trace(made);
    made.dispose();
    expect((await solving).value).toBeCloseTo(trace(factors).value, 8);
    expect(await bytes()).toBe(before);
  });

  test('an abort between two products, and before; nothing stays allocated', async () => {
    const x = new Float64Array(40_000).fill(1);
    const before = await bytes();
    const reason = new Error('enough');
    const aborted = async (call: (signal: AbortSignal) => Promise<unknown>) => {
      const controller = new AbortController();
      const running = call(controller.signal);
      const begin = performance.now();
      setTimeout(() => controller.abort(reason), 100);
      await expect(running).rejects.toBe(reason);
      expect(performance.now() - begin).toBeLessThan(20_000);
      await expect(call(AbortSignal.abort(reason))).rejects.toBe(reason);
    };
    // Each would take minutes.
    await aborted((signal) => engine.expMultiply(LARGE, x, -2e4, { method: 'taylor', signal }));
    const long = await engine.exponential(LARGE, -2e5, { method: 'chebyshev' });
    await aborted((signal) => long.apply(x, { signal }));
    await aborted((signal) => engine.trace(long, { signal }));
    long.dispose();
    await aborted((signal) => engine.inverseDiagonal(LARGE, undefined, { signal }));
    expect(await bytes()).toBe(before);
  });

  test.each<[string, (engine: AsyncEngine) => Promise<unknown>, RegExp]>([
    ['t', (e) => e.expMultiply([[1]], [1], Number.NaN), /^t: expected a finite number/],
    ['an overflow', (e) => e.expMultiply([[800]], [1], 1), /^t: expected one for which e\^\(t A\) does not overflow/],
    ['x', (e) => e.expMultiply([[1]], [1, 2], 1), /^x: expected length 1, got 2/],
    ['options', (e) => e.expMultiply([[1]], [1], 1, { tol: 1 } as never), /^options: expected only the options method/],
    ['exponential', (e) => e.exponential([[1, 2]], 1), /^A: expected as many rows as columns, got '1 × 2'/],
    ['f', (e) => e.matrixFunction([[1]], 'sqrt' as never), /^f: expected a function/],
    ['where f is not finite', (e) => e.matrixFunction([[-1]], Math.log), /^f\(-1\): expected a finite number/],
    ['not symmetric', (e) => e.matrixFunction([[0, 1], [0, 0]], Math.exp), /^A: expected a symmetric matrix/], // biome-ignore format: rows
    ['interval', (e) => e.matrixFunction([[1]], Math.exp, { interval: [2, 1] }), /^interval\[1\]/],
    ['products', (e) => e.trace([[1]], { products: 5 }), /^products: expected an integer from 6/],
    ['places', (e) => e.inverseDiagonal([[2]], [1]), /^places\[0\]: expected an integer from 0 to 0, got 1/],
    ['no places', (e) => e.inverseDiagonal([[2]], 3 as never), /^places: expected an array of row numbers/],
    ['other options', (e) => e.logDeterminant([[2]], { k: 3 } as never), /^options: expected only the options signal/],
    ['a singular matrix', (e) => e.inverseDiagonal([[1, 1], [1, 1]]), /singular|pivot/], // biome-ignore format: rows
  ])('a wrong argument: %s', async (_, call, message) => {
    const before = await bytes();
    await expect(call(engine)).rejects.toThrow(message);
    expect(await bytes()).toBe(before);
  });
});
