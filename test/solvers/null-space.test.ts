/** Null spaces: named, and constants that are recognized. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CsrBuilder,
  type CsrMatrix,
  createEngine,
  createSolver,
  csrMatrix,
  type Engine,
  gallery,
  type SolveSystemOptions,
  solve,
} from '#dist/index.node.js';
import * as problems from '../../bench/solve/choice-problems.mjs';
import { relativeResidual } from './residual.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ threads: 1, tuning: 'built-in' });
});
afterAll(() => engine.dispose());

const b = (n: number) => Float64Array.from({ length: n }, (_, i) => Math.sin(i) + 0.1);
const meanOf = (x: ArrayLike<number>) => Array.from(x).reduce((sum, value) => sum + value, 0) / x.length;
const projectedOf = (v: Float64Array) => v.map((value) => value - meanOf(v));

test.each([
  ['small: factors', problems.neumann(20, 15), {}, 'direct'],
  ['larger: after iterations', problems.neumann(90, 70), {}, 'direct'],
  ['both named', problems.neumann(90, 70), { method: 'cg', preconditioner: 'ic0' }, 'cg'],
  ['in three dimensions', neumann3d(14), {}, 'cg'],
  ['a method by name', problems.neumann(20, 15), { method: 'minres' }, 'minres'],
  ['an order by name', problems.neumann(20, 15), { order: 'rcm' }, 'direct'],
  ['not symmetric: a chain of states', circulation(400), {}, 'direct'],
  [
    'not symmetric, by iterations',
    circulation(400),
    { method: 'gmres?restart=400', preconditioner: 'none', nullSpace: 'constant' },
    'gmres?restart=400',
  ],
] as [string, CsrMatrix, SolveSystemOptions, string][])('constants: %s', (_, matrix, options, method) => {
  const side = b(matrix.rows);
  const { x, converged, relativeResidual: reported, decision } = solve(engine, matrix, side, options);
  const numbers: Float64Array = x.toArray() as Float64Array;
  x.dispose();
  const projected = projectedOf(side);
  expect([converged, decision.method]).toEqual([true, method]);
  expect(decision.reasons).toContainEqual(expect.stringMatching(/^null space: b is projected/));
  expect(decision.reasons).toContainEqual(expect.stringMatching(/^b had 0\.\d+ of its norm in the null space/));
  expect(Math.abs(meanOf(numbers))).toBeLessThan(1e-10 * Math.max(...numbers.map(Math.abs)));
  expect(reported).toBeLessThan(1.01e-8);
  expect(relativeResidual(matrix, numbers, projected)).toBeCloseTo(reported, 10);
});

/** Parts of a matrix that are not connected, and `alone` rows of zeros behind them. */
function inParts(parts: readonly CsrMatrix[], alone = 0): CsrMatrix {
  const rows = parts.reduce((sum, part) => sum + part.rows, alone);
  const builder = new CsrBuilder(rows, rows);
  let from = 0;
  for (const { rows: own, rowPtr, colIdx, values } of parts) {
    for (let i = 0; i < own; i++)
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) builder.add(from + i, from + colIdx[k]!, values[k]!);
    from += own;
  }
  return builder.build();
}

test.each([
  ['two', [problems.neumann(12, 10), problems.neumann(30, 7)], 0],
  ['of which one is not symmetric', [problems.neumann(9, 9), circulation(50)], 0],
  ['three hundred, and vertices without edges', Array.from({ length: 300 }, () => problems.neumann(3, 2)), 5],
  ['large ones', [problems.neumann(90, 70), problems.neumann(80, 80)], 0],
] as [string, CsrMatrix[], number][])('constants of parts: %s', (_, parts, alone) => {
  const matrix = inParts(parts, alone);
  const side = b(matrix.rows);
  const { x, converged, decision } = solve(engine, matrix, side);
  const numbers = x.toArray() as Float64Array;
  x.dispose();
  expect(converged).toBe(true);
  expect(decision.reasons).toContainEqual(expect.stringMatching(/^null space: b is projected/));
  const projected = side.slice();
  let from = 0;
  for (const { rows } of [...parts, ...Array.from({ length: alone }, () => ({ rows: 1 }))]) {
    const mean = meanOf(side.subarray(from, from + rows));
    for (let i = from; i < from + rows; i++) projected[i]! -= mean;
    expect(Math.abs(meanOf(numbers.subarray(from, from + rows)))).toBeLessThan(1e-8);
    from += rows;
  }
  expect(relativeResidual(matrix, numbers, projected)).toBeLessThan(1.01e-8);
});

