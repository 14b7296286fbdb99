/** How many requests may wait, and what becomes of those that are too many, or are aborted. */
import { describe, expect, test } from 'vitest';
import { createAsyncEngine } from '#dist/async/index.node.js';
import { gallery } from '#dist/index.node.js';
import { relativeResidual } from '../solvers/residual.js';

const SHARES = 16;
const MATRIX = gallery('laplace2d5', { nx: 60, ny: 50 });
const N = MATRIX.rows;
const side = (k: number) => Float64Array.from({ length: N }, (_, i) => Math.cos(i * (k + 1)));

describe('the queue of an engine', () => {
  test('one request more than may wait is refused, until another one has ended', async () => {
    await using engine = await createAsyncEngine({ threads: 1, queue: 4 });
    const solver = await engine.solver(MATRIX, { preconditioner: 'none' });
    const spare = await engine.vector(5);
    expect(await engine.status()).toMatchObject({ open: 0, waiting: 0 });
    const solving = Array.from({ length: SHARES + 4 }, (_, k) => solver.solve(side(k)));
    const refused = [solver.solve(side(99)), engine.vector(3), engine.run(() => 1, []), solver.update(MATRIX.values)];
    for (const one of refused)
      await expect(one).rejects.toMatchObject({
        code: 'busy',
        message: 'engine: expected at most 4 requests to wait (the option queue), got one more',
        detail: { queue: 4 },
      });
    // What frees memory, or asks, is never refused.
    spare.dispose();
    expect(await engine.status()).toMatchObject({ open: SHARES + 4, waiting: 4 });
    const first = await Promise.race(solving);
    expect(first.converged).toBe(true);
    const late = solver.solve(side(100));
    for (const [k, { x }] of (await Promise.all(solving)).entries())
      expect(relativeResidual(MATRIX, x, side(k))).toBeLessThan(1.1e-8);
    expect((await late).converged).toBe(true);
    expect(await engine.status()).toMatchObject({ open: 0, waiting: 0 });
  });

  test('a refused request does not move the buffers of its matrix', async () => {
    await using engine = await createAsyncEngine({ threads: 1, queue: 0 });
    const solver = await engine.solver(MATRIX);
    const solving = Array.from({ length: SHARES }, (_, k) => solver.solve(side(k)));
    const matrix = structuredClone(MATRIX);
    await expect(engine.operator(matrix, { transfer: true })).rejects.toMatchObject({ code: 'busy' });
    expect(matrix.values.length).toBe(MATRIX.nnz);
    await Promise.all(solving);
    const A = await engine.operator(matrix, { transfer: true });
    expect([A.nnz, matrix.values.length]).toEqual([MATRIX.nnz, 0]);
  });

  test('an aborted request leaves the queue at once, and its place may be taken', async () => {
    await using engine = await createAsyncEngine({ threads: 1, queue: 2 });
    const solver = await engine.solver(MATRIX, { preconditioner: 'none' });
    const controller = new AbortController();
    const { signal } = controller;
    const ended: string[] = [];
    const running = Array.from({ length: SHARES }, (_, k) =>
      solver.solve(side(k), { rtol: 1e-14, maxIterations: 3000 }),
    );
    const waiting = [solver.solve(side(20), { signal }), solver.solve(side(21))];
    for (const [k, one] of running.entries()) void one.then(() => ended.push(`${k}`));
    await expect(solver.solve(side(22))).rejects.toMatchObject({ code: 'busy' });
    controller.abort(new Error('gone'));
    await expect(waiting[0]).rejects.toThrow('gone');
    expect(ended).toEqual([]);
    const instead = solver.solve(side(23));
    for (const end of await Promise.all([...running, waiting[1]!, instead])) expect(end.reason).not.toBe('stopped');
  });

  test('so does one that waits for an update of its solver', async () => {
    await using engine = await createAsyncEngine({ threads: 1 });
    const solver = await engine.solver(MATRIX, { preconditioner: 'none' });
    const controller = new AbortController();
    let isUpdated = false;
    const before = solver.solve(side(1), { rtol: 1e-15, maxIterations: 2000 });
    const updating = solver.update(MATRIX.values.map((value) => 2 * value)).then(() => {
      isUpdated = true;
    });
    const after = solver.solve(side(2), { signal: controller.signal });
    controller.abort(new Error('gone'));
    await expect(after).rejects.toThrow('gone');
    expect(isUpdated).toBe(false);
    await Promise.all([before, updating]);
    expect((await solver.solve(side(3))).converged).toBe(true);
  });

  test('three hundred solves at once take the memory of sixteen, and give it back', async () => {
    await using engine = await createAsyncEngine({ threads: 1 });
    const matrix = gallery('laplace2d5', { nx: 80, ny: 80 });
    const bytes = 8 * matrix.rows;
    const solver = await engine.solver(matrix, { rtol: 1e-3 });
    await solver.solve(new Float64Array(matrix.rows).fill(1));
    const before = await engine.status();
    const most = { bytesInUse: 0 };
    const solving = Array.from({ length: 300 }, (_, k) => solver.solve(new Float64Array(matrix.rows).fill(k + 1)));
    let isOver = false;
    const watching = (async () => {
      while (!isOver) most.bytesInUse = Math.max(most.bytesInUse, (await engine.status()).bytesInUse);
    })();
    const solutions = await Promise.all(solving);
    for (const [k, { x }] of solutions.entries()) expect(x[7]! / (k + 1)).toBeCloseTo(solutions[0]!.x[7]!, 6);
    isOver = true;
    await watching;
    const after = await engine.status();
    expect(after.bytesInUse).toBe(before.bytesInUse);
    const used = (most.bytesInUse - before.bytesInUse) / bytes;
    // Some ten vectors each.
    expect(used).toBeGreaterThan(16);
    expect(used).toBeLessThan(16 * 16);
    expect((after.byteLength - before.byteLength) / bytes).toBeLessThan(2 * 16 * 16);
  });

  test.each([-1, 1.5, Number.NaN, '5', null])('queue: %s is refused', async (queue) => {
    await expect(createAsyncEngine({ queue: queue as never })).rejects.toThrow(/^queue: expected an integer from 0/);
  });
});
