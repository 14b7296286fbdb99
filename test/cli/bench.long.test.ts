/** `sparlane bench`. */
import { describe, expect, it } from 'vitest';
import { FORMATS } from '#dist/formats/registry.js';
import { runCli } from './run-cli.js';

const GRID = 'gallery:laplace2d5?nx=10&ny=10';

describe('bench', () => {
  it('gives a JSON line for each combination', async () => {
    const args = ['--formats', 'csr,csrk,csrk?k=2', '--threads', '1,2', '--dtype', 'f64,f32', '--time', '6', '--json'];
    const { code, stdout } = await runCli('bench', GRID, 'gallery:rmat?scale=6', ...args);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const combinations = lines.map(({ matrix, format, dtype, threads }) => [matrix, format, dtype, threads].join(' '));
    expect(new Set(combinations).size).toBe(2 * 2 * 2 * 2);
    expect(lines.length).toBe(16);
    for (const line of lines) {
      expect(line.medianMs).toBeGreaterThanOrEqual(line.minMs);
      expect(line.minMs).toBeGreaterThan(0);
      expect(line.gbps / line.bandwidthGbps).toBeCloseTo(line.bandwidthFraction);
      expect(line.maxError).toBeLessThan(1e-5);
      expect(line.products).toBeGreaterThan(5);
      expect(line.paybackProducts === null || line.paybackProducts >= 0).toBe(true);
      expect(line.format === 'csr' ? line.paybackProducts : null).toBeNull();
    }
  });

  it('ends with a table of each matrix and dtype, and continues after a matrix that cannot be read', async () => {
    const args = ['--threads', '1', '--dtype', 'f64,f32', '--time', '6'];
    const { code, stdout, stderr } = await runCli('bench', 'no-such.mtx', GRID, ...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sparlane: no-such\.mtx: [^\n]+\n$/);
    const [f64, f32, machine] = stdout.trimEnd().split('\n\n');
    expect(machine).toMatch(/ cores, Node \d+.*simd kernels$/);
    for (const [dtype, table] of Object.entries({ f64, f32 })) {
      const [matrix, head, ...rows] = table!.split('\n');
      expect(matrix).toBe(`laplace2d5?nx=10&ny=10, ${dtype}: 100 × 100, 460 entries`);
      expect(head).toMatch(/^format +threads +setup ms +median ms +spread +GFLOP\/s +GB\/s +of bus +paid back$/);
      expect(rows.length).toBe(FORMATS.length + 1);
      expect(rows[0]).toMatch(/^csr +1 .* cache$/);
    }
  });

  it('names the formats that refused the matrix in one line, which is no failure', async () => {
    const args = ['--formats', 'csr,ell,dia,sss', '--threads', '1,2', '--time', '6'];
    const { code, stdout, stderr } = await runCli('bench', 'gallery:rmat?scale=10', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^refused as mostly padding: ell, dia\nnot applicable to this matrix: sss\n$/m);
    expect(stdout).toMatch(/^csr +1 of 2 /m);
    const json = await runCli('bench', 'gallery:rmat?scale=10', ...args, '--json');
    const refused = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ error }) => error);
    expect(refused.map(({ requested, code }) => `${requested} ${code}`)).toEqual(
      ['ell', 'dia', 'sss'].flatMap((format) =>
        Array(2).fill(`${format} ${format === 'sss' ? 'structure' : 'fill-in'}`),
      ),
    );
  });
});
