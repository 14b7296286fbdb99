/** `sparlane solve`. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { gallery, galleryRightHandSide, readVector, save } from '#dist/index.node.js';
import { relativeResidual } from '../solvers/residual.js';
import { MAIN, runCli, runCliWith, runJson, temporaryFolder } from './run-cli.js';

const MESH = 'gallery:laplace2d5?nx=30&ny=20';

/** The numbers of a Matrix Market array. */
function numbersOf(path: string): number[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => /^[-\d]/.test(line))
    .slice(1)
    .map(Number);
}

test('a small matrix: its factors, and the keys of --json', async () => {
  const report = await runJson('solve', MESH, '--threads', '1');
  expect(report).toMatchObject({
    ...{ matrix: MESH, rows: 600, method: 'direct', preconditioner: 'none', converged: true, reason: 'tolerance' },
    ...{ threads: 1, device: 'cpu' },
  });
  expect(report.relativeResidual).toBeLessThanOrEqual(1e-8);
  for (const key of ['iterations', 'setupMs', 'solveMs', 'totalMs']) expect(report[key]).toBeGreaterThan(0);
});

test.each([
  [
    '0',
    "sparlane: Open MPI's mpirun started 2 processes, each of which solves the whole system: --ranks deals the rows to them\n",
  ],
  ['1', ''],
])('process %s of mpirun without --ranks says so once', async (rank, expected) => {
  const env = { OMPI_COMM_WORLD_SIZE: '2', OMPI_COMM_WORLD_RANK: rank };
  const { code, stderr } = await runCliWith(env, 'solve', MESH, '--threads', '1');
  expect([code, stderr]).toEqual([0, expected]);
});

const SCRIPT = '/usr/bin/script';

