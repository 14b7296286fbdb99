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
    // All are posted before the event loop turns, so none has an answer yet.
    const solving = Array.from({ length: SHARES + 4 }, (_, k) => solver.solve(side(k)));
    const refused = [solver.solve(side(99)), engine.vector(3), engine.run(() => 1, []), solver.update(MATRIX.values)];
    // What frees memory, or asks, is never refused.
    spare.dispose();
    const status = engine.status();
    for (const one of refused)
      await expect(one).rejects.toMatchObject({
        code: 'busy',
        message: 'engine: expected at most 4 requests to wait (the option queue), got one more',
        detail: { queue: 4 },
      });
    expect(await status).toMatchObject({ open: SHARES + 4, waiting: 4 });
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

  /** A solve that only its signal ends. */
  const ENDLESS = { rtol: 0, maxIterations: 4e9 };

  test('an aborted request leaves the queue at once, and its place may be taken', async () => {
    await using engine = await createAsyncEngine({ threads: 1, queue: 2 });
    const solver = await engine.solver(MATRIX, { method: 'gmres', preconditioner: 'none' });
    const [all, one] = [new AbortController(), new AbortController()];
    const running = Array.from({ length: SHARES }, (_, k) => solver.solve(side(k), { ...ENDLESS, signal: all.signal }));
    const gone = solver.solve(side(20), { signal: one.signal });
    const waiting = solver.solve(side(21));
    await expect(solver.solve(side(22))).rejects.toMatchObject({ code: 'busy' });
    one.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    expect((await engine.status()).waiting).toBe(1);
    const instead = solver.solve(side(23));
    expect((await engine.status()).waiting).toBe(2);
    all.abort();
    await Promise.allSettled(running);
    for (const { converged } of await Promise.all([waiting, instead])) expect(converged).toBe(true);
  });

  test('so does one that waits for an update of its solver', async () => {
    await using engine = await createAsyncEngine({ threads: 1 });
    const solver = await engine.solver(MATRIX, { method: 'gmres', preconditioner: 'none' });
    const [first, second] = [new AbortController(), new AbortController()];
    let begin!: () => void;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const before = solver.solve(side(1), { ...ENDLESS, signal: first.signal, onProgress: () => begin() });
    await begun;
    let isUpdated = false;
    const updating = solver.update(MATRIX.values.map((value) => 2 * value)).then(() => {
      isUpdated = true;
    });
    const after = solver.solve(side(2), { signal: second.signal });
    second.abort(new Error('gone'));
    await expect(after).rejects.toThrow('gone');
    expect(isUpdated).toBe(false);
    first.abort();
    expect((await before).reason).toBe('stopped');
    await updating;
    expect((await solver.solve(side(3))).converged).toBe(true);
  });

  test('a hundred solves at once take the memory of sixteen, and give it back', async () => {
    await using engine = await createAsyncEngine({ threads: 1 });
    const matrix = gallery('laplace2d5', { nx: 150, ny: 150 });
    const bytes = 8 * matrix.rows;
    const solver = await engine.solver(matrix, { rtol: 1e-4, method: 'cg', preconditioner: 'jacobi' });
    await solver.solve(new Float64Array(matrix.rows).fill(1));
    const before = await engine.status();
    const most = { bytesInUse: 0 };
    const solving = Array.from({ length: 100 }, (_, k) => solver.solve(new Float64Array(matrix.rows).fill(k + 1)));
    let isOver = false;
    const watching = (async () => {
      while (!isOver) most.bytesInUse = Math.max(most.bytesInUse, (await engine.status()).bytesInUse);
    })();
    const solutions = await Promise.all(solving);
    for (const [k, { x }] of solutions.entries()) expect(x[7]! / (k + 1)).toBeCloseTo(solutions[0]!.x[7]!, 2);
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
