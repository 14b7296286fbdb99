/** Complex systems over ranks, as threads of this process. */
import { writeFileSync } from 'node:fs';
import { runRanks } from 'sparlane';
import { describe, expect, test } from 'vitest';
import { type ComplexMatrix, complexFrom, complexMatrix } from '#dist/core/complex.js';
import { gallery, write } from '#dist/index.node.js';
import { temporaryFolder } from '../cli/run-cli.js';
import { convection, helmholtz, magnetic, residualOf } from '../complex/systems.js';
import { program, ranksInTurn } from './conform.js';

const RANKS = [1, 2, 3];
const side = (matrix: ComplexMatrix, k = 1) =>
  Float64Array.from({ length: 2 * matrix.rows }, (_, i) => Math.cos(k * i));

/** What every rank returns; all must return the same. */
async function onRanks<T>(ranks: number, data: object, threads = 1): Promise<T> {
  const all = (await runRanks(program('complex.mjs'), { ranks, threads, complex: true, data })) as T[];
  for (const one of all) expect((one as { x?: unknown }).x).toEqual((all[0] as { x?: unknown }).x);
  return all[0]!;
}

/** A x, or Aᴴ x, in plain arithmetic. */
function product(matrix: ComplexMatrix, x: Float64Array, isAdjoint = false): Float64Array {
  const y = new Float64Array(2 * (isAdjoint ? matrix.cols : matrix.rows));
  for (let i = 0; i < matrix.rows; i++)
    for (let k = matrix.rowPtr[i]!; k < matrix.rowPtr[i + 1]!; k++) {
      const [re, im] = [matrix.values[2 * k]!, (isAdjoint ? -1 : 1) * matrix.values[2 * k + 1]!];
      const [to, from] = isAdjoint ? [matrix.colIdx[k]!, i] : [i, matrix.colIdx[k]!];
      y[2 * to]! += re * x[2 * from]! - im * x[2 * from + 1]!;
      y[2 * to + 1]! += re * x[2 * from + 1]! + im * x[2 * from]!;
    }
  return y;
}

function expectClose(actual: Float64Array, expected: Float64Array, tolerance = 1e-12): void {
  expect(actual.length).toBe(expected.length);
  expect(Math.max(...actual.map((value, i) => Math.abs(value - expected[i]!)))).toBeLessThan(tolerance);
}

interface Products {
  readonly product: Float64Array;
  readonly adjoint: Float64Array;
  readonly turned: Float64Array;
  readonly report: Readonly<Record<string, unknown>> & { readonly halo: { readonly total: number } };
  readonly name: string;
}

test.each([
  ['complex symmetric', helmholtz(), { order: 'natural' }],
  ['Hermitian', magnetic(), { order: 'rcm' }],
  ['neither', convection(), { order: 'kway', stored: { format: 'sell', ghostFormat: 'coo' } }],
])('products: %s', async (_, matrix, given) => {
  const [x, y] = [side(matrix), side(matrix, 0.3)];
  const expected = product(matrix, x).map((value, i) => 2 * value - 0.5 * y[i]!);
  for (const ranks of RANKS) {
    const found = await onRanks<Products>(ranks, { task: 'products', matrix, x, y, ...given });
    expectClose(found.product, expected);
    expectClose(found.adjoint, product(matrix, x, true));
    expect(found.turned).toEqual(x.map((_, i) => (i % 2 === 0 ? -x[i + 1]! : x[i - 1]!)));
    expect(found.report).toMatchObject({ ranks, rows: 2 * matrix.rows, cols: 2 * matrix.cols, nnz: 4 * matrix.nnz });
    // Ghosts are pairs: a row of 20 points from each side of a cut.
    if (given.order === 'natural') expect(found.report.halo.total).toBe(2 * 40 * (ranks - 1));
    const last = (found.report.ownRows as number) - 1;
    expect(found.name).toBe(`DistributedOperator (rank 0 of ${ranks}, rows 0 to ${last} of ${2 * matrix.rows})`);
  }
});

