/** Factors on several threads: the same bits, aborts, lost threads. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIRECT_METHODS } from '#dist/direct/methods.js';
import { createEngine, type Engine, factor, factorAsync, gallery, type SparlaneError } from '#dist/index.node.js';
import { killableEngine, killWhileRunning } from '../execution/killable.js';
import { rightSide, saddlePoint } from './matrices.js';

/** 10⁸ multiplications and additions: tasks of all kinds. */
const CUBE = gallery('laplace3d7', { nx: 16, ny: 16, nz: 16 });
const MATRICES = {
  'a cube': CUBE,
  'a shifted cube': { ...CUBE, values: CUBE.values.map((value) => (value === 6 ? 2.7 : value)) },
  'a grid': gallery('laplace2d5', { nx: 120, ny: 120 }),
  'a saddle point': saddlePoint(3000, 900),
};

let engines: Engine[] = [];
beforeAll(async () => {
  engines = [];
  for (const threads of [1, 2, 3]) engines.push(await createEngine({ threads }));
});
afterAll(async () => {
  for (const engine of engines) await engine.dispose();
});

describe.each(Object.entries(MATRICES))('%s', (_, matrix) => {
  test.each(['f64', 'mixed'] as const)('has the same bits on 1, 2 and 3 threads: %s', (dtype) => {
    const b = rightSide(matrix.rows);
    const solutions = engines.map((engine) => {
      using F = factor(engine, matrix, { dtype });
      F.update(matrix.values.map((value) => 2 * value));
      F.update(matrix.values);
      const x = new Float64Array(matrix.rows);
      F.apply(b, x);
      return { x, report: { ...F.explain(), bytes: 0, setupMs: 0, times: {} }, determinant: F.logDeterminant };
    });
    for (const solution of solutions) expect(solution).toEqual(solutions[0]);
  });
});

test('the same column is named on any number of threads', () => {
  const values = CUBE.values.map((value) => (value === 6 ? 3.9 : value));
  const columns = engines.map((engine) => {
    try {
      factor(engine, { ...CUBE, values }, { method: 'cholesky' });
    } catch (error) {
      return (error as SparlaneError).detail.column;
    }
    return undefined;
  });
  expect(columns).toEqual([columns[0], columns[0], columns[0]]);
  expect(columns[0]).toBeTypeOf('number');
});

