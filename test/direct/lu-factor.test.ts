/** `factor` and `direct` with matrices that are not symmetric: what is chosen, refined, updated, refused. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CsrMatrix } from '#dist/core/csr.js';
import { CsrBuilder, createEngine, type Engine, factor, factorAsync, gmres, precondition } from '#dist/index.node.js';
import { backwardError, rightSide } from './matrices.js';

let engine: Engine;
let before: number;
beforeAll(async () => {
  engine = await createEngine({ threads: 1 });
  before = engine.heap.bytesInUse;
});
afterAll(() => engine.dispose());

/** Convection and diffusion on a grid of n × n, upwind, with unknown rows in between that have no diagonal. */
function convection(n: number, wind = 20): CsrMatrix {
  const builder = new CsrBuilder(n * n, n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const row = i * n + j;
      builder.add(row, row, 4 + 2 * wind);
      if (i > 0) builder.add(row, row - n, -1 - wind);
      if (j > 0) builder.add(row, row - 1, -1 - wind);
      if (i + 1 < n) builder.add(row, row + n, -1);
      if (j + 1 < n) builder.add(row, row + 1, -1);
    }
  return builder.build();
}

test('a matrix that is not symmetric gets lu, and the reason says so', () => {
  const matrix = convection(30);
  const b = rightSide(900, 3);
  {
    using factors = factor(engine, matrix);
    expect(factors.method).toBe('lu');
    expect(factors.explain()).toMatchObject({ method: 'lu', order: 'btf+amd', pivots: { offDiagonal: 0 } });
    expect(factors.explain().reasons).toEqual(['lu: the matrix is not symmetric']);
    expect(factors.inertia).toBeUndefined();
    expect(backwardError(matrix, factors.solve(b), b)).toBeLessThan(1e-15);
    expect(factors.lastSolve!.backwardError).toBeLessThan(1e-15);
    factors.update(matrix.values.map((value) => -3 * value));
    const y = factors.solve(b);
    expect(backwardError({ ...matrix, values: matrix.values.map((value) => -3 * value) }, y, b)).toBeLessThan(1e-15);
  }
  expect(engine.heap.bytesInUse).toBe(before);
});

test('lu can be named for a symmetric matrix', () => {
  const matrix = convection(12, 0);
  using factors = factor(engine, matrix, { method: 'lu' });
  const b = rightSide(144);
  expect(factors.method).toBe('lu');
  expect(backwardError(matrix, factors.solve(b), b)).toBeLessThan(1e-15);
});

test('as a preconditioner, gmres takes one step', () => {
  const matrix = convection(25);
  using M = precondition(engine, matrix, 'direct');
  using A = engine.operator(matrix);
  using b = engine.vector(625);
  b.set(rightSide(625));
  const solution = gmres(A, b, { preconditioner: M });
  expect(solution.converged).toBe(true);
  expect(solution.iterations).toBeLessThanOrEqual(2);
});

test('a singular matrix and an update to one: the column is named, and the factors are refused until the next update', () => {
  const matrix = convection(4);
  expect(() => factor(engine, { ...matrix, values: matrix.values.map(() => 0) }, { method: 'lu' })).toThrow(
    /matrix: expected a regular one, got 'no pivot for column \d+/,
  );
  using factors = factor(engine, matrix, { method: 'lu' });
  expect(() => factors.update(matrix.values.map(() => 0))).toThrow(/no pivot for column \d+/);
  expect(() => factors.solve(rightSide(16))).toThrow(/one whose update failed/);
  factors.update(matrix.values);
  expect(factors.solve(rightSide(16)).every(Number.isFinite)).toBe(true);
});

test('asynchronous: progress, and an abort that frees all memory', async () => {
  const matrix = convection(160);
  const held = engine.heap.bytesInUse;
  const abort = new AbortController();
  const promise = factorAsync(engine, matrix, { signal: abort.signal, onProgress: () => abort.abort() });
  await expect(promise).rejects.toThrow(/abort/i);
  expect(engine.heap.bytesInUse).toBe(held);
  const factors = await factorAsync(engine, matrix);
  expect(factors.method).toBe('lu');
  factors[Symbol.dispose]();
  expect(engine.heap.bytesInUse).toBe(held);
});

test('the example finds an operating point where the currents of every node add up to zero', () => {
  const example = fileURLToPath(new URL('../../examples/operating-point/operating-point.mjs', import.meta.url));
  const said = execFileSync(process.execPath, [example], { encoding: 'utf8' });
  expect(said).toMatch(/4003 unknowns, lu/);
  const [, steps, left] = /(\d+) steps, current left at a node: (\S+) A/.exec(said)!;
  expect(Number(steps)).toBeLessThan(20);
  expect(Number(left)).toBeLessThan(1e-12);
});