interface Solved {
  readonly x: Float64Array;
  readonly converged: boolean;
  readonly iterations: number;
  readonly relativeResidual: number;
  /** Of the product of own columns. */
  readonly parts: number;
}

describe('solves', () => {
  const solve = (ranks: number, matrix: ComplexMatrix, given: object, threads = 1) =>
    onRanks<Solved>(ranks, { task: 'solve', matrix, b: side(matrix), ...given }, threads);

  const cases = [
    ['cocg', helmholtz(), {}],
    ['cocg', helmholtz(), { preconditioner: 'ilu0', order: 'rcm' }],
    ['cocg', helmholtz(), { preconditioner: 'jacobi' }],
    ['bicgstab', convection(), { preconditioner: 'ilu0' }],
    ['bicgstab', convection(), { preconditioner: 'ilu0', overlap: 1 }],
    ['gmres', convection(), { options: { restart: 400 } }],
    ['gmres', helmholtz(), { preconditioner: 'ilu0' }],
    ['fgmres', helmholtz(), { preconditioner: 'jacobi', options: { restart: 200 } }],
    ['cg', magnetic(), { preconditioner: 'ic0' }],
    ['cg', magnetic(), { preconditioner: 'ic0', overlap: 1 }],
    ['cg', magnetic(), { preconditioner: 'amg' }],
    ['minres', magnetic(), {}],
    ['lsmr', convection(), {}],
  ] as const;

  test.each(cases.map((one, k) => [...one, ranksInTurn(k)] as const))('%s, %#', async (method, matrix, given, all) => {
    const b = side(matrix);
    const counts: number[] = [];
    for (const ranks of all) {
      const { x, converged, iterations, relativeResidual } = await solve(ranks, matrix, { method, ...given });
      expect(converged).toBe(true);
      const residual = residualOf(matrix, x, b);
      expect(residual).toBeCloseTo(relativeResidual, 10);
      if (method !== 'lsmr') expect(residual).toBeLessThan(1.0001e-8);
      counts.push(iterations);
    }
    // Without a preconditioner of parts, ranks differ by rounding errors.
    const spec = (given as { preconditioner?: string }).preconditioner;
    if ((spec === undefined || spec === 'jacobi') && method !== 'lsmr')
      for (const count of counts) expect(Math.abs(count - counts[0]!)).toBeLessThanOrEqual(2 + counts[0]! / 20);
  });

  test.each([
    ['cocg', 3],
    ['gmres', 2],
    ['bicgstab', 2],
  ])('%s: the same bits in every run, and on every number of threads', async (method, ranks) => {
    // Large enough that threads share products and sums.
    const mesh = gallery('laplace2d5', { nx: 200, ny: 200 });
    const matrix = complexFrom(mesh, { ...mesh, values: mesh.values.map((value) => 0.1 * value), field: 'real' });
    const given = { method, options: { maxIterations: 12 } };
    const one = await solve(ranks, matrix, given);
    const two = await solve(ranks, matrix, given, 2);
    expect(one.parts).toBe(1);
    expect(two.parts).toBeGreaterThan(1);
    expect(two.x).toEqual(one.x);
    expect((await solve(ranks, matrix, given)).x).toEqual(one.x);
  });

  test('pairs of f32', async () => {
    const matrix = helmholtz();
    const given = { method: 'cocg', options: { rtol: 1e-4 }, stored: { dtype: 'c64' } };
    const { x, converged } = await solve(2, matrix, given);
    expect(converged).toBe(true);
    expect(x).toBeInstanceOf(Float32Array);
    expect(residualOf(matrix, x, side(matrix))).toBeLessThan(2e-4);
  });

  test('a rank that has all rows', async () => {
    const matrix = helmholtz();
    for (const ranks of [2, 3]) {
      const { x, converged } = await onRanks<Solved>(ranks, { task: 'uneven', matrix, b: side(matrix) });
      expect(converged).toBe(true);
      expect(residualOf(matrix, x, side(matrix))).toBeLessThan(1.0001e-8);
    }
  });
});

