/** Files with complex matrices on the command line. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read, readComplexVector, readVector, save } from '#dist/index.node.js';
import { helmholtz, magnetic, residualOf } from '../complex/systems.js';
import { runCli, runJson, temporaryFolder } from './run-cli.js';

test.each(['a.mtx', 'a.npz'])('solve: %s, with b and x in files of both kinds', async (name) => {
  const file = temporaryFolder();
  const matrix = helmholtz();
  await save(file(name), matrix);
  const b = Float64Array.from({ length: 2 * matrix.rows }, (_, k) => Math.sin(k));
  for (const vector of ['b.npy', 'b.mtx'])
    await save(file(vector), { rows: matrix.rows, columns: 1, values: b, field: 'complex' });
  for (const [rhs, output, method] of [
    ['b.npy', 'x.mtx', 'cocg'],
    ['b.mtx', 'x.npy', 'gmres'],
  ] as const) {
    const paths = ['--rhs', file(rhs), '--output', file(output), '--plot', file('r.svg')];
    const report = await runJson('solve', file(name), ...paths, '--method', method, '--preconditioner', 'ilu0');
    expect(report).toMatchObject({
      ...{ rows: 400, cols: 400, nnz: matrix.nnz, field: 'complex', method, preconditioner: 'ilu0', format: 'dia' },
      ...{ converged: true, reason: 'tolerance' },
    });
    expect(report.iterations).toBeGreaterThan(1);
    const residual = residualOf(matrix, await readComplexVector(file(output)), b);
    expect(residual).toBeLessThan(1.01e-8);
    expect(residual).toBeCloseTo(report.relativeResidual as number, 10);
  }
});

test('solve: b is ones, or a file of real numbers; a format; a Hermitian matrix by cg', async () => {
  const file = temporaryFolder();
  const matrix = magnetic();
  await save(file('h.mtx'), matrix);
  const output = ['--output', file('x.npy'), '--rtol', '1e-10', '--method', 'cg', '--format', 'sell'];
  const report = await runJson('solve', file('h.mtx'), ...output);
  expect(report).toMatchObject({ method: 'cg', converged: true });
  expect(report.format).toMatch(/^sell/);
  const ones = Float64Array.from({ length: 800 }, (_, k) => 1 - (k % 2));
  expect(residualOf(matrix, await readComplexVector(file('x.npy')), ones)).toBeLessThan(1.01e-10);
  const b = Float64Array.from({ length: 400 }, (_, i) => Math.cos(i));
  await save(file('b.npy'), b);
  await runJson('solve', file('h.mtx'), '--rhs', file('b.npy'), '--output', file('y.npy'));
  const pairs = Float64Array.from({ length: 800 }, (_, k) => (k % 2 === 0 ? b[k / 2]! : 0));
  expect(residualOf(matrix, await readComplexVector(file('y.npy')), pairs)).toBeLessThan(1.01e-8);
  const { stdout } = await runCli('solve', file('h.mtx'));
  expect(stdout).toMatch(/matrix {5}400 unknowns, [\d,]+ complex entries\n/);
});

test('info: the symmetry, the memory of formats with complex kernels, a picture', async () => {
  const file = temporaryFolder();
  for (const [matrix, symmetry] of [
    [helmholtz(), 'symmetric'],
    [magnetic(), 'hermitian'],
  ] as const) {
    await save(file('a.npz'), matrix);
    const report = await runJson('info', file('a.npz'), '--spy', file('a.svg'));
    expect(report).toMatchObject({ rows: 400, field: 'complex', symmetry, patternSymmetry: 1, bandwidth: 20 });
    const memory = report.memoryBytes as Record<string, number>;
    // Pairs of f64, and a column.
    expect(memory.csr).toBeGreaterThan(20 * matrix.nnz);
    expect(memory.csr).toBeLessThan(20 * matrix.nnz + 4000);
    expect(memory).not.toHaveProperty('csr5');
  }
  const { stdout } = await runCli('info', file('a.npz'));
  expect(stdout).toMatch(/ csr5 +not applicable\n/);
  expect(stdout).toMatch(/ entries +[\d,]+ \(complex\)/);
});

test('multiply: verified, with x and y in files', async () => {
  const file = temporaryFolder();
  const matrix = helmholtz();
  await save(file('a.mtx'), matrix);
  const x = Float64Array.from({ length: 800 }, (_, k) => Math.sin(k));
  await save(file('x.npy'), { rows: 400, columns: 1, values: x, field: 'complex' });
  const args = ['multiply', file('a.mtx'), '--repeat', '3'];
  const report = await runJson(...args, '--x', file('x.npy'), '--output', file('y.npy'));
  expect(report).toMatchObject({ rows: 400, cols: 400, nnz: matrix.nnz, field: 'complex', format: 'dia' });
  expect(report.maxError).toBeLessThan(1e-15);
  const y = await readComplexVector(file('y.npy'));
  expect(residualOf(matrix, x, y)).toBeLessThan(1e-15);
  expect(await runJson(...args, '--dtype', 'f32', '--format', 'dia')).toMatchObject({ dtype: 'f32', format: 'dia' });
  const { stdout } = await runCli(...args);
  expect(stdout).toMatch(/matrix {4}400 × 400, [\d,]+ complex entries\n/);
  const { code, stderr } = await runCli(...args, '--dtype', 'mixed');
  expect([code, stderr]).toEqual([2, "sparlane: --dtype: expected f64 or f32 for a complex matrix, got 'mixed'\n"]);
});

test.each([['explain'], ['eigs'], ['svds'], ['bench']])('%s refuses a complex matrix in one line', async (command) => {
  const file = temporaryFolder();
  await save(file('a.mtx'), helmholtz());
  const { code, stderr } = await runCli(command, file('a.mtx'));
  expect(code).toBe(1);
  expect(stderr).toBe(
    `sparlane: ${file('a.mtx')}: expected a real matrix (info, multiply and solve take complex ones), got 'a complex one'\n`,
  );
});

test('vectors that do not fit', async () => {
  const file = temporaryFolder();
  await save(file('a.mtx'), helmholtz());
  await save(file('b.npy'), { rows: 2, columns: 1, values: [1, 2, 3, 4] as never, field: 'complex' });
  const short = await runCli('solve', file('a.mtx'), '--rhs', file('b.npy'));
  expect(short.stderr).toMatch(/b\.npy: expected a vector of length rows = 400, got 'one of length 2'/);
  const real = await runCli('solve', 'gallery:laplace2d5?nx=2&ny=1', '--rhs', file('b.npy'));
  expect(real.code).toBe(1);
  expect(real.stderr).toMatch(/b\.npy, byte \d+: expected real numbers: .*, got '<c16'/);
  const format = await runCli('solve', file('a.mtx'), '--format', 'csr5');
  expect(format.stderr).toMatch(/format: expected one with complex kernels: csr, csrk, /);
});

test('a real vector is read as before', async () => {
  const file = temporaryFolder();
  writeFileSync(file('b.mtx'), '%%MatrixMarket matrix array real general\n2 1\n3\n4\n');
  const report = await runJson(
    'solve',
    'gallery:laplace2d5?nx=2&ny=1',
    '--rhs',
    file('b.mtx'),
    '--output',
    file('x.npy'),
  );
  expect(report).toMatchObject({ field: 'integer', converged: true });
  const x = await readVector(file('x.npy'));
  expect(x.length).toBe(2);
  expect((await read(file('x.npy'))).nnz).toBe(2);
});
