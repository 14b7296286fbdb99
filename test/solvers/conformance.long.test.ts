/** The checks of solvers on every space; iterations of known solves; threads that are killed. */
import { describe, expect, test } from 'vitest';
import { checkSolvers } from '#dist/conformance/solver-checks.js';
import { SparlaneError } from '#dist/core/errors.js';
import type { Engine } from '#dist/engine/engine.js';
import {
  blockCg,
  cg,
  cgMany,
  createEngine,
  gallery,
  jacobi,
  pageRank,
  powerIteration,
  solveAsync,
  type Vector,
} from '#dist/index.node.js';
import { METHODS } from '#dist/solvers/methods.js';
import { killableEngine } from '../execution/killable.js';
import { SPACES } from './engines.js';
import { relativeResidual } from './residual.js';

test.each(SPACES)('%s', async (_, open) => {
  await using engine: Engine = await open();
  const { checks, failures } = checkSolvers(engine);
  expect(failures).toEqual([]);
  expect(checks).toBeGreaterThan(2500);
});

test('cg with jacobi takes the iterations that PETSc takes: 872 on the 5-point Laplacian of 300²', async () => {
  await using engine = await createEngine({ threads: 2 });
  const matrix = gallery('laplace2d5', { nx: 300, ny: 300 });
  let seed = 1;
  const b = Float64Array.from({ length: matrix.rows }, () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return 0.5 + seed / 2_147_483_647;
  });
  using A = engine.operator(matrix, { format: 'csr' });
  using M = jacobi(A);
  const { x, iterations, converged } = cg(A, b, { preconditioner: M });
  expect(converged).toBe(true);
  expect(Math.abs(iterations - 872)).toBeLessThanOrEqual(9);
  x.dispose();
});

describe('a thread that is killed in the middle of a solve', () => {
  const matrix = gallery('laplace2d5', { nx: 250, ny: 250 });
  const b = new Float64Array(matrix.rows).fill(1);

  test.each(METHODS.map(({ name }) => name))('%s ends, with an answer or an error', async (method) => {
    const killable = await killableEngine();
    await using engine = killable.engine;
    let killed = 0;
    const solving = solveAsync(engine, matrix, b, {
      ...{ method, format: 'csr', rtol: 0, maxIterations: 600, preconditioner: 'none' },
      onProgress() {
        if (killed === 0) {
          void killable.kill();
          killed++;
        }
      },
    });
    const end = await solving.catch((error: unknown) => error);
    expect(killed).toBe(1);
    if (end instanceof Error) {
      expect(end).toBeInstanceOf(SparlaneError);
      expect((end as SparlaneError).code).toBe('backend');
      return;
    }
    const { x, reason, relativeResidual: reported } = end as Awaited<typeof solving>;
    expect(reason).not.toBe('not-finite');
    expect(reported).toBeCloseTo(relativeResidual(matrix, x.toArray(), b), 8);
    x.dispose();
  });

  const MANY: Record<string, (engine: Engine, onStep: () => void) => { x: Vector; residuals: readonly number[] }> = {
    ...Object.fromEntries(
      Object.entries({ cgMany, blockCg }).map(([name, solve]) => [
        name,
        (engine, onStep) => {
          using A = engine.operator(matrix, { format: 'csr' });
          using B = engine.vector(
            Float64Array.from({ length: 3 * b.length }, (_, k) => (k * 7) % 5),
            { columns: 3 },
          );
          const { x, columns } = solve(A, B, { rtol: 0, maxIterations: 100, onStep });
          return { x, residuals: columns.map(({ relativeResidual: one }) => one) };
        },
      ]),
    ),
    powerIteration: (engine, onStep) => {
      using A = engine.operator(matrix, { format: 'csr' });
      const { x, relativeResidual: one } = powerIteration(A, { rtol: 0, maxIterations: 600, onStep });
      return { x, residuals: [one] };
    },
    pageRank: (engine, onStep) => {
      const links = { ...matrix, values: matrix.values.map(Math.abs) };
      const { ranks, relativeChange: one } = pageRank(engine, links, { rtol: 0, maxIterations: 600, onStep });
      return { x: ranks, residuals: [one] };
    },
  };

  test.each(Object.entries(MANY))('%s, which never lets the event loop turn, ends likewise', async (_, solve) => {
    const killable = await killableEngine();
    await using engine = killable.engine;
    let killed = 0;
    const kill = () => {
      if (killed++ === 10) void killable.kill();
    };
    try {
      const { x, residuals } = solve(engine, kill);
      for (const one of residuals) expect(one).toBeLessThan(1.01);
      expect(x.toArray().every(Number.isFinite)).toBe(true);
      x.dispose();
    } catch (error) {
      expect(error).toBeInstanceOf(SparlaneError);
      expect((error as SparlaneError).code).toBe('backend');
    }
    expect(killed).toBeGreaterThan(10);
  });
});
