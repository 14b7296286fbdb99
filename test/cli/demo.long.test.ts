/** `sparlane demo`: one screen of 25 lines and 80 columns, measured; without a terminal, with one thread, and for machines. */
import { describe, expect, it } from 'vitest';
import type { DemoReport } from '#dist/cli/demo-block.js';
import { runCli, runJson } from './run-cli.js';

const SMALL = ['gallery:laplace2d5?nx=60&ny=60', 'gallery:rmat?scale=8'];

describe('demo', () => {
  it('fits on one screen, with three products of each of three matrices', async () => {
    const { code, stdout, stderr } = await runCli('demo', '--time', '6');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toContain('\x1b');
    expect(stdout.match(/^── .*, [\d,]+ entries ─+ auto: \S+ ──$/gm)?.length).toBe(3);
    for (const name of ['JavaScript', 'csr', 'auto']) {
      const figures = new RegExp(`^.{10}  ${name} +[█▏▎▍▌▋▊▉·│ ]+ [\\d.]+ +(\\d+ %|cache)$`, 'gm');
      expect(stdout.match(figures)?.length, name).toBe(3);
    }
    expect(stdout.match(/^npx sparlane \w+ /gm)?.length).toBe(3);
    expect(stdout).toMatch(/memory bus: [\d.]+ GB\/s/);
  });

  it('takes matrices, and one thread', async () => {
    const { code, stdout, stderr } = await runCli('demo', ...SMALL, '--threads', '1', '--time', '6');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^sparlane: y = A x in f64, 1 thread,/);
    expect(stdout).toMatch(/^── laplace2d5\?nx=60&ny=60, 17,760 entries ─+ auto: /m);
    expect(stdout).toMatch(/^── rmat\?scale=8, /m);
  });

  it('prints the measurements as JSON', async () => {
    const report = await runJson('demo', ...SMALL, '--threads', '2', '--time', '6');
    expect(report.threads).toBe(2);
    const matrices = report.matrices as DemoReport[];
    expect(matrices.map(({ matrix }) => matrix)).toEqual(SMALL);
    for (const { nnz, reason, bandwidthGbps, products } of matrices) {
      expect(reason).toMatch(/ fast/);
      expect(products.map(({ name }) => name)).toEqual(['JavaScript', 'csr', 'auto']);
      for (const { medianMs, gflops, gbps, bandwidthFraction, maxError, inCache } of products) {
        expect(gflops * medianMs).toBeCloseTo((2 * nnz) / 1e6, 9);
        expect(gbps / bandwidthGbps).toBeCloseTo(bandwidthFraction, 9);
        expect(maxError).toBeLessThan(1e-14);
        expect(inCache).toBe(true);
      }
    }
  });

  it('one matrix that cannot be read is an error', async () => {
    const { code, stderr } = await runCli('demo', 'no-such.mtx', '--time', '6');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sparlane: no-such\.mtx: expected a file that can be read/);
  });
});