test('vectors: a matrix of two parts has two of them', () => {
  const one = problems.neumann(12, 10);
  const n = one.rows;
  const matrix = inParts([one, one]);
  const indicator = (from: number) => Array.from({ length: 2 * n }, (_, i) => (i >= from && i < from + n ? 1 : 0));
  // The third vector is the sum of the others.
  const nullSpace = [indicator(0), indicator(n), Array.from({ length: 2 * n }, () => 1)];
  for (const method of ['auto', 'cg', 'direct']) {
    const { x, converged } = solve(engine, matrix, b(2 * n), { nullSpace, method });
    const numbers = x.toArray() as Float64Array;
    x.dispose();
    expect(converged).toBe(true);
    for (const from of [0, n]) expect(Math.abs(meanOf(numbers.subarray(from, from + n)))).toBeLessThan(1e-9);
  }
});

test('a prepared solver, and other values with and without one', () => {
  const matrix = problems.neumann(20, 15);
  using solver = createSolver(engine, matrix);
  const solveIt = () => {
    const { x, converged } = solver.solve(b(matrix.rows));
    const mean = meanOf(x.toArray());
    x.dispose();
    return [converged, Math.abs(mean) < 1e-10];
  };
  expect(solveIt()).toEqual([true, true]);
  solver.update(matrix.values.map((value: number) => 3 * value));
  expect(solveIt()).toEqual([true, true]);
  solver.update(matrix.values.map((value: number) => value + (value > 0 ? 1 : 0)));
  expect(solveIt()).toEqual([true, false]);
  solver.update(matrix.values);
  expect(solveIt()).toEqual([true, true]);
});

test('what is none', () => {
  const laplacian = gallery('laplace2d5', { nx: 20, ny: 20 });
  const of =
    (nullSpace: SolveSystemOptions['nullSpace'], matrix = laplacian) =>
    () =>
      solve(engine, matrix, b(matrix.rows), { nullSpace: nullSpace! }).x.dispose();
  const { bytesInUse } = engine.heap;
  expect(of('constant')).toThrow(/^nullSpace\[0\]: expected a vector z with A z = 0 and Aᵀ z = 0/);
  expect(of([new Float64Array(3)])).toThrow(/^nullSpace\[0\]: expected length 400/);
  expect(of([new Float64Array(400)])).toThrow(/^nullSpace\[0\]: expected a vector z/);
  expect(of('ones' as never)).toThrow(/^nullSpace: expected auto \| none \| constant, or vectors/);
  expect(of('constant', csrMatrix({ rows: 1, cols: 2, rowIdx: [0], colIdx: [0] }))).toThrow(
    /^nullSpace: expected auto \| none for least squares/,
  );
  expect(engine.heap.bytesInUse).toBe(bytesInUse);
  const { x, decision } = solve(engine, laplacian, b(laplacian.rows));
  x.dispose();
  expect(decision.reasons.join()).not.toMatch(/null space/);
});

/** A Laplacian with natural boundaries in three dimensions. */
function neumann3d(n: number): CsrMatrix {
  const builder = new CsrBuilder(n ** 3, n ** 3);
  for (let i = 0; i < n ** 3; i++)
    for (const step of [1, n, n * n]) {
      if ((Math.floor(i / step) % n) + 1 === n) continue;
      builder.addAll([i, i, i + step, i + step], [i, i + step, i, i + step], [1, -1, -1, 1]);
    }
  return builder.build();
}

/** Rows and columns whose sums are 0, and that are not symmetric. */
function circulation(n: number): CsrMatrix {
  const builder = new CsrBuilder(n, n);
  for (let i = 0; i < n; i++) builder.addAll([i, i, i], [i, (i + 1) % n, (i + 20) % n], [3, -2, -1]);
  return builder.build();
}
