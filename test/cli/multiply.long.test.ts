import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { runCli, runJson, temporaryFolder } from './run-cli.js';

/** The guaranteed keys of the command. */
const KEYS = [
  ...['matrix', 'rows', 'cols', 'nnz', 'format', 'device', 'dtype', 'threads', 'setupMs', 'medianMs', 'minMs'],
  ...['gflops', 'gbps', 'bandwidthFraction', 'maxError'],
];

/** [10 0 20; 0 0 0; 0 0 30; 40 50 60] */
const EXAMPLE = `%%MatrixMarket matrix coordinate real general
4 3 6
4 1 40
4 2 50
4 3 60
1 1 10
1 3 20
3 3 30
`;

function vectorIn(path: string): number[] {
  const [banner, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(banner).toBe('%%MatrixMarket matrix array real general');
  const [size, ...values] = lines.filter((line) => !line.startsWith('%'));
  expect(size).toBe(`${values.length} 1`);
  return values.map(Number);
}

describe('multiply', () => {
  it('reports the matrix, the method and the speed as JSON', async () => {
    const source = 'gallery:laplace2d5?nx=30&ny=20';
    const given = 'csrk?k=3&superRowSize=96&index=32';
    const report = await runJson('multiply', source, '--threads', '2', '--format', given);
    expect(Object.keys(report)).toEqual(expect.arrayContaining(KEYS));
    expect(report).toMatchObject({ matrix: source, rows: 600, cols: 600, nnz: 2900 });
    // A default that tuning may change is printed, other defaults are not.
    expect(report.format).toBe('csrk?k=3&superRowSize=96');
    expect(report).toMatchObject({ device: 'cpu', dtype: 'f64', threads: 2, maxError: 0 });
    for (const key of ['setupMs', 'medianMs', 'minMs', 'gflops', 'gbps', 'bandwidthFraction', 'bandwidthGbps']) {
      expect(report[key], key).toBeGreaterThan(0);
    }
    expect(report.minMs).toBeLessThanOrEqual(report.medianMs as number);
    // 2 nnz and the bytes that csr.ts counts, over the median.
    expect((report.gflops as number) * (report.medianMs as number)).toBeCloseTo(5800 / 1e6, 9);
    expect((report.gbps as number) / (report.bandwidthGbps as number)).toBeCloseTo(report.bandwidthFraction as number);
  });

  it('times the requested number of products', async () => {
    expect(await runJson('multiply', 'gallery:laplace1d3?nx=50', '--repeat', '5', '--threads', '1')).toMatchObject({
      products: 5,
      threads: 1,
    });
  });

  it('tells people the same', async () => {
    const { code, stdout, stderr } = await runCli(
      'multiply',
      'gallery:rmat?scale=7',
      '--dtype',
      'mixed',
      '--repeat',
      '3',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\n {2}product +\S+ mixed, \d+ threads?.*, (relaxed-)?simd, chosen/);
    expect(stdout).toMatch(/setup +[\d.]+ ms\n +median +[\d.]+ ms of 3, .*\n +minimum +[\d.]+ ms\n/);
    expect(stdout).toMatch(/GFLOP\/s, [\d.]+ GB\/s, from a cache; memory delivers [\d.]+ GB\/s\n/);
  });

  it('multiplies by ones, and writes y', async () => {
    const at = temporaryFolder();
    writeFileSync(at('a.mtx.gz'), gzipSync(EXAMPLE));
    await runJson('multiply', at('a.mtx.gz'), '--output', at('y.mtx'), '--repeat', '1');
    expect(vectorIn(at('y.mtx'))).toEqual([30, 0, 30, 150]);
  });

  it('multiplies by x, and writes y with all its digits', async () => {
    const at = temporaryFolder();
    writeFileSync(at('a.mtx'), EXAMPLE);
    writeFileSync(at('x.mtx'), '%%MatrixMarket matrix array real general\n3 1\n0.1\n-0.7\n0.3\n');
    const report = await runJson('multiply', at('a.mtx'), '--x', at('x.mtx'), '--output', at('y.mtx'), '--repeat', '1');
    expect(report.maxError).toBeLessThan(1e-15);
    const y = vectorIn(at('y.mtx'));
    expect(y[0]).toBe(10 * 0.1 + 20 * 0.3);
    expect(y[2]).toBe(30 * 0.3);
    expect(readFileSync(at('y.mtx'), 'utf8')).toMatch(/\n-?\d\.\d{16}e[+-]?\d+\n/);
    // y is a vector that the command can read.
    writeFileSync(at('identity.mtx'), '%%MatrixMarket matrix coordinate integer general\n1 4 1\n1 3 1\n');
    await runJson('multiply', at('identity.mtx'), '--x', at('y.mtx'), '--output', at('z.mtx'), '--repeat', '1');
    expect(vectorIn(at('z.mtx'))).toEqual([y[2]]);
  });

  it('does not write y over the matrix, by any of its names', async () => {
    const at = temporaryFolder();
    writeFileSync(at('a.mtx'), EXAMPLE);
    symlinkSync('a.mtx', at('link.mtx'));
    for (const output of [at('a.mtx'), at('link.mtx')]) {
      const { code, stdout, stderr } = await runCli('multiply', at('a.mtx'), '--output', output, '--repeat', '1');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^sparlane: --output: expected another file than the matrix, got '[^\n]+'\n$/);
      expect(readFileSync(at('a.mtx'), 'utf8')).toBe(EXAMPLE);
    }
  });

  it('writes y over x, as an iteration does', async () => {
    const at = temporaryFolder();
    writeFileSync(at('a.mtx'), '%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 3\n');
    writeFileSync(at('v.mtx'), '%%MatrixMarket matrix array real general\n2 1\n5\n7\n');
    const args = ['multiply', at('a.mtx'), '--x', at('v.mtx'), '--output', at('v.mtx'), '--repeat', '1'];
    await runJson(...args);
    expect(vectorIn(at('v.mtx'))).toEqual([7, 15]);
    await runJson(...args);
    expect(vectorIn(at('v.mtx'))).toEqual([15, 21]);
    expect(readdirSync(at('.')).sort()).toEqual(['a.mtx', 'v.mtx']);
  });

  it('multiplies in f32, within the bound of f32', async () => {
    const report = await runJson('multiply', 'gallery:rgg?n=500', '--dtype', 'f32', '--repeat', '2');
    expect(report.maxError).toBeGreaterThan(1e-9);
    expect(report.maxError).toBeLessThan(1e-6);
  });

  it('names a file that cannot be written', async () => {
    const args = ['multiply', 'gallery:laplace1d3?nx=9', '--repeat', '1', '--output', '/no/such/folder/y.mtx'];
    const { code, stderr } = await runCli(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^sparlane: \/no\/such\/folder\/y\.mtx: expected a file that can be written, got [^\n]+\n$/);
  });

  it.each(['0&cols=5', '5&cols=0'])('multiplies an empty matrix: rows=%s', async (size) => {
    const report = await runJson('multiply', `gallery:dense?rows=${size}`, '--repeat', '1');
    expect(report).toMatchObject({ nnz: 0, maxError: 0, gflops: 0 });
  });
});
