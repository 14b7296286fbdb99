/** The choice for a GPU, against measurements: the lines of the benchmark's run on an H200. Smaller matrices of the same kinds. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { H200 } from '#dist/backends/cuda/costs.js';
import { type Circumstances, rank } from '#dist/choice/choose.js';
import { costsFor } from '#dist/choice/costs.js';
import type { CsrMatrix } from '#dist/core/csr.js';
import { examine } from '#dist/features/features.js';
import { MATRICES } from '../../bench/cuda/matrices.mjs';

interface Line {
  readonly kind: string;
  readonly library: string;
  readonly matrix: string;
  readonly dtype: string;
  readonly requested: string;
  readonly coldUs: number;
}

/** Small, but with too many columns for 16 bits if the large ones have too many. */
const SCALE = 0.05;

const RUN = new URL('../../bench/results/2026-11-21-cuda.jsonl.gz', import.meta.url);
const lines = gunzipSync(readFileSync(RUN))
  .toString()
  .trim()
  .split('\n')
  .map((line): Line => JSON.parse(line));
const ours = lines.filter(({ kind, library }) => kind === 'product' && library === 'sparlane');
const all: readonly { name: string; make(scale: number): CsrMatrix }[] = MATRICES;
const measured = all
  .filter(({ name }) => ours.some(({ matrix }) => matrix === name))
  .map(({ name, make }) => ({ name, examined: examine(make(SCALE)) }));

/** If values may be codes, times depend less on bytes and entries. */
const MOST = { inFull: 1.1, own: 1.15 };

/** The time of the chosen format over that of the best. */
function regret(name: string, dtype: 'f64' | 'f32', spec: string): number {
  const own = ours.filter((line) => line.matrix === name && line.dtype === dtype && line.requested !== 'auto');
  // Parameters that a format finds automatically are not named in the request.
  const chosen =
    own.find(({ requested }) => requested === spec) ?? own.find(({ requested }) => requested === spec.split('?')[0]);
  expect(chosen, `${spec} on ${name} was measured`).toBeDefined();
  return chosen!.coldUs / Math.min(...own.map(({ coldUs }) => coldUs));
}

test('all measured matrices are covered here', () => expect(measured.length).toBe(15));

test.each(['f64', 'f32'] as const)('%s: within 10 percent of the best, 15 if values are few, 2 on average', (dtype) => {
  const regrets = measured.map(({ name, examined }) => {
    const circumstances: Circumstances = {
      dtype,
      threads: 1,
      products: 'many',
      costs: costsFor(undefined),
      device: H200,
    };
    const [chosen] = rank(examined, circumstances);
    const times = regret(name, dtype, chosen!.spec);
    expect(times, `${chosen!.spec} on ${name}`).toBeLessThan(name.endsWith('-own') ? MOST.own : MOST.inFull);
    return Math.log(times);
  });
  expect(Math.exp(regrets.reduce((sum, one) => sum + one, 0) / regrets.length)).toBeLessThan(1.02);
});
