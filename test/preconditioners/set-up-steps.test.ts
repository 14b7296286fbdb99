/** Set-ups of many steps: their bits, their progress, and what is left of one that is abandoned or aborted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEngine,
  type Engine,
  gallery,
  precondition,
  preconditionAsync,
  type SetupStep,
} from '#dist/index.node.js';
import { preconditionSteps } from '#dist/preconditioners/registry.js';
import * as problems from '../../bench/solve/choice-problems.mjs';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
});
afterAll(() => engine.dispose());

const GRID = gallery('laplace2d5', { nx: 60, ny: 50 });

describe.each([
  ['amg', GRID],
  ['amg?smoother=ic0&cycle=k&coarsest=20', GRID],
  ['amg', gallery('convection2d', { nx: 60, ny: 50 })],
  ['classical-amg?coarsest=50', problems.layers(14)],
  ['schur', problems.stokes(40)],
  ['direct', GRID],
] as const)('%s', (spec, matrix) => {
  test('the same bits as at once, and shares that are done from 0 to 1', async () => {
    const seen: SetupStep[] = [];
    const steps = preconditionSteps(engine, matrix, spec, {});
    let step = steps.next();
    for (; !step.done; step = steps.next()) seen.push(step.value);
    using M = step.value;
    using N = precondition(engine, matrix, spec);
    const r = Float64Array.from({ length: matrix.rows }, (_, i) => Math.cos(i));
    const [z, w] = [new Float64Array(matrix.rows), new Float64Array(matrix.rows)];
    M.apply(r, z);
    N.apply(r, w);
    expect(z).toEqual(w);
    expect({ ...M.explain(), setupMs: 0, times: 0 }).toEqual({ ...N.explain(), setupMs: 0, times: 0 });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.filter(({ done }) => !(done >= 0 && done <= 1))).toEqual([]);
    const levels = seen.filter(({ stage }) => stage === 'levels').map(({ done }) => done);
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
  });

  test('abandoned after any of its steps it leaves no memory', () => {
    const { bytesInUse } = engine.heap;
    let held = 0;
    for (let count = 1; ; count++) {
      const steps = preconditionSteps(engine, matrix, spec, {});
      let last = steps.next();
      for (let k = 1; k < count && !last.done; k++) last = steps.next();
      held = Math.max(held, engine.heap.bytesInUse - bytesInUse);
      if (last.done) last.value.dispose();
      else steps.return(undefined as never);
      expect([count, engine.heap.bytesInUse]).toEqual([count, bytesInUse]);
      if (last.done) break;
    }
    expect(held).toBeGreaterThan(matrix.nnz);
  });
});

describe('preconditionAsync', () => {
  /** Its set-up takes more than two slices. */
  const LARGE = gallery('laplace2d5', { nx: 400, ny: 400 });

  test.each(['amg', 'classical-amg'])(
    'an abort in the middle rejects with its reason, and nothing stays allocated: %s',
    async (spec) => {
      const { bytesInUse } = engine.heap;
      const controller = new AbortController();
      const reason = new Error('enough');
      const stages: string[] = [];
      const making = preconditionAsync(engine, LARGE, spec, {
        signal: controller.signal,
        onProgress({ stage }) {
          stages.push(stage);
          expect(engine.heap.bytesInUse).toBeGreaterThan(bytesInUse);
          controller.abort(reason);
        },
      });
      await expect(making).rejects.toBe(reason);
      expect([stages, engine.heap.bytesInUse]).toEqual([['levels'], bytesInUse]);
    },
  );

  test('gives what precondition gives, and checks its options', async () => {
    using M = await preconditionAsync(engine, GRID, 'amg?theta=0.1', { dtype: 'mixed' });
    using N = precondition(engine, GRID, 'amg?theta=0.1', { dtype: 'mixed' });
    expect([M.spec, M.bytes]).toEqual([N.spec, N.bytes]);
    const wrong = (options: object) => preconditionAsync(engine, GRID, 'amg', options);
    await expect(wrong({ signal: 1 })).rejects.toThrow(/^signal: expected /);
    await expect(wrong({ onProgress: 1 })).rejects.toThrow(/^onProgress: expected /);
    await expect(wrong({ onStep: 1 })).rejects.toThrow(/^options: expected only/);
    await expect(wrong({ signal: AbortSignal.abort('no') })).rejects.toBe('no');
    await expect(preconditionAsync(engine, GRID, 'ic1')).rejects.toThrow(/^preconditioner: expected /);
    expect(() => precondition(engine, GRID, 'amg', { signal: AbortSignal.abort() } as object)).toThrow(/^options: /);
  });
});
