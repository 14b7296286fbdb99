/** `sparlane solve --ranks`. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  gallery,
  readComplexVector,
  readMatrixMarketVector,
  readVector,
  save,
  writeMatrixMarket,
} from '#dist/index.node.js';
import { helmholtz, residualOf } from '../complex/systems.js';
import { shuffled } from '../reorder/arbitrary.js';
import { relativeResidual } from '../solvers/residual.js';
import { run } from './run-program.js';

const BIN = new URL('../../dist/bin.node.js', import.meta.url).pathname;

const laplacian = gallery('laplace2d5', { nx: 17, ny: 13 });
let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparlane-ranks-'));
  await pipeline(writeMatrixMarket(laplacian), createWriteStream(path('symmetric.mtx')));
});

afterAll(() => rm(folder, { recursive: true }));

describe('sparlane solve --ranks', () => {
  const cli = (...args: string[]) => run(process.execPath, [BIN, 'solve', ...args]);

  test('solves a file, and writes x', async () => {
    const output = path('x.mtx');
    const { code, stdout, stderr } = await cli(path('symmetric.mtx'), '--ranks', '3', '--json', '--output', output);
    expect([code, stderr]).toEqual([0, '']);
    const report = {
      ranks: 3,
      transport: 'threads',
      rows: 221,
      nnz: laplacian.nnz,
      method: 'cg',
      preconditioner: 'ic0',
    };
    expect(JSON.parse(stdout)).toMatchObject({ ...report, converged: true, halo: 68 });
    const x = await readMatrixMarketVector(output);
    expect(relativeResidual(laplacian, x, new Float64Array(221).fill(1))).toBeLessThan(1.0001e-8);
  });

  test('brings a file in random order into a good one, and writes x in the order of the file', async () => {
    const matrix = shuffled(gallery('laplace2d5', { nx: 60, ny: 50 }));
    await save(path('shuffled.mtx'), matrix);
    const b = Float64Array.from({ length: matrix.rows }, (_, i) => Math.sin(i));
    await save(path('rhs.npy'), b);
    const files = ['--rhs', path('rhs.npy'), '--output', path('solution.npy')];
    const { code, stdout, stderr } = await cli(path('shuffled.mtx'), '--ranks', '3', '--json', ...files);
    expect([code, stderr]).toEqual([0, '']);
    const { halo, order } = JSON.parse(stdout);
    expect(order).not.toBe('natural');
    // In the order of the file nearly every rank needs every element of the others.
    expect(halo).toBeLessThan(400);
    const x = await readVector(path('solution.npy'));
    expect(relativeResidual(matrix, x as Float64Array, b)).toBeLessThan(1.0001e-8);
    const left = await cli(path('shuffled.mtx'), '--ranks', '3', '--json', '--order', 'natural');
    expect(JSON.parse(left.stdout).halo).toBeGreaterThan(4000);
    expect(JSON.parse(left.stdout)).not.toHaveProperty('order');
    const named = await cli(path('symmetric.mtx'), '--ranks', '3', '--json', '--order', 'kway');
    expect(JSON.parse(named.stdout)).toMatchObject({ order: 'kway', converged: true });
    const printed = await cli(path('shuffled.mtx'), '--ranks', '2');
    expect(printed.stdout).toMatch(/halo \d+, in the order \w+\n/);
  });

  test.each(['a.mtx', 'a.npz'])('complex numbers: %s', async (name) => {
    const matrix = helmholtz();
    await save(path(name), matrix);
    const b = Float64Array.from({ length: 2 * matrix.rows }, (_, i) => Math.sin(i));
    await save(path('b.npy'), { rows: matrix.rows, columns: 1, values: b, field: 'complex' });
    const files = ['--rhs', path('b.npy'), '--output', path('x.npy')];
    const { code, stdout, stderr } = await cli(path(name), '--ranks', '3', '--method', 'cocg', '--json', ...files);
    expect([code, stderr]).toEqual([0, '']);
    const sizes = { rows: 400, cols: 400, nnz: matrix.nnz, field: 'complex', halo: 80 };
    expect(JSON.parse(stdout)).toMatchObject({ ...sizes, ranks: 3, method: 'cocg', converged: true });
    expect(residualOf(matrix, await readComplexVector(path('x.npy')), b)).toBeLessThan(1.0001e-8);
    const printed = await cli(path(name), '--ranks', '2');
    expect(printed.stdout).toMatch(/matrix {5}400 unknowns, 1,920 complex entries\n/);
  });

  test('prints once, and says what one rank would say', async () => {
    const { code, stdout } = await cli('gallery:laplace2d5?nx=30&ny=20', '--ranks', '2');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ranks {6}2 \(threads\), \d+ threads? each, halo 60\n {2}method {5}cg with ic0, /);
    expect(stdout.match(/residual/g)).toHaveLength(1);
  });

  test('takes multigrid of the whole matrix for a large elliptic problem, but not where coefficients jump', async () => {
    const reportOf = async (source: string, ranks: number, ...args: string[]) =>
      JSON.parse((await cli(source, '--ranks', String(ranks), '--json', ...args)).stdout);
    const choiceOf = (source: string) => reportOf(source, 2, '--max-iterations', '1');
    const why = /^amg: 70000 rows, and hardly an entry/;
    for (const ranks of [1, 3]) {
      const { method, preconditioner, reasons, ...solved } = await reportOf('gallery:laplace2d5?nx=200&ny=350', ranks);
      expect([method, preconditioner, reasons]).toEqual([
        'cg',
        'amg',
        expect.arrayContaining([expect.stringMatching(why)]),
      ]);
      expect(solved.converged).toBe(true);
      expect(solved.iterations).toBeLessThan(25);
    }
    const jumps = await choiceOf('gallery:diffusion2d?nx=200&ny=350');
    expect([jumps.preconditioner, jumps.reasons]).toEqual([
      'ic0',
      expect.arrayContaining(['not amg: coefficients jump']),
    ]);
    expect((await choiceOf('gallery:laplace2d5?nx=240&ny=240')).preconditioner).toBe('ic0');
    const short = await choiceOf('gallery:laplace2d5?nx=250&ny=250');
    expect([short.preconditioner, short.reasons]).toEqual([
      'ic0',
      expect.arrayContaining([expect.stringMatching(/^not amg: the mesh is some 250 rows long/)]),
    ]);
  });

  test.each([
    [['no-such-file.mtx', '--ranks', '2'], 1, 'no-such-file.mtx: expected a file'],
    [['gallery:dense?rows=4&cols=5', '--ranks', '2'], 1, 'expected as many rows as columns, got'],
    [['gallery:laplace1d3', '--ranks', '0'], 2, '--ranks: expected an integer from 1 to 4096'],
    [['gallery:laplace1d3?nx=50', '--ranks', '2', '--method', 'lsmr'], 2, 'method: expected one for square matrices'],
    [['gallery:laplace1d3', '--order', 'kway'], 2, '--order: expected --ranks beside it'],
    [['gallery:laplace1d3', '--ranks', '2', '--order', 'best'], 2, 'order: expected'],
    [['gallery:laplace1d3', '--ranks', '2', '--plot', 'x.svg'], 2, '--plot: expected no plot with --ranks'],
  ] as const)('%j: one line, and an exit code', async (args, expected, message) => {
    const { code, stdout, stderr } = await cli(...args);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([expected, '']);
  });

  test('exit code 3 if it does not converge', async () => {
    const { code, stderr } = await cli('gallery:laplace2d5?nx=30&ny=20', '--ranks', '2', '--max-iterations', '2');
    expect([code, stderr]).toEqual([3, '']);
  });
});
