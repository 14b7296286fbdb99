/** `sparlane info` and `sparlane formats`. */
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
