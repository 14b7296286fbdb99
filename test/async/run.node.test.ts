/** `run`: functions of the caller in the engine's worker. */
import { type AsyncEngine, type AsyncOperator, createAsyncEngine } from 'sparlane/async';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const TASKS = new URL('./fixtures/tasks.mjs', import.meta.url);
const task = (name: string) => new URL(`#${name}`, TASKS);

describe('run', () => {
  let engine: AsyncEngine;
  let A: AsyncOperator<Float64Array>;

  beforeAll(async () => {
    engine = await createAsyncEngine({ threads: 1 });
    A = await engine.operator({ rows: 2, cols: 2, rowPtr: [0, 1, 2], colIdx: [1, 0], values: [3, -2] });
  });
  afterAll(() => engine.dispose());

  test('a module: its default export, with operators and vectors of the engine', async () => {
    const x = await engine.vector([1, 2]);
    // A² = −6 I
    expect(await engine.run<number>(TASKS, [A, x, 4])).toBe(36 * 3);
    expect([...x.data]).toEqual([1, 2]);
  });

  test('a vector is the same memory here and there', async () => {
    const x = await engine.vector(3);
    await engine.run((_engine, x: import('sparlane').Vector<Float64Array>) => void x.fill(7), [x]);
    expect([...x.data]).toEqual([7, 7, 7]);
  });

  test('the export that the fragment names, which may import the library', async () => {
    const L = await engine.operator({ gallery: 'gallery:laplace2d5?nx=20&ny=20' });
    const b = await engine.vector(new Float64Array(L.rows).fill(1));
    const { x, iterations } = await engine.run<{ x: Float64Array; iterations: number }>(task('solveWithCg'), [L, b]);
    expect(iterations).toBeGreaterThan(5);
    for (const value of await L.apply(x)) expect(value).toBeCloseTo(1, 6);
  });

  test('a function by its text, a promise', async () => {
    const sum = await engine.run(
      (engine, n: number) =>
        engine
          .vector(n)
          .fill(2)
          .data.reduce((a, b) => a + b),
      [5],
    );
    expect(sum).toBe(10);
    expect(await engine.run(task('threads'))).toEqual({ threads: 1 });
  });

  test('a generator shares the worker, tells its progress, and can be aborted', async () => {
    const told: number[] = [];
    const counting = engine.run<number>(task('count'), [150], { onProgress: (k: number) => told.push(k) });
    expect([...(await A.apply(Float64Array.of(1, 1)))]).toEqual([3, -2]);
    expect(await counting).toBe((150 * 151) / 2);
    expect(told.length).toBeGreaterThanOrEqual(1);

    const controller = new AbortController();
    const reason = new Error('enough');
    const endless = engine.run(task('count'), [1e9], {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(endless).rejects.toBe(reason);
  });

  test.each<[string, () => Promise<unknown>, RegExp]>([
    ['an error of the function', () => engine.run(task('fail')), /on purpose/],
    ['no such module', () => engine.run(new URL('./missing.mjs', TASKS)), /^task: expected the URL of a module/],
    ['no such export', () => engine.run(task('nope')), /^task: expected a module that exports a function as `nope`/],
    ['an export that is none', () => engine.run(task('notAFunction')), /^task: expected a module that exports/],
    ['a relative URL', () => engine.run('./tasks.mjs'), /^task: expected an absolute URL/],
    ['a method', () => engine.run({ f() {} }.f, []), /^task: expected a function expression/],
    ['arguments', () => engine.run(TASKS, 5 as never), /^args: expected an array/],
    ['an argument that cannot be sent', () => engine.run(TASKS, [() => {}]), /^arguments: expected values/],
    ['an option', () => engine.run(TASKS, [], { sginal: 5 } as never), /^options: expected only/],
    [
      'a result of the worker',
      () => engine.run((engine) => engine.vector(3), []),
      /vector of one thread.* could not be cloned/,
    ],
  ])('a clear error: %s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });

  test('an engine that is not this one', async () => {
    await using other = await createAsyncEngine({ threads: 1 });
    await expect(other.run(TASKS, [A])).rejects.toThrow('an operator of the same engine');
  });
});
