/** A solver that is written once, over vectors of any space, and runs unchanged on each of them. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sampleVector } from '#dist/conformance/matrices.js';
import { checkVectors } from '#dist/conformance/vector-checks.js';
import type { Engine } from '#dist/engine/engine.js';
import { createEngine, gallery, type LinearOperator, type Vector } from '#dist/index.node.js';
import { Scalar } from '#dist/memory/scalar.js';
import { engineOn } from '../backends/engine-on.js';
import { fakeCsrDevice } from '../backends/fake-csr.js';
import { relativeResidual } from '../solvers/residual.js';

const ITERATIONS = 500;

/** Large enough for a team, and not solved to the last bit by the iterations. */
const MATRIX = gallery('laplace2d5', { nx: 200, ny: 200 });
const B = sampleVector(MATRIX.rows, 'real', 1);

interface Solution {
  readonly x: Float64Array;
  /** ‖r‖₂ as the recurrence has it. */
  readonly residual: number;
}

/**
 * Conjugate gradients with the Jacobi preconditioner, from x = 0.
 *
 * @param d the inverse of A's diagonal
 * @param recorded whether an iteration is recorded once and launched, or asked for anew each time
 */
function conjugateGradients(A: LinearOperator, b: Vector, d: Vector, recorded: boolean): Solution {
  const { space } = b;
  const [x, r, z, p, q] = [b.like(), b.like(), b.like(), b.like(), b.like()];
  const scalars = Array.from({ length: 5 }, () => new Scalar(space));
  const [rz, rzBefore, pq, alpha, beta] = scalars as [Scalar, Scalar, Scalar, Scalar, Scalar];
  x.fill(0);
  r.copyFrom(b);
  p.multiply(d, r).dot(r, rz);
  const step = () => {
    A.apply(p, q);
    p.dot(q, pq);
    alpha.setQuotient(rz, pq);
    x.axpy(alpha, p);
    r.axpy(alpha.times(-1), q);
    z.multiply(d, r);
    rzBefore.setSum(rz, 0);
    z.dot(r, rz);
    beta.setQuotient(rz, rzBefore);
    p.axpby(1, z, beta);
  };
  if (recorded) {
    using recording = space.record(step);
    for (let k = 0; k < ITERATIONS; k++) recording.launch();
  } else for (let k = 0; k < ITERATIONS; k++) step();
  const solution = { x: x.toArray() as Float64Array, residual: r.norm(pq).value };
  for (const one of [x, r, z, p, q, ...scalars]) one.dispose();
  return solution;
}

function solve(engine: Engine, recorded: boolean): Solution {
  using A = engine.operator(MATRIX, { format: 'csr' });
  using b = engine.vector(Float64Array.from(B));
  using d = engine.vector(new Float64Array(MATRIX.rows).fill(1 / 4));
  return conjugateGradients(A, b, d, recorded);
}

let expected: Solution;
beforeAll(async () => {
  await using engine = await createEngine({ threads: 1 });
  expected = solve(engine, false);
});

test('the solution is one', () => {
  expect(relativeResidual(MATRIX, expected.x, B)).toBeLessThan(1e-5);
  expect(expected.residual / Math.hypot(...B)).toBeLessThan(1e-5);
});

describe.each([1, 2])('in the heap, on %i threads', (threads) => {
  test.each([false, true])('the same bits (recorded: %s)', async (recorded) => {
    await using engine = await createEngine({ threads, onHint: () => {} });
    const { x, residual } = solve(engine, recorded);
    expect(residual).toBe(expected.residual);
    expect(x.findIndex((value, i) => !Object.is(value, expected.x[i]))).toBe(-1);
  });
});

test('a recorded iteration is three fork-joins: the product with its dot product, and two programs', async () => {
  await using engine = await createEngine({ threads: 1 });
  solve(engine, true); // warms the kernels up
  const run = vi.spyOn(engine.team, 'run');
  const forkJoins = (recorded: boolean) => {
    run.mockClear();
    solve(engine, recorded);
    return run.mock.calls.length;
  };
  expect(Math.floor(forkJoins(true) / ITERATIONS)).toBe(3);
  expect(Math.floor(forkJoins(false) / ITERATIONS)).toBe(7);
});

describe('on a device that is none', () => {
  let engine: Engine;
  const { device, objects } = fakeCsrDevice();
  beforeAll(async () => {
    engine = await engineOn(device);
  });
  afterAll(() => engine.dispose());

  test('the same program solves there, and recorded with the same bits', () => {
    const solution = solve(engine, true);
    expect(relativeResidual(MATRIX, solution.x, B)).toBeLessThan(1e-5);
    expect(solution).toEqual(solve(engine, false));
    expect(objects()).toBe(0);
  });

  test('the conformance checks pass', () => {
    const { checks, failures } = checkVectors(engine, true);
    expect(failures).toEqual([]);
    expect(checks).toBeGreaterThan(100);
  });
});
