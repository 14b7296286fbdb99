/** Complex systems over ranks, as threads of this process. */
import { writeFileSync } from 'node:fs';
import { runRanks } from 'sparlane';
import { describe, expect, test } from 'vitest';
import { type ComplexMatrix, complexFrom, complexMatrix } from '#dist/core/complex.js';
import { gallery, write } from '#dist/index.node.js';
import { temporaryFolder } from '../cli/run-cli.js';
import { convection, helmholtz, magnetic, residualOf } from '../complex/systems.js';
import { once, program, type Run, ranksInTurn, runInTurn, runSeveral } from './conform.js';

const RANKS = [1, 2, 3];
const side = (matrix: ComplexMatrix, k = 1) =>
  Float64Array.from({ length: 2 * matrix.rows }, (_, i) => Math.cos(k * i));

/** What every rank returns for each task; x must be the same on all. */
async function onRanks<T>(ranks: number, tasks: readonly object[], threads = 1): Promise<T[]> {
  const runs = tasks.map((task): Run => ['complex.mjs', task]);
  const found = (await runSeveral(ranks, runs, { threads, complex: true })) as T[][];
  for (const [first, ...others] of found as { x?: unknown }[][])
    for (const one of others) expect(one.x).toEqual(first!.x);
  return found.map(([first]) => first!);
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

const PRODUCTS = [
  { what: 'complex symmetric', matrix: helmholtz(), given: { order: 'natural' } },
  { what: 'Hermitian', matrix: magnetic(), given: { order: 'rcm' } },
  { what: 'neither', matrix: convection(), given: { order: 'kway', stored: { format: 'sell', ghostFormat: 'coo' } } },
];
const productsOn = once((ranks: number) =>
  onRanks<Products>(
    ranks,
    PRODUCTS.map(({ matrix, given }) => ({
      ...{ task: 'products', matrix, x: side(matrix), y: side(matrix, 0.3) },
      ...given,
    })),
  ),
);

test.each(PRODUCTS)('products: $what', async (one) => {
  const { matrix, given } = one;
  const [x, y] = [side(matrix), side(matrix, 0.3)];
  const expected = product(matrix, x).map((value, i) => 2 * value - 0.5 * y[i]!);
  for (const ranks of RANKS) {
    const found = (await productsOn(ranks))[PRODUCTS.indexOf(one)]!;
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
  const taskOf = (matrix: ComplexMatrix, given: object) => ({ task: 'solve', matrix, b: side(matrix), ...given });

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

  const solved = runInTurn<Solved>(
    'complex.mjs',
    cases.map(([method, matrix, given]) => taskOf(matrix, { method, ...given })),
    { complex: true },
  );

  test.each(cases.map((one, k) => [...one, k] as const))('%s, %#', async (method, matrix, given, k) => {
    const b = side(matrix);
    const counts: number[] = [];
    for (const ranks of ranksInTurn(k)) {
      const [first, ...others] = await solved(k, ranks);
      for (const other of others) expect(other).toEqual(first);
      const { x, converged, iterations, relativeResidual } = first!;
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

  test('the same bits in every run, and on every number of threads', async () => {
    // Large enough that threads share products and sums.
    const mesh = gallery('laplace2d5', { nx: 200, ny: 200 });
    const matrix = complexFrom(mesh, { ...mesh, values: mesh.values.map((value) => 0.1 * value), field: 'real' });
    const tasks = ['cocg', 'gmres', 'bicgstab'].map((method) =>
      taskOf(matrix, { method, options: { maxIterations: 12 } }),
    );
    const [one, two, again] = [
      await onRanks<Solved>(3, tasks),
      await onRanks<Solved>(3, tasks, 2),
      await onRanks<Solved>(3, tasks),
    ];
    for (const k of tasks.keys()) {
      expect(one[k]!.parts).toBe(1);
      expect(two[k]!.parts).toBeGreaterThan(1);
      expect(two[k]!.x).toEqual(one[k]!.x);
      expect(again[k]!.x).toEqual(one[k]!.x);
    }
  });

  test('pairs of f32', async () => {
    const matrix = helmholtz();
    const task = taskOf(matrix, { method: 'cocg', options: { rtol: 1e-4 }, stored: { dtype: 'c64' } });
    const [{ x, converged }] = (await onRanks<Solved>(2, [task])) as [Solved];
    expect(converged).toBe(true);
    expect(x).toBeInstanceOf(Float32Array);
    expect(residualOf(matrix, x, side(matrix))).toBeLessThan(2e-4);
  });

  test('a rank that has all rows', async () => {
    const matrix = helmholtz();
    for (const ranks of [2, 3]) {
      const [{ x, converged }] = (await onRanks(ranks, [{ task: 'uneven', matrix, b: side(matrix) }])) as [Solved];
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
  const systems = [
    { matrix: magnetic(), method: 'cg', preconditioner: 'ic0' },
    { matrix: helmholtz(), method: 'bicgstab', preconditioner: 'ilu0' },
  ].map((one) => ({ ...one, task: { task: 'solveRows', matrix: one.matrix, b: side(one.matrix) } }));
  const inFiles = [];
  for (const [k, { matrix, task }] of systems.entries())
    for (const name of [`${k}.mtx`, `${k}.npz`]) {
      writeFileSync(file(name), new Uint8Array(await new Response(await write(name, matrix)).arrayBuffer()));
      inFiles.push({ ...task, path: file(name) });
    }
  const options = { method: 'cocg', preconditioner: 'jacobi', format: 'sell' };
  const chosen = { ...systems[1]!.task, options };
  for (const ranks of RANKS) {
    const tasks = [...systems.map(({ task }) => task), ...(ranks === 2 ? inFiles : [chosen])];
    const found = await onRanks<RowsSolved>(ranks, tasks);
    for (const [k, { x, left }] of found.entries()) {
      const { matrix, b, ...more } = tasks[k]!;
      expect(residualOf(matrix, x, b)).toBeLessThan(1.0001e-8);
      if ('path' in more) expect(left).toBeLessThan(2 ** 14);
    }
    for (const [k, { method, preconditioner }] of systems.entries())
      expect(found[k]).toMatchObject({ converged: true, method, preconditioner });
    if (ranks !== 2) expect(found[2]).toMatchObject({ converged: true, method: 'cocg', preconditioner: 'jacobi' });
  }
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
