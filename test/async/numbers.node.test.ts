/** Arrays of rows and of numbers as the arguments of the asynchronous engine. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AsyncEngine, createAsyncEngine } from '#dist/async/index.node.js';

const ROWS = [
  [4, 1, 0],
  [1, 3, 0],
  [0, 0, 2],
];
const X = [1, 2, 4];
const B = [6, 7, 8];

let engine: AsyncEngine;
beforeAll(async () => {
  engine = await createAsyncEngine({ threads: 1, binary: 'simd' });
});
afterAll(() => engine.dispose());

const expectX = (x: ArrayLike<number>) => {
  for (const [i, value] of X.entries()) expect(x[i]).toBeCloseTo(value, 6);
};

test.each([
  ['rows of numbers', ROWS],
  ['rows of f32', ROWS.map((row) => Float32Array.from(row))],
  ['rows that are parts of a buffer', ROWS.map((row) => Float64Array.of(7, ...row, 7).subarray(1, 4))],
])('%s', async (_, rows) => {
  for (const dtype of ['f64', 'f32'] as const) {
    const A = await engine.operator(rows, { dtype });
    expect(A.info).toMatchObject({ field: 'real', symmetry: 'general', nnz: 5 });
    for (const x of [X, Float32Array.from(X)]) expect(Array.from(await A.apply(x))).toEqual(B);
    await expect(A.apply([1, 2])).rejects.toThrow(/^x: expected length 3/);
    await expect(A.apply([1, 2, '4'] as never)).rejects.toThrow(/^x\[2\]: expected a number/);
    A.dispose();
  }
  for (const b of [B, Float32Array.from(B)]) {
    expectX((await engine.solve(rows, b, { x0: b })).x);
    expectX(
      (
        await engine.solve(
          rows.map((row) => row.slice()),
          b,
          { transfer: true },
        )
      ).x,
    );
    using solver = await engine.solver(rows);
    expectX((await solver.solve(b, { x0: X })).x);
    using factors = await engine.factor(rows);
    expectX((await factors.solve(b)).x);
    for (const values of [[8, 2, 2, 6, 4], Float32Array.of(8, 2, 2, 6, 4)]) {
      await solver.update(values);
      await factors.update(values);
    }
    const twice = b.map((value: number) => 2 * value) as typeof b;
    expectX((await solver.solve(twice)).x);
    expectX((await factors.solve(twice)).x);
  }
  const { x } = await engine.solve(
    [
      [1, -1],
      [-1, 1],
    ],
    [1, -1],
    { nullSpace: [[1, 1]] },
  );
  expect(x[0]).toBeCloseTo(0.5, 12);
});

test('rows that are no matrix are errors', async () => {
  await expect(engine.operator([[1, 2], [3]])).rejects.toThrow(/^matrix\[1\]: expected length 2/);
  await expect(engine.solve([['1']] as never, [1])).rejects.toThrow(/^matrix\[0\]\[0\]: expected a number/);
});