interface RowsSolved extends Solved {
  readonly method: string;
  readonly preconditioner: string;
  readonly left: number;
}

test('solveRows chooses by the real equivalent; files of both kinds', async () => {
  const file = temporaryFolder();
  for (const [matrix, method, preconditioner] of [
    [magnetic(), 'cg', 'ic0'],
    [helmholtz(), 'bicgstab', 'ilu0'],
  ] as const) {
    const b = side(matrix);
    for (const ranks of RANKS) {
      const found = await onRanks<RowsSolved>(ranks, { task: 'solveRows', matrix, b });
      expect(found).toMatchObject({ converged: true, method, preconditioner });
      expect(residualOf(matrix, found.x, b)).toBeLessThan(1.0001e-8);
    }
    for (const name of ['a.mtx', 'a.npz']) {
      writeFileSync(file(name), new Uint8Array(await new Response(await write(name, matrix)).arrayBuffer()));
      const found = await onRanks<RowsSolved>(2, { task: 'solveRows', matrix, b, path: file(name) });
      expect(residualOf(matrix, found.x, b)).toBeLessThan(1.0001e-8);
      expect(found.left).toBeLessThan(2 ** 14);
    }
  }
  const matrix = helmholtz();
  const options = { method: 'cocg', preconditioner: 'jacobi', format: 'sell' };
  const found = await onRanks<RowsSolved>(3, { task: 'solveRows', matrix, b: side(matrix), options });
  expect(found).toMatchObject({ converged: true, method: 'cocg', preconditioner: 'jacobi' });
});

test('what is wrong is the same error on all ranks', async () => {
  const data = { task: 'errors', matrix: helmholtz() };
  const all = await runRanks(program('complex.mjs'), { ranks: 2, threads: 1, complex: true, data });
  expect(all[1]).toEqual(all[0]);
  const [values, dtype, format, cols, square, real] = all[0] as [string, string][];
  expect(values).toEqual(['shape', expect.stringMatching(/^rank 0: values: expected length 2 nnz = \d+/)]);
  expect(dtype).toEqual([
    expect.any(String),
    expect.stringMatching(/^dtype of operator 1: expected c128 as on rank 0/),
  ]);
  expect(format).toEqual(['argument', expect.stringMatching(/^rank 0: format: expected one with complex kernels/)]);
  expect(cols).toEqual(['shape', expect.stringMatching(/^cols of rank 1: expected 400, as on rank 0/)]);
  expect(square).toEqual([
    'shape',
    expect.stringMatching(/^symmetry: expected 'general' for a matrix that is not square/),
  ]);
  expect(real).toEqual(['argument', expect.stringMatching(/^rank 0: field: expected real/)]);
  const plain = runRanks(program('complex.mjs'), {
    ranks: 2,
    threads: 1,
    data: { ...data, task: 'solveRows', b: side(data.matrix) },
  });
  await expect(plain).rejects.toMatchObject({ code: 'backend', message: expect.stringMatching(/complex: true/) });
  await expect(runRanks(program('complex.mjs'), { ranks: 2, complex: 1 as never })).rejects.toThrow(/complex/);
});

test('a matrix that is not square: least squares', async () => {
  const { rows, cols, rowPtr, colIdx, values } = convection();
  const tall = complexMatrix({ rows, cols: cols + 7, rowPtr, colIdx, values });
  const [x, y] = [Float64Array.from({ length: 2 * tall.cols }, (_, i) => Math.sin(i)), side(tall)];
  for (const ranks of RANKS) {
    const data = { task: 'rectangle', matrix: tall, x, y };
    const found = (await runRanks(program('complex.mjs'), { ranks, threads: 1, complex: true, data })) as Products[];
    expectClose(found[0]!.product, product(tall, x));
    expectClose(found[0]!.adjoint, product(tall, y, true));
  }
});
