/** `sparlane selftest`, briefly: the suite in full is what `test/conformance` runs. */
import { describe, expect, it } from 'vitest';
import { runCli, runJson, wideLines } from './run-cli.js';

const LONG_NAME = 'sell?sortScope=64&index=16&values=table';

describe('selftest', () => {
  it('runs the conformance suite for the formats it is asked for', async () => {
    const formats = `csr,${LONG_NAME}`;
    const { stdout } = await runCli('selftest', '--brief', '--formats', formats, '--threads', '2', '--random', '1000');
    for (const dtype of ['f64', 'f32', 'mixed']) {
      for (const where of ['reference', 'wasm, simd', '2 threads, simd']) {
        expect(stdout).toMatch(new RegExp(`^ok +csr +${dtype} +${where} +[\\d,]+ checks`, 'm'));
      }
    }
    expect(stdout).not.toMatch(/csrk/);
    expect(stdout).toContain(LONG_NAME);
    expect(wideLines(stdout)).toEqual([]);
  });

  it('reports to machines', async () => {
    const report = await runJson(
      'selftest',
      '--brief',
      '--formats',
      'csrk?superRowSize=7',
      '--threads',
      '2',
      '--random',
      '100',
    );
    expect(report).toMatchObject({ ok: true, failed: 0 });
    const results = report.results as { name: string; checks: number }[];
    expect(new Set(results.map(({ name }) => name))).toEqual(
      new Set(['csrk?superRowSize=7', 'vectors', 'solvers', 'random products', 'validation']),
    );
    for (const { checks } of results) expect(checks).toBeGreaterThan(0);
  });
});
