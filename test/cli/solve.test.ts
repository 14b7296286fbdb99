/** `sparlane solve`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gallery } from '#dist/index.node.js';
import { relativeResidual } from '../solvers/residual.js';
import { runCli, runJson, temporaryFolder } from './run-cli.js';

const MESH = 'gallery:laplace2d5?nx=30&ny=20';

test('a symmetric positive definite matrix: cg with jacobi, and the keys of --json', async () => {
  const report = await runJson('solve', MESH, '--threads', '1');
  expect(report).toMatchObject({
    ...{ matrix: MESH, rows: 600, method: 'cg', preconditioner: 'jacobi', converged: true, reason: 'tolerance' },
    ...{ threads: 1, device: 'cpu' },
  });
  expect(report.relativeResidual).toBeLessThanOrEqual(1e-8);
  for (const key of ['iterations', 'setupMs', 'solveMs', 'totalMs']) expect(report[key]).toBeGreaterThan(0);
});

test('b from a file, x into a file: the product with x is b', async () => {
  const file = temporaryFolder();
  const b = Float64Array.from({ length: 600 }, (_, i) => Math.sin(i));
  writeFileSync(file('b.mtx'), `%%MatrixMarket matrix array real general\n600 1\n${[...b].join('\n')}\n`);
  const { code } = await runCli(
    ...['solve', MESH, '--rhs', file('b.mtx'), '--output', file('x.mtx'), '--method', 'gmres', '--rtol', '1e-10'],
  );
  expect(code).toBe(0);
  const x = readFileSync(file('x.mtx'), 'utf8')
    .split('\n')
    .filter((line) => /^[-\d]/.test(line))
    .slice(1)
    .map(Number);
  expect(relativeResidual(gallery('laplace2d5', { nx: 30, ny: 20 }), x, b)).toBeLessThan(1.01e-10);
});

test('a solve that does not converge says so, with exit code 3', async () => {
  const { code, stdout } = await runCli('solve', MESH, '--max-iterations', '2');
  expect(code).toBe(3);
  expect(stdout).toMatch(/not converged \(iterations\)/);
});

test.each([
  [['--rtol', 'much'], /--rtol: expected a number from 0 to 1, got 'much'/],
  [['--method', 'lu'], /--method/],
  [['--max-iterations', '-1'], /--max-iterations/],
])('wrong usage: %s', async (args, message) => {
  const { code, stderr } = await runCli('solve', MESH, ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
