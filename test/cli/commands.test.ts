/** info, bench, formats, selftest. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '#dist/formats/registry.js';
import { runCli, runJson, temporaryFolder } from './run-cli.js';

const GRID = 'gallery:laplace2d5?nx=10&ny=10';

describe('info', () => {
  it('describes a matrix in JSON', async () => {
    const report = await runJson('info', GRID);
    expect(report).toMatchObject({
      matrix: GRID,
      rows: 100,
      cols: 100,
      nnz: 460,
      bandwidth: 10,
      symmetry: 'symmetric',
    });
    expect(report.rowLengths).toMatchObject({ min: 3, max: 5, mean: 4.6, empty: 0 });
    expect(report.regular).toBe(true);
    expect(Object.keys(report.memoryBytes as object)).toEqual(FORMATS.map(({ name }) => name));
    // 101 row pointers, 460 columns and values, a header of six words.
    expect((report.memoryBytes as Record<string, number>).csr).toBeGreaterThanOrEqual(101 * 4 + 460 * 12 + 24);
  });

  it('draws it in the terminal', async () => {
    const { code, stdout, stderr } = await runCli('info', GRID);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/size +100 × 100\n/);
    expect(stdout).toMatch(/variance +0\.320: regular/);
    expect(stdout).toMatch(/[\u2801-\u28ff]/);
    for (const { name } of FORMATS) expect(stdout).toContain(`  ${name} `);
  });

  it.each(['svg', 'png'])('draws it as %s', async (kind) => {
    const path = temporaryFolder()(`picture.${kind}`);
    await runJson('info', GRID, '--spy', path);
    const picture = readFileSync(path).subarray(0, 8).toString('latin1');
    expect(picture).toMatch(kind === 'svg' ? /^<svg / : /^\x89PNG/);
  });
});

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

describe('formats', () => {
  it('lists the registry in JSON', async () => {
    const { formats } = await runJson('formats');
    expect((formats as { name: string }[]).map(({ name }) => name)).toEqual(FORMATS.map(({ name }) => name));
    expect((formats as unknown[])[1]).toMatchObject({ parameters: { k: { default: 2, min: 2, max: 3 } } });
  });

  it('lists every format with its source, and every parameter', async () => {
    const { stdout } = await runCli('formats');
    for (const { name, summary, suits, source, parameters } of FORMATS) {
      const text = [summary, suits, source].map((cell) => cell.split(' ')[0]!.replaceAll(/[()[\].]/g, '.'));
      expect(stdout).toMatch(new RegExp(`^${name} +${text[0]}.*$`, 'm'));
      expect(stdout).toMatch(new RegExp(`^${name} +${text[1]}.* ${text[2]}.*$`, 'm'));
      for (const key of Object.keys(parameters)) expect(stdout).toContain(`${name}?${key}`);
    }
  });

  it('loses no word by wrapping, and prints shared parameters once', async () => {
    const { stdout } = await runCli('formats');
    const words = (text: string) => text.split(/\s+/);
    const all = new Set(words(stdout));
    for (const { summary, suits, source, parameters } of FORMATS) {
      const docs = Object.values(parameters).map(({ doc }) => doc);
      for (const word of words([summary, suits, source, ...docs].join(' '))) expect(all).toContain(word);
    }
    expect(stdout.match(/8-bit codes .*\n/g)?.length).toBe(2);
    expect(stdout).toMatch(/^csr\?values .*\ncsrk\?values .*\ncoo\?values .*\ncomponents\?values\npanels\?values$/m);
  });
});

describe('selftest', () => {
  it('runs the conformance suite for the formats it is asked for', async () => {
    const { stdout } = await runCli('selftest', '--formats', 'csr', '--threads', '2');
    for (const dtype of ['f64', 'f32', 'mixed']) {
      for (const where of ['reference', 'wasm, simd', '2 threads, simd']) {
        expect(stdout).toMatch(new RegExp(`^ok +csr +${dtype} +${where} +[\\d,]+ checks`, 'm'));
      }
    }
    expect(stdout).not.toMatch(/csrk/);
  });

  it('reports to machines', async () => {
    const report = await runJson('selftest', '--formats', 'csrk?superRowSize=7', '--threads', '2');
    expect(report).toMatchObject({ ok: true, failed: 0 });
    const results = report.results as { name: string; checks: number }[];
    expect(new Set(results.map(({ name }) => name))).toEqual(
      new Set(['csrk?superRowSize=7', 'vectors', 'solvers', 'validation']),
    );
    for (const { checks } of results) expect(checks).toBeGreaterThan(0);
  });
});
