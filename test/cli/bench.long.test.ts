/** `sparlane bench`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '#dist/formats/registry.js';
import { runCli, temporaryFolder } from './run-cli.js';

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

  it('writes the tables as a page that loads no other file', async () => {
    const file = temporaryFolder()('bench.html');
    const args = ['--formats', 'csr,sell,sss', '--threads', '1', '--time', '6', '--html', file];
    const { code, stdout } = await runCli('bench', GRID, 'gallery:rmat?scale=6', ...args);
    expect(code).toBe(0);
    const page = readFileSync(file, 'utf8');
    const { document } = parseHTML(page);
    const texts = (selector: string, within: ParentNode = document) =>
      [...within.querySelectorAll(selector)].map(({ textContent }) => textContent!.trim());
    expect(texts('h2')).toEqual([
      'laplace2d5?nx=10&ny=10, f64: 100 × 100, 460 entries',
      expect.stringMatching(/^rmat\?scale=6, f64: 64 × 64, /),
    ]);
    const [grid, rmat] = document.querySelectorAll('section');
    expect(texts('tbody th', grid)).toEqual(['csr', 'sell', 'sss']);
    expect(texts('tbody th', rmat)).toEqual(['csr', 'sell']);
    expect(texts('dt', rmat).concat(texts('dd', rmat))).toEqual(['not applicable to this matrix', 'sss']);
    for (const section of [grid!, rmat!]) {
      expect(section.querySelectorAll('tr.chosen').length).toBe(1);
      const widths = [...section.querySelectorAll('rect')].map((bar) => Number(bar.getAttribute('width')));
      expect(Math.max(...widths)).toBe(96);
    }
    // The cells are those of the terminal.
    const [cells] = [...document.querySelectorAll('tbody tr')];
    for (const cell of texts('td', cells).filter(Boolean)) expect(stdout).toContain(cell);
    expect(texts('p').at(-1)).toBe(stdout.trimEnd().split('\n').at(-1));
    expect(page).not.toMatch(/https?:|src=|<script/);
  });

  it('does not write the page over a matrix', async () => {
    const file = temporaryFolder()('matrix.mtx');
    const text = '%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n';
    writeFileSync(file, text);
    const { code, stderr } = await runCli('bench', file, '--html', file);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^sparlane: --html: expected another file than a matrix, got /);
    expect(readFileSync(file, 'utf8')).toBe(text);
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