describe('without blocking', () => {
  test('the event loop turns, and progress is told', async () => {
    const [engine] = engines;
    const steps: string[] = [];
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    // Several slices of 50 ms on any machine.
    const matrix = gallery('laplace3d7', { nx: 32, ny: 32, nz: 32 });
    using F = await factorAsync(engine!, matrix, {
      onProgress: ({ stage, done }) => {
        steps.push(stage);
        expect(done).toBeGreaterThanOrEqual(0);
        expect(done).toBeLessThanOrEqual(1);
      },
    });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
    expect(steps).toContain('factor');
    using direct = factor(engine!, matrix);
    const b = rightSide(matrix.rows);
    expect(F.solve(b)).toEqual(direct.solve(b));
  });

  test('an abort rejects with its reason, and nothing stays allocated', async () => {
    for (const engine of engines) {
      const { bytesInUse } = engine.heap;
      const controller = new AbortController();
      const reason = new Error('enough');
      const matrix = gallery('laplace3d7', { nx: 24, ny: 24, nz: 24 });
      const onProgress = ({ stage }: { stage: string }) => stage === 'factor' && controller.abort(reason);
      await expect(factorAsync(engine, matrix, { signal: controller.signal, onProgress })).rejects.toBe(reason);
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
      await expect(factorAsync(engine, matrix, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    }
  });

  test('an update: progress, an abort, and no factors before the next one has ended', async () => {
    const [engine] = engines;
    const matrix = gallery('laplace3d7', { nx: 24, ny: 24, nz: 24 });
    const b = rightSide(matrix.rows);
    using F = factor(engine!, matrix);
    const expected = F.solve(b);
    const { bytesInUse } = engine!.heap;
    let isOver = false;
    let turns = 0;
    const updating = F.updateAsync(matrix.values, {
      onProgress: ({ stage, done }) => {
        expect(stage).toBe('factor');
        expect(done).toBeLessThanOrEqual(1);
        turns++;
        expect(() => F.solve(b)).toThrow(/got 'one that is being updated'/);
        expect(() => F.update(matrix.values)).toThrow(/expected one that is not being updated/);
      },
    }).finally(() => {
      isOver = true;
    });
    expect(isOver).toBe(false);
    await updating;
    expect(turns).toBeGreaterThan(0);
    expect(F.solve(b)).toEqual(expected);
    const reason = new Error('enough');
    const controller = new AbortController();
    const onProgress = () => controller.abort(reason);
    await expect(F.updateAsync(matrix.values, { signal: controller.signal, onProgress })).rejects.toBe(reason);
    expect(() => F.solve(b)).toThrow(/one whose update failed/);
    F.update(matrix.values);
    expect(F.solve(b)).toEqual(expected);
    expect(engine!.heap.bytesInUse).toBe(bytesInUse);
    await expect(F.updateAsync(matrix.values, { signals: 1 } as never)).rejects.toThrow(/^options: expected only/);
    await expect(F.updateAsync(new Float64Array(3))).rejects.toMatchObject({ code: 'shape' });
  });

  test('factors that are disposed while they are updated', async () => {
    const [engine] = engines;
    const { bytesInUse } = engine!.heap;
    const matrix = gallery('laplace3d7', { nx: 24, ny: 24, nz: 24 });
    const F = factor(engine!, matrix);
    await expect(F.updateAsync(matrix.values, { onProgress: () => F.dispose() })).rejects.toThrow(/a disposed one/);
    expect(engine!.heap.bytesInUse).toBe(bytesInUse);
  });

  test('an analysis that is abandoned frees what it has', () => {
    const [engine] = engines;
    const { bytesInUse } = engine!.heap;
    for (const method of DIRECT_METHODS) {
      const steps = method.analyse(engine!, CUBE, { order: 'auto', stored: 'f64' });
      expect(steps.next().done).toBe(false);
      steps.return(undefined as never);
    }
    expect(engine!.heap.bytesInUse).toBe(bytesInUse);
  });

  test('wrong arguments reject', async () => {
    await expect(factorAsync(engines[0]!, CUBE, { signal: 5 } as never)).rejects.toThrow(
      /^signal: expected an AbortSignal/,
    );
    await expect(factorAsync(engines[0]!, CUBE, { onProgress: 5 } as never)).rejects.toThrow(
      /^onProgress: expected a function/,
    );
    await expect(factorAsync(engines[0]!, CUBE, { method: 'qr' } as never)).rejects.toThrow(
      /^method: expected auto \| cholesky/,
    );
    await expect(factorAsync(engines[0]!, CUBE, { orders: 'amd' } as never)).rejects.toThrow(/^options: expected only/);
  });
});

test('a thread that is killed in the middle ends in an error or a hint, not in a hang', async () => {
  const killable = await killableEngine();
  const b = rightSide(CUBE.rows);
  using F = factor(killable.engine, CUBE, { method: 'cholesky' });
  const expected = F.solve(b);
  let isBroken = false;
  await killWhileRunning(killable, 60, {
    run: () => {
      isBroken = true;
      F.update(CUBE.values);
      isBroken = false;
      const x = F.solve(b);
      return x.every((value, i) => value === expected[i]);
    },
    isTime: (n) => n % 10 === 3,
    mostMs: 20_000,
  });
  if (isBroken) F.update(CUBE.values);
  expect(F.solve(b)).toEqual(expected);
  await killable.engine.dispose();
});
