/** Progress and aborts of searches while factors and preconditioners are made. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEngine,
  type EigenStep,
  type Engine,
  eigs,
  eigsAsync,
  eigsGeneral,
  eigsGeneralAsync,
  gallery,
  svds,
} from '#dist/index.node.js';

type OnProgress = (step: { readonly stage?: string }) => unknown;

describe('while factors are made', () => {
  let engine: Engine;
  const cube = gallery('laplace3d7', { nx: 14, ny: 14, nz: 14 });
  const flow = gallery('convection2d', { nx: 40, ny: 40 });
  beforeAll(async () => {
    engine = await createEngine({ threads: 1, binary: 'simd' });
    // The space keeps memory for the sums of the longest vectors.
    for (const search of Object.values(SEARCHES)) search({});
  });
  afterAll(() => engine.dispose());

  const shift = { real: 0.1, imaginary: 0.1 };
  /** Each gives the stages that it has beside iterations. */
  const SEARCHES = {
    'shift-invert': (more: object) => free(eigs(engine, cube, 3, { method: 'shift-invert', ...more }).vectors),
    lobpcg: (more: object) => free(eigs(engine, cube, 3, { preconditioner: 'amg', ...more }).vectors),
    'eigsGeneral, nearest': (more: object) =>
      free(eigsGeneral(engine, flow, 3, { which: 'nearest', shift, ...more }).vectors),
    svds: (more: object) => {
      const { U, V } = svds(engine, flow, 3, { which: 'smallest', method: 'inverse', ...more });
      return free({ U, V });
    },
  };
  type Name = keyof typeof SEARCHES;
  const free = (vectors: object) => {
    const blocks = 'dispose' in vectors ? [vectors] : Object.values(vectors);
    for (const block of blocks) block.dispose();
  };

  test.each<[Name, readonly string[]]>([
    ['shift-invert', ['analysis', 'factor']],
    ['lobpcg', ['levels', 'smoothers']],
    ['eigsGeneral, nearest', ['order']],
  ])('%s: stages come before iterations', (name, expected) => {
    const stages: string[] = [];
    SEARCHES[name]({ onProgress: ({ stage }: EigenStep) => stages.push(stage) });
    for (const stage of expected) expect(stages).toContain(stage);
    expect(stages.indexOf(expected[0]!)).toBeLessThan(stages.indexOf('iterations'));
  });

  test.each(Object.keys(SEARCHES) as Name[])(
    '%s: an abort, or false, before there are pairs throws, and frees everything',
    (name) => {
      const { bytesInUse } = engine.heap;
      const controller = new AbortController();
      const reason = new Error('enough');
      let calls = 0;
      const abort: OnProgress = () => {
        calls++;
        controller.abort(reason);
      };
      expect(() => SEARCHES[name]({ signal: controller.signal, onProgress: abort })).toThrow(reason);
      expect(calls).toBe(1);
      const refuse: OnProgress = () => {
        calls++;
        return false;
      };
      expect(() => SEARCHES[name]({ onProgress: refuse })).toThrow(expect.objectContaining({ name: 'AbortError' }));
      expect(calls).toBe(2);
      expect(engine.heap.bytesInUse).toBe(bytesInUse);
    },
  );

  test('shift-invert: an abort during the count has the pairs that were found', () => {
    const controller = new AbortController();
    const late: EigenStep[] = [];
    let isFound = false;
    const { reason, values, converged, vectors, decision } = eigs(engine, cube, 3, {
      ...{ method: 'shift-invert', signal: controller.signal },
      onProgress: (step) => {
        isFound ||= step.stage === 'iterations';
        if (!isFound || step.stage === 'iterations') return;
        late.push(step);
        controller.abort();
      },
    });
    vectors.dispose();
    expect([reason, values.length, converged]).toEqual(['stopped', 3, 3]);
    expect(late).toHaveLength(1);
    expect(late[0]!.iteration).toBeGreaterThan(10);
    expect(decision.reasons.join()).not.toContain('inertia');
  });

  test('eigsGeneral: an abort while the factors for left vectors are made has the right ones', () => {
    let isFound = false;
    const { reason, values, converged, left, vectors } = eigsGeneral(engine, flow, 2, {
      ...{ which: 'nearest', shift, left: true },
      onProgress: ({ stage }) => {
        isFound ||= stage === 'iterations';
        return !isFound || stage === 'iterations';
      },
    });
    expect([reason, converged]).toEqual(['stopped', values.real.length]);
    expect([left!.converged, left!.conditions[0]]).toEqual([0, Number.NaN]);
    for (const both of [vectors, left!.vectors]) free(both);
  });

  test('without blocking: an abort between two steps', async () => {
    const { bytesInUse } = engine.heap;
    for (const call of [
      (more: object) => eigsAsync(engine, cube, 3, { method: 'shift-invert', ...more }),
      (more: object) => eigsAsync(engine, cube, 3, { preconditioner: 'amg', ...more }),
      (more: object) => eigsGeneralAsync(engine, flow, 3, { which: 'nearest', shift, ...more }),
    ]) {
      const controller = new AbortController();
      const stages: string[] = [];
      const onProgress = ({ stage }: EigenStep) => {
        stages.push(stage);
        controller.abort(new Error('enough'));
      };
      await expect(call({ signal: controller.signal, onProgress })).rejects.toThrow('enough');
      expect(stages).toHaveLength(1);
      expect(stages).not.toContain('iterations');
    }
    expect(engine.heap.bytesInUse).toBe(bytesInUse);
  });
});
