/** A solver that the worker keeps, and blocks of vectors. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';
import { gallery } from '#dist/index.node.js';
import { relativeResidual, residualOf } from '../solvers/residual.js';

const MATRIX = gallery('laplace2d5', { nx: 40, ny: 30 });
const N = MATRIX.rows;
const side = (k: number) => Float64Array.from({ length: N }, (_, i) => Math.cos(i * (k + 1)));

describe('engine.solver', () => {
  let engine: AsyncEngine;

  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 1, binary: 'simd' });
  });
  afterAll(() => engine.dispose());

  test('gives the bits of solve; solves at a time have their own vectors', async () => {
    using solver = await engine.solver(MATRIX, { rtol: 1e-9 });
    expect([solver.rows, solver.cols, solver.decision.method]).toEqual([N, N, 'direct']);
    const solutions = await Promise.all([0, 1, 2, 3].map((k) => solver.solve(side(k))));
    for (const [k, { x, converged, setupMs }] of solutions.entries()) {
      expect([converged, setupMs < solver.setupMs]).toEqual([true, true]);
      const alone = await engine.solve(MATRIX, side(k), { rtol: 1e-9 });
      expect(x).toEqual(alone.x);
    }
    const again = await solver.solve(await engine.vector(side(0)), { x0: solutions[0]!.x });
    expect(again.iterations).toBe(0);
  });

  test('an update comes between the solves before and after it', async () => {
    using solver = await engine.solver(MATRIX, { preconditioner: 'ic0' });
    const values = MATRIX.values.map((value) => 2 * value);
    const before = solver.solve(side(0));
    const updating = solver.update(values);
    const after = solver.solve(side(0));
    await updating;
    expect(relativeResidual(MATRIX, (await before).x, side(0))).toBeLessThan(1.1e-8);
    expect(relativeResidual({ ...MATRIX, values }, (await after).x, side(0))).toBeLessThan(1.1e-8);
    await expect(solver.update(new Float64Array(2))).rejects.toMatchObject({ code: 'shape' });
    expect((await solver.solve(side(1))).converged).toBe(true);
  });

  test('factors are made in slices: products have their turns, and an abort rejects with its reason', async () => {
    const A = await engine.operator(MATRIX);
    await A.apply(side(0));
    const { bytesInUse } = await engine.status();
    const isFree = async () => {
      // What the products of another format have planned stays.
      expect((await engine.status()).bytesInUse).toBeLessThan(bytesInUse + 2 ** 12);
    };
    const cube = { gallery: 'gallery:laplace3d7?nx=30&ny=30&nz=30' };
    let ended = false;
    let products = 0;
    const preparing = engine.solver(cube, { method: 'direct' }).finally(() => {
      ended = true;
    });
    for (; !ended; products++) await A.apply(side(0));
    const solver = await preparing;
    expect(products).toBeGreaterThan(3);
    const { converged, iterations } = await solver.solve(new Float64Array(solver.rows).fill(1));
    expect([converged, iterations]).toEqual([true, 1]);
    solver.dispose();
    const controller = new AbortController();
    const aborted = engine.solver(cube, { method: 'direct', signal: controller.signal });
    await A.apply(side(0));
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await vi.waitFor(isFree);
    A.dispose();
  });

  test('multigrid is made in slices: its progress is told, products have their turns, and an abort frees all memory', async () => {
    const A = await engine.operator(MATRIX);
    await A.apply(side(0));
    const { bytesInUse } = await engine.status();
    const grid = { gallery: 'gallery:laplace2d5?nx=700&ny=700' };
    const named = { method: 'cg', preconditioner: 'amg' } as const;
    const stages = new Set<string>();
    let isOver = false;
    let products = 0;
    const preparing = engine.solver(grid, { ...named, onProgress: ({ stage }) => stages.add(stage) }).finally(() => {
      isOver = true;
    });
    for (; !isOver; products++) await A.apply(side(0));
    (await preparing).dispose();
    expect([stages.has('levels'), products > 3]).toEqual([true, true]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const aborted = engine.solver(grid, {
      ...named,
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(aborted).rejects.toBe(reason);
    expect((await engine.status()).bytesInUse).toBe(bytesInUse);
    const stopped = async () => {
      const stopping = new AbortController();
      const { reason: end, iterations } = await engine.solve(grid, new Float64Array(490_000).fill(1), {
        ...named,
        signal: stopping.signal,
        onProgress: () => stopping.abort(),
      });
      expect([end, iterations]).toEqual(['stopped', 0]);
      return (await engine.status()).bytesInUse;
    };
    // The space keeps memory for the sums of dot products.
    expect(await stopped()).toBe(await stopped());
    A.dispose();
  });

  test('what a request uses may be changed or disposed as soon as the request is made', async () => {
    const before = (await engine.status()).bytesInUse;
    const solver = await engine.solver(MATRIX, { preconditioner: 'ic0' });
    const values = MATRIX.values.map((value) => 2 * value);
    const given = values.slice();
    const b = await engine.vector(side(0));
    const updating = solver.update(given);
    const solving = solver.solve(b);
    given.fill(Number.NaN);
    b.dispose();
    solver.dispose();
    await updating;
    expect(relativeResidual({ ...MATRIX, values }, (await solving).x, side(0))).toBeLessThan(1.1e-8);
    await expect(solver.update(values)).rejects.toThrow(/a disposed solver/);
    expect((await engine.status()).bytesInUse).toBe(before);
  });

  test('stops, rejects, and ends as solve does', async () => {
    // The space keeps memory for the sums of dot products.
    await engine.solve({ gallery: 'gallery:laplace2d5?nx=150&ny=150' }, new Float64Array(22_500).fill(1));
    const { bytesInUse } = await engine.status();
    const solver = await engine.solver({ gallery: 'gallery:laplace2d5?nx=150&ny=150' }, { method: 'cg', rtol: 0 });
    const controller = new AbortController();
    const b = new Float64Array(22_500).fill(1);
    const { reason } = await solver.solve(b, {
      signal: controller.signal,
      maxIterations: 1e9,
      checkEvery: 1,
      onProgress: () => controller.abort(),
    });
    expect(['stopped', 'stagnated']).toContain(reason);
    await expect(solver.solve(b, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    await expect(solver.solve(new Float64Array(3))).rejects.toMatchObject({ code: 'shape' });
    solver.dispose();
    await expect(solver.solve(b)).rejects.toThrow(/a disposed solver/);
    expect((await engine.status()).bytesInUse).toBe(bytesInUse);
    expect(() => structuredClone(solver)).toThrow();
    await expect(engine.solver(MATRIX, { rtol: 7 })).rejects.toMatchObject({ code: 'argument' });
  });

  test('blocks of vectors: each column of the product', async () => {
    const A = await engine.operator(MATRIX);
    const columns = 3;
    const numbers = Float64Array.from({ length: N * columns }, (_, k) => k % 17);
    const X = await engine.vector(numbers, { columns });
    const Y = await engine.vector(N, { columns });
    expect([X.length, X.columns, X.data.length]).toEqual([N, columns, N * X.stride]);
    const zeros = new Float64Array(N);
    // −(0 − A x)
    const expected = Array.from({ length: columns }, (_, j) =>
      residualOf(
        MATRIX,
        numbers.filter((_, k) => k % columns === j),
        zeros,
      ).map((value) => -value),
    );
    await A.apply(X, Y);
    for (let i = 0; i < N; i++)
      for (let j = 0; j < columns; j++) expect(Y.data[i * Y.stride + j]).toBeCloseTo(expected[j]![i]!, 9);
    const fresh = await A.apply(X);
    expect(fresh.length).toBe(N * columns);
    expect(fresh[columns + 2]).toBeCloseTo(expected[2]![1]!, 9);
    const byColumns = await engine.vector(numbers, { columns, order: 'column' });
    expect(byColumns.data[1]).toBe(numbers[N]);
    await expect(A.apply(X, await engine.vector(N))).rejects.toMatchObject({ code: 'shape' });
    await expect(engine.vector(numbers.slice(1), { columns })).rejects.toMatchObject({ code: 'shape' });
    await expect(engine.vector(3, { rows: 3 } as never)).rejects.toMatchObject({ code: 'argument' });
  });
});
