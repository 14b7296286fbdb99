/** Errors of a caller's function that nobody catches: they end its own call, and nothing else. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AsyncEngine, type AsyncOperator, createAsyncEngine, type Hint } from '#dist/async/index.node.js';

const TASKS = new URL('./fixtures/tasks.mjs', import.meta.url);
const task = (name: string) => new URL(`#${name}`, TASKS);

describe('a stray error of a function of `run`', () => {
  const hints: Hint[] = [];
  let engine: AsyncEngine;
  let A: AsyncOperator<Float64Array>;

  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 1, onHint: (hint) => void hints.push(hint) });
    A = await engine.operator({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [3, -2] });
  });
  afterAll(() => engine.dispose());

  const isAlive = async () => expect([...(await A.apply(Float64Array.of(1, 1)))]).toEqual([3, -2]);

  test.each([
    ['strayRejection', 'a stray rejection'],
    ['strayException', 'a stray exception'],
    ['strayLater', 'a stray rejection'],
  ])('%s: the call rejects with it, at once, and others go on', async (name, message) => {
    const others = [
      engine.run<number>(task('count'), [40]),
      engine.solve({ gallery: 'gallery:laplace2d5?nx=60&ny=60' }, new Float64Array(3600).fill(1)),
      engine.run<string>(task('strayRejection').href.replace('strayRejection', 'threads')),
    ] as const;
    const begin = performance.now();
    await expect(engine.run(task(name))).rejects.toMatchObject({ name: 'RangeError', message });
    expect(performance.now() - begin).toBeLessThan(20_000);
    const [sum, { converged }, { threads }] = (await Promise.all(others)) as unknown as [
      number,
      { converged: boolean },
      { threads: number },
    ];
    expect([sum, converged, threads]).toEqual([820, true, 1]);
    await isAlive();
    expect((await engine.status()).open).toBe(0);
  });

  test('two calls: each has its own error', async () => {
    const calls = ['strayRejection', 'strayException', 'strayLater'].map((name) => engine.run(task(name)));
    const ends = await Promise.allSettled(calls);
    expect(ends.map((end) => (end as PromiseRejectedResult).reason.message)).toEqual([
      'a stray rejection',
      'a stray exception',
      'a stray rejection',
    ]);
    await isAlive();
  });

  test('an error after the end of the call is told as a hint', async () => {
    hints.length = 0;
    const other = engine.run<number>(task('count'), [60]);
    expect(await engine.run(task('strayAfterwards'))).toBe('done');
    await vi.waitFor(
      () => expect(hints).toMatchObject([{ name: 'stray-error', message: /RangeError: too late/ }]),
      5000,
    );
    expect(await other).toBe(1830);
    await isAlive();
  });

  test('a function by its text', async () => {
    const call = engine.run(async () => {
      void Promise.reject(new Error('a stray one'));
      await new Promise(() => {});
    }, []);
    await expect(call).rejects.toThrow('a stray one');
    await isAlive();
  });
});
