/** `solve` of the asynchronous engine, in Node with a real worker. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AsyncEngine, type AsyncSolution, createAsyncEngine } from '#dist/async/index.node.js';
import { gallery } from '#dist/index.node.js';
import { relativeResidual } from '../solvers/residual.js';

const LAPLACE = 'gallery:laplace2d5?nx=30&ny=20';
const MATRIX = gallery('laplace2d5', { nx: 30, ny: 20 });
const LARGE = { gallery: 'gallery:laplace2d5?nx=150&ny=150' };
const SLOW = { rtol: 0, preconditioner: 'none', method: 'gmres?restart=200' };

describe('solve', () => {
  let engine: AsyncEngine;

  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 1, binary: 'simd' });
  });
  afterAll(() => engine.dispose());

  const b = Float64Array.from({ length: 600 }, (_, i) => Math.sin(i));

  function expectSolved({ x, converged, decision, relativeResidual: reported, residualNorms }: AsyncSolution): void {
    expect([converged, decision.method]).toEqual([true, 'direct']);
    expect(x).toBeInstanceOf(Float64Array);
    expect(relativeResidual(MATRIX, x, b)).toBeCloseTo(reported, 12);
    expect(reported).toBeLessThan(1.01e-8);
    expect(residualNorms.length).toBeGreaterThan(1);
  }

  test('a matrix by its source, an operator, a vector of the engine, x0', async () => {
    expectSolved(await engine.solve({ gallery: LAPLACE }, b));
    const A = await engine.operator({ gallery: LAPLACE }, { format: 'csr' });
    const solution = await engine.solve(A, await engine.vector(b));
    expectSolved(solution);
    const again = await engine.solve(A, b, { x0: solution.x });
    expect([again.iterations, again.reason]).toEqual([0, 'tolerance']);
    expect(again.x).toEqual(solution.x);
  });

  test('progress is told, and an abort ends the solve with the x it has', async () => {
    const controller = new AbortController();
    const iterations: number[] = [];
    const solving = engine.solve(LARGE, new Float64Array(22_500).fill(1), {
      ...SLOW,
      signal: controller.signal,
      onProgress: ({ iteration }) => {
        iterations.push(iteration);
        if (iterations.length === 3) controller.abort();
      },
    });
    const { reason, x, relativeResidual } = await solving;
    expect([reason, x.length]).toEqual(['stopped', 22_500]);
    expect(relativeResidual).toBeLessThan(1);
    expect(iterations.length).toBeGreaterThanOrEqual(3);
  });

  test('what is aborted before its first step rejects with the reason', async () => {
    const reason = new Error('enough');
    await expect(engine.solve({ gallery: LAPLACE }, b, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const long = new AbortController();
    const controller = new AbortController();
    const solving = engine.solve(LARGE, new Float64Array(22_500).fill(1), { ...SLOW, signal: long.signal });
    const waiting = engine.solve({ gallery: LAPLACE }, b, { signal: controller.signal });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    long.abort();
    expect((await solving.catch((error) => ({ reason: error.name }))).reason).toMatch(/stopped|AbortError/);
  });

  test('sixteen solves share the worker: each has its own vectors, and they end together', async () => {
    const A = await engine.operator(LARGE);
    const sides = Array.from({ length: 16 }, (_, k) =>
      Float64Array.from({ length: A.rows }, (_, i) => Math.cos(i * (k + 1))),
    );
    const ends: number[] = [];
    const begin = performance.now();
    const solutions = await Promise.all(
      sides.map(async (b) => {
        const solution = await engine.solve(A, b, { preconditioner: 'jacobi' }); // no set-up, which is one slice
        ends.push(performance.now() - begin);
        return solution;
      }),
    );
    const matrix = gallery('laplace2d5', { nx: 150, ny: 150 });
    for (const [k, { x }] of solutions.entries()) expect(relativeResidual(matrix, x, sides[k]!)).toBeLessThan(1.01e-8);
    // One after the other, the first would end after 0.06 of the time; it is 0.4 or more where slices are not disturbed.
    expect(ends[0]! / ends.at(-1)!).toBeGreaterThan(0.15);
  });

  test('an operator that is disposed during a solve is freed after it', async () => {
    const before = await engine.status();
    const A = await engine.operator({ gallery: LAPLACE });
    const solving = engine.solve(A, b);
    A.dispose();
    expectSolved(await solving);
    await expect(A.apply(b)).rejects.toThrow('a disposed operator');
    expect((await engine.status()).bytesInUse).toBe(before.bytesInUse);
  });

  test('also during the first solve of an engine, which waits until solvers are loaded', async () => {
    const fresh = await createAsyncEngine({ threads: 1, binary: 'simd' });
    try {
      const A = await fresh.operator({ gallery: LAPLACE });
      const rightSide = await fresh.vector(b);
      const solving = fresh.solve(A, rightSide);
      A.dispose();
      rightSide.dispose();
      expectSolved(await solving);
      await expect(A.apply(b)).rejects.toThrow('a disposed operator');
    } finally {
      await fresh.dispose();
    }
  });

  test('the engine answers while it solves', async () => {
    const controller = new AbortController();
    const solving = engine.solve(LARGE, new Float64Array(22_500).fill(1), { ...SLOW, signal: controller.signal });
    const A = await engine.operator({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0] });
    expect([...(await A.apply(Float64Array.of(3, 4)))]).toEqual([4, 3]);
    controller.abort();
    expect((await solving).reason).toBe('stopped');
  });

  test('an error of onProgress ends the solve', async () => {
    const solving = engine.solve(LARGE, new Float64Array(22_500).fill(1), {
      ...SLOW,
      onProgress() {
        throw new Error('on purpose');
      },
    });
    await expect(solving).rejects.toThrow('on purpose');
  });

  test('nothing stays allocated', async () => {
    const before = await engine.status();
    await engine.solve({ gallery: LAPLACE }, b);
    expect((await engine.status()).bytesInUse).toBe(before.bytesInUse);
  });

  test.each([
    ['b', () => engine.solve({ gallery: LAPLACE }, new Float64Array(3)), /^b: expected length 600/],
    ['an option', () => engine.solve({ gallery: LAPLACE }, b, { tol: 1 } as never), /^options: expected only/],
    ['method', () => engine.solve({ gallery: LAPLACE }, b, { method: 'lu' }), /^method: expected cg/],
    ['signal', () => engine.solve({ gallery: LAPLACE }, b, { signal: 5 as never }), /^signal: expected/],
    ['options', () => engine.solve({ gallery: LAPLACE }, b, null as never), /^options: expected an object/],
    ['matrix', () => engine.solve({ gallery: 'gallery:nope' }, b), /^gallery matrix: expected/],
  ])('a wrong argument: %s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });
});
