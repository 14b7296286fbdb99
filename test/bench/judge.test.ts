/** These tests check the verdict of `npx bench judge` on times that were recorded with trials, without trials, and on a device. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readRecords } from '../../bench/judge/records.mjs';
import { verdict } from '../../bench/judge/report.mjs';

const folder = mkdtempSync(join(tmpdir(), 'sparlane-judge-'));
afterAll(() => rmSync(folder, { recursive: true }));

const format = (asked: readonly string[], ms: number) => ({ spec: asked[0], asked, ms });
const formats = [format(['csr', 'csrk'], 4), format(['sell'], 2), format(['dia'], 3)];
const about = {
  seed: 1,
  structure: 'stencil',
  description: 'a grid',
  rows: 9,
  cols: 9,
  nnz: 33,
  dtype: 'f64',
  formats,
};

function verdictOf(records: readonly object[]): string[] {
  const path = join(folder, 'times.jsonl');
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return [...verdict(readRecords([path]))];
}

describe('verdict', () => {
  test('records with trials are judged by their choice and by the prediction alone', () => {
    const record = { ...about, threads: 2, predicted: 'dia', auto: 'sell', tuneMs: 7, trials: 2 };
    const lines = verdictOf([record]);
    expect(lines[0]).toMatch(/^all +1 +regret: .*worst 0.0 %, .*over csr: 2.00 \(2.00 possible\)/);
    expect(lines[1]).toMatch(/^predicted alone +1 +regret: .*worst 50.0 %/);
  });

  test('records without trials are judged by the prediction', () => {
    const lines = verdictOf([{ ...about, threads: 1, predicted: 'dia' }]);
    expect(lines[0]).toMatch(/^all +1 +regret: .*worst 50.0 %, .*over csr: 1.33/);
    expect(lines.join('\n')).toContain('dia instead of sell');
  });

  test('records of a device have features, older ones without `apart`', () => {
    writeFileSync(
      join(folder, 'device.jsonl'),
      JSON.stringify({ ...about, device: 'cuda', features: { scattered: 3 } }),
    );
    expect(readRecords([join(folder, 'device.jsonl')])[0].features).toEqual({ apart: 3, scattered: 3 });
  });
});