test.skipIf(!existsSync(SCRIPT))('a live line on a terminal, with the residual; none in a pipe', async () => {
  const command = ['solve', 'gallery:laplace2d5?nx=400&ny=400', '--preconditioner', 'none', '--threads', '1'];
  const shell = `stty cols 100; ${[process.execPath, MAIN, ...command.map((word) => `'${word}'`)].join(' ')}`;
  // Where CI is set, ora writes no live lines.
  const { CI: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(SCRIPT, ['-qec', shell, '/dev/null'], { env });
  const lines = [...stdout.matchAll(/solving: iteration ([\d,]+), ([\d.e+-]+) of ‖b‖/g)];
  const iterations = lines.map(([, iteration]) => Number(iteration!.replaceAll(',', '')));
  expect(new Set(iterations).size).toBeGreaterThan(2);
  expect(iterations).toEqual(iterations.toSorted((a, b) => a - b));
  expect(Number(lines.at(-1)![2])).toBeLessThan(0.1);
  const { stderr } = await runCli(...command, '--max-iterations', '300');
  expect(stderr).toBe('');
});

test('b from a file, x into a file: the product with x is b', async () => {
  const file = temporaryFolder();
  const b = Float64Array.from({ length: 600 }, (_, i) => Math.sin(i));
  writeFileSync(file('b.mtx'), `%%MatrixMarket matrix array real general\n600 1\n${[...b].join('\n')}\n`);
  const { code } = await runCli(
    ...['solve', MESH, '--rhs', file('b.mtx'), '--output', file('x.mtx'), '--method', 'gmres', '--rtol', '1e-10'],
  );
  expect(code).toBe(0);
  const x = numbersOf(file('x.mtx'));
  expect(relativeResidual(gallery('laplace2d5', { nx: 30, ny: 20 }), x, b)).toBeLessThan(1.01e-10);
});

test('b is that of the gallery; the reasons of the choice, and a plot', async () => {
  const file = temporaryFolder();
  const source = 'gallery:convection2d?nx=25&ny=20';
  const { code, stdout } = await runCli('solve', source, '--output', file('x.mtx'), '--plot', file('r.svg'));
  expect(code).toBe(0);
  expect(stdout).toMatch(/method +direct, /);
  expect(stdout).toMatch(/not symmetric/);
  const given = { nx: 25, ny: 20 };
  const b = galleryRightHandSide('convection2d', given);
  expect(relativeResidual(gallery('convection2d', given), numbersOf(file('x.mtx')), b)).toBeLessThan(1.01e-8);
  expect(readFileSync(file('r.svg'), 'utf8')).toMatch(/^<svg xmlns.*[\s\S]*direct, \d+ iterations/);
});

test('a method with its parameters, and no preconditioner', async () => {
  const report = await runJson('solve', MESH, '--method', 'gmres?restart=70', '--preconditioner', 'none');
  expect(report).toMatchObject({ method: 'gmres?restart=70', preconditioner: 'none', converged: true });
});

test('the levels of multigrid, its complexities, and the rate', async () => {
  const given = ['solve', 'gallery:laplace2d5?nx=60&ny=50', '--method', 'cg', '--preconditioner', 'amg?coarsest=100'];
  const { stdout } = await runCli(...given);
  expect(stdout).toMatch(/\n {2}levels {5}level +rows +entries +per row\n +0 +3,000 +14,780 +4\.9\n +1 +\d/);
  expect(stdout).toMatch(/grid complexity 1\.\d\d, operator complexity 1\.\d\d: rows and entries over those of A\n/);
  expect(stdout).toMatch(/rate +each iteration multiplies the residual by 0\.[1-4]\d, on average/);
  const report = await runJson(...given);
  expect(report.levels).toContainEqual({ rows: 3000, nnz: 14_780 });
  expect(report.gridComplexity).toBeGreaterThan(1);
  // The residual at the end is the first one times the rate, once for each iteration.
  const { rate, iterations, relativeResidual } = report as Record<string, number>;
  expect(rate! ** iterations! / relativeResidual!).toBeCloseTo(1, 2);
  expect(await runJson('solve', MESH, '--method', 'cg')).not.toHaveProperty('levels');
});

test('a rectangle is solved in the sense of least squares', async () => {
  const report = await runJson('solve', 'gallery:dense?rows=30&cols=20');
  expect(report).toMatchObject({ rows: 30, cols: 20, method: 'lsmr', preconditioner: 'none', converged: true });
  expect(report.relativeResidual).toBeGreaterThan(0.01);
});

test('a solve that does not converge says so, with exit code 3', async () => {
  const { code, stdout } = await runCli('solve', MESH, '--method', 'cg', '--max-iterations', '2');
  expect(code).toBe(3);
  expect(stdout).toMatch(/not converged \(iterations\)/);
});

test.each([
  [['--rtol', 'much'], /--rtol: expected a number from 0 to 1, got 'much'/],
  [['--method', 'lu'], /method: expected cg \| /],
  [['--method', 'gmres?restart=0'], /method gmres restart: expected an integer from 1 to 1000/],
  [['--preconditioner', 'ilu9'], /preconditioner: expected/],
  [['--method', 'lsqr', '--preconditioner', 'ic0'], /preconditioner: expected jacobi, none or an operator for lsqr/],
  [['--max-iterations', '-1'], /--max-iterations/],
])('wrong usage: %s', async (args, message) => {
  const { code, stderr } = await runCli('solve', MESH, ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('files of other kinds: a graph of edges, b as npy, x as npy', async () => {
  const file = temporaryFolder();
  const lines = Array.from({ length: 50 }, (_, k) => `${k},${k},4\n${k},${(k + 1) % 50},-1\n`);
  writeFileSync(file('graph.csv'), `source,target,weight\n${lines.join('')}`);
  const b = Float64Array.from({ length: 50 }, (_, i) => Math.sin(i));
  await save(file('b.npy'), b);
  const paths = ['--rhs', file('b.npy'), '--output', file('x.npy')];
  const report = await runJson('solve', file('graph.csv'), ...paths, '--rtol', '1e-10');
  expect(report).toMatchObject({ rows: 50, converged: true });
  const x = await readVector(file('x.npy'));
  const residual = b.map((value, i) => value - 4 * x[i]! + x[(i + 1) % 50]!);
  expect(Math.hypot(...residual)).toBeLessThan(1.01e-10 * Math.hypot(...b));
});
