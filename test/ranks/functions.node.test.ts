/** Functions of matrices over ranks, which are threads of this process, are compared with those of one engine that has all rows. */
import {
  createEngine,
  type ExponentialOptions,
  expMultiply,
  exponential,
  gallery,
  matrixFunction,
  runRanks,
} from 'sparlane';
import { expect, test } from 'vitest';
import { program } from './conform.js';

interface Product {
  readonly y: Float64Array;
  readonly method: string;
  readonly degree: number;
  readonly stages: number;
  readonly products: number;
}

interface Found {
  readonly taylor: Product;
  readonly chebyshev: Product;
  readonly flow: Product;
  readonly later: Float64Array;
  readonly root: Float64Array;
  readonly interval: readonly number[];
  readonly degree: number;
  readonly traces: readonly { readonly value: number; readonly error: number }[];
  readonly errors: readonly string[];
}

function expectNear(got: Float64Array, expected: Float64Array, bound: number): void {
  expect(got).toHaveLength(expected.length);
  for (const [i, value] of got.entries()) expect(Math.abs(value - expected[i]!), `element ${i}`).toBeLessThan(bound);
}

test.each([1, 2, 3])('expMultiply, exponential and matrixFunction on %d ranks', async (ranks) => {
  await using engine = await createEngine({ threads: 1 });
  const grid = gallery('laplace2d5', { nx: 12, ny: 11 });
  const flow = gallery('convection2d', { nx: 12, ny: 11 });
  const x = Float64Array.from({ length: 132 }, (_, i) => Math.sin(i));
  const product = (matrix: typeof grid, t: number, options: ExponentialOptions) => {
    const { y, ...report } = expMultiply(engine, matrix, x, t, options);
    const numbers = Float64Array.from(y.toArray());
    y.dispose();
    return { ...report, y: numbers };
  };
  const expected = {
    taylor: product(grid, -1, { method: 'taylor' }),
    chebyshev: product(grid, -20, {}),
    flow: product(flow, -500, {}),
  };
  const all = (await runRanks(program('functions.mjs'), { ranks, threads: 1 })) as Found[];
  const [first] = all as [Found];
  for (const found of all) expect(found).toEqual(first);
  for (const name of ['taylor', 'chebyshev', 'flow'] as const) {
    const { y, method, degree, stages, products } = expected[name];
    const { y: got, ...report } = first[name];
    // Norms of powers begin with random numbers of each rank; they are estimates.
    if (name === 'flow') expect([report.method, report.degree > 0]).toEqual([method, true]);
    else expect(report).toEqual({ method, degree, stages, products });
    expectNear(got, y, 1e-12);
  }
  expect(expected.flow.products).toBeGreaterThan(expected.flow.degree * expected.flow.stages);
  expect(first.flow.products).toBeGreaterThan(first.flow.degree * first.flow.stages);
  const y = new Float64Array(132);
  using later = exponential(engine, grid, -1);
  later.apply(x, y);
  expectNear(first.later, y, 1e-13);
  using root = matrixFunction(engine, grid, Math.sqrt, { interval: [0.1, 7.9] });
  root.apply(x, y);
  expectNear(first.root, y, 1e-12);
  // The outer rows of the grid have two neighbours, the inner ones four.
  expect([first.interval, first.degree]).toEqual([[0, 8], 2]);
  const squares = Array.from(grid.values).reduce((sum, value) => sum + value * value, 0);
  expect(first.traces[1]!.value / squares).toBeCloseTo(1, 12);
  expect(first.errors).toEqual([
    expect.stringMatching(/^method: expected taylor, for an A that is not symmetric/),
    expect.stringMatching(/^A: expected a symmetric matrix/),
    ranks === 1 ? 'none' : expect.stringMatching(/^t of the exponential: expected 1 as on rank 0, got 2 on rank 1/),
  ]);
});
