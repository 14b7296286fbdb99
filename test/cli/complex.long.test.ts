/** Files with complex matrices on the command line. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type ComplexMatrix,
  complexFrom,
  complexMatrix,
  gallery,
  read,
  readComplexVector,
  readVector,
  save,
} from '#dist/index.node.js';
import { runCli, runJson, temporaryFolder } from './run-cli.js';

/** A Laplacian, moved by a real shift and damped: complex symmetric, as of Helmholtz's equation. */
function helmholtz(): ComplexMatrix {
  const mesh = gallery('laplace2d5', { nx: 12, ny: 10 });
  const moved = { ...mesh, values: mesh.values.map((value) => (value > 0 ? value - 0.4 : value)) };
  const damping = mesh.values.map((value, k) => (value > 0 ? 0.3 + k / 1000 : 0));
  return complexFrom(moved, { ...mesh, values: damping });
}

/** T + i S of a symmetric T and a skew-symmetric S, positive definite. */
function hermitian(): ComplexMatrix {
  const mesh = gallery('laplace2d5', { nx: 12, ny: 10 });
  const { rows, cols, rowPtr, colIdx } = mesh;
  const skew = mesh.values.slice();
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) skew[k] = 0.3 * Math.sign(colIdx[k]! - i);
  const moved = mesh.values.map((value) => (value > 0 ? value + 1.5 : value));
  const parts = [moved, skew].map((values) => ({ rows, cols, rowPtr, colIdx, values }) as never);
  return complexFrom(parts[0]!, parts[1]!, 'hermitian');
}

/** ‖b − A x‖ / ‖b‖ of pairs. */
function residualOf(
  { rows, rowPtr, colIdx, values }: ComplexMatrix,
  x: ArrayLike<number>,
  b: ArrayLike<number>,
): number {
  const rest = Float64Array.from(b);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const [re, im, xr, xi] = [values[2 * k]!, values[2 * k + 1]!, x[2 * colIdx[k]!]!, x[2 * colIdx[k]! + 1]!];
      rest[2 * i]! -= re * xr - im * xi;
      rest[2 * i + 1]! -= re * xi + im * xr;
    }
  return Math.hypot(...rest) / Math.hypot(...Array.from(b));
}

test.each(['a.mtx', 'a.npz'])('solve: %s, with b and x in files of both kinds', async (name) => {
  const file = temporaryFolder();
  const matrix = helmholtz();
  await save(file(name), name === 'a.mtx' ? complexMatrix({ ...matrix, symmetry: 'symmetric' }) : matrix);
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
      ...{ rows: 120, cols: 120, nnz: matrix.nnz, field: 'complex', method, preconditioner: 'ilu0', format: 'csr' },
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
  const matrix = hermitian();
  await save(file('h.mtx'), matrix);
  const output = ['--output', file('x.npy'), '--rtol', '1e-10', '--method', 'cg', '--format', 'sell'];
  const report = await runJson('solve', file('h.mtx'), ...output);
  expect(report).toMatchObject({ method: 'cg', converged: true });
  expect(report.format).toMatch(/^sell/);
  const ones = Float64Array.from({ length: 240 }, (_, k) => 1 - (k % 2));
  expect(residualOf(matrix, await readComplexVector(file('x.npy')), ones)).toBeLessThan(1.01e-10);
  const b = Float64Array.from({ length: 120 }, (_, i) => Math.cos(i));
  await save(file('b.npy'), b);
  await runJson('solve', file('h.mtx'), '--rhs', file('b.npy'), '--output', file('y.npy'));
  const pairs = Float64Array.from({ length: 240 }, (_, k) => (k % 2 === 0 ? b[k / 2]! : 0));
  expect(residualOf(matrix, await readComplexVector(file('y.npy')), pairs)).toBeLessThan(1.01e-8);
  const { stdout } = await runCli('solve', file('h.mtx'));
  expect(stdout).toMatch(/matrix {5}120 unknowns, [\d,]+ complex entries\n/);
});

test('info: the symmetry, the memory of formats with complex kernels, a picture', async () => {
  const file = temporaryFolder();
  for (const [matrix, symmetry] of [
    [helmholtz(), 'symmetric'],
    [hermitian(), 'hermitian'],
  ] as const) {
    await save(file('a.npz'), matrix);
    const report = await runJson('info', file('a.npz'), '--spy', file('a.svg'));
    expect(report).toMatchObject({ rows: 120, field: 'complex', symmetry, patternSymmetry: 1, bandwidth: 12 });
    const memory = report.memoryBytes as Record<string, number>;
    // Pairs of f64, and a column.
    expect(memory.csr).toBeGreaterThan(20 * matrix.nnz);
    expect(memory.csr).toBeLessThan(20 * matrix.nnz + 3000);
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
  const x = Float64Array.from({ length: 240 }, (_, k) => Math.sin(k));
  await save(file('x.npy'), { rows: 120, columns: 1, values: x, field: 'complex' });
  const args = ['multiply', file('a.mtx'), '--repeat', '3'];
  const report = await runJson(...args, '--x', file('x.npy'), '--output', file('y.npy'));
  expect(report).toMatchObject({ rows: 120, cols: 120, nnz: matrix.nnz, field: 'complex', format: 'csr' });
  expect(report.maxError).toBeLessThan(1e-15);
  const y = await readComplexVector(file('y.npy'));
  expect(residualOf(matrix, x, y)).toBeLessThan(1e-15);
  expect(await runJson(...args, '--dtype', 'f32', '--format', 'dia')).toMatchObject({ dtype: 'f32', format: 'dia' });
  const { stdout } = await runCli(...args);
  expect(stdout).toMatch(/matrix {4}120 × 120, [\d,]+ complex entries\n/);
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
  expect(short.stderr).toMatch(/b\.npy: expected a vector of length rows = 120, got 'one of length 2'/);
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
