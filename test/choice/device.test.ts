/** The choice for a GPU, against measurements on an H200: large matrices of the benchmark's run, and unseen ones of the judge's. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { H200 } from '#dist/backends/cuda/costs.js';
import { modelOf, workOnDevice } from '#dist/backends/cuda/model.js';
import { rank } from '#dist/choice/choose.js';
import { machineCosts } from '#dist/choice/machine.js';
import type { Dtype } from '#dist/core/types.js';
import type { Examined, Features } from '#dist/features/features.js';
import type { Prospect } from '#dist/formats/format.js';
import { largeCases } from '../../bench/judge/large.mjs';
import { readRecords } from '../../bench/judge/records.mjs';

interface Case {
  readonly name: string;
  readonly dtype: Dtype;
  readonly features: Features;
  readonly prospects: readonly Prospect[];
  readonly timeOf: (spec: string) => number | undefined;
  readonly best: number;
}

const RUN = new URL('../../bench/results/2026-11-21-cuda.jsonl.gz', import.meta.url);
const model = modelOf(H200);
const cases: readonly Case[] = largeCases(RUN);

/** If values may be codes, times depend less on bytes and entries. */
const MOST = { inFull: 1.1, own: 1.15 };

/** The kernels of CSR are newer than the run, and SELL with tables was not measured: where they are chosen, nothing is known. So many matrices remain. */
const LEAST_KNOWN = 11;

/** The format that is predicted to be the fastest, and its time over that of the best; undefined if it was not measured. */
function chosen({ dtype, features, prospects, timeOf, best }: Case) {
  const predicted = (prospect: Prospect) => model.predictNs(features, prospect, dtype) ?? Infinity;
  const { spec } = prospects.reduce((a, b) => (predicted(b) < predicted(a) ? b : a));
  const ms = timeOf(spec);
  return ms === undefined ? undefined : { spec, regret: ms / best };
}

test('all measured matrices are covered here', () => expect(cases.length).toBe(2 * 15));

test.each(['f64', 'f32'] as const)('%s: within 10 percent of the best, 15 if values are few, 2 on average', (dtype) => {
  const logs = cases
    .filter((one) => one.dtype === dtype)
    .flatMap((one) => {
      const known = chosen(one);
      if (known === undefined) return [];
      const most = one.name.endsWith('-own') ? MOST.own : MOST.inFull;
      expect(known.regret, `${known.spec} on ${one.name}`).toBeLessThan(most);
      return [Math.log(known.regret)];
    });
  expect(logs.length).toBeGreaterThanOrEqual(LEAST_KNOWN);
  expect(Math.exp(logs.reduce((sum, one) => sum + one, 0) / logs.length)).toBeLessThan(1.02);
});

interface Judged {
  readonly dtype: Dtype;
  readonly features: Features;
  readonly prospects: readonly Prospect[];
  readonly times: ReadonlyMap<string, number>;
  readonly best: number;
}

/** Every fourth of the matrices of odd seeds on which the verdict in `docs/choosing-a-format.md` rests. */
const JUDGED = new URL('../../bench/results/2026-11-23-judge-cuda.jsonl.gz', import.meta.url);

test('unseen matrices: within 2 percent of the best in the median, 17 in the 95th percentile, 50 at worst', () => {
  const judged: readonly Judged[] = readRecords([fileURLToPath(JUDGED)]);
  const regrets = judged.map(({ dtype, features, prospects, times, best }) => {
    const device = { ...model, prospectsOf: () => prospects };
    const ranking = rank({ features } as Examined, {
      dtype,
      threads: 1,
      products: 'many',
      costs: machineCosts(1),
      device,
    });
    return times.get(ranking.find(({ spec }) => times.has(spec))!.spec)! / best;
  });
  regrets.sort((a, b) => a - b);
  const at = (share: number) => regrets[Math.floor(share * (regrets.length - 1))];
  expect(regrets.length).toBeGreaterThan(200);
  expect(at(0.5)).toBeLessThan(1.02);
  expect(at(0.95)).toBeLessThan(1.17);
  expect(at(1)).toBeLessThan(1.5);
});

test('the kernels of CSR read columns of 16 bits where those of a tile are near each other, whatever the layout has', () => {
  const { features, prospects } = cases.find(({ name }) => name === '5-point')!;
  const read = (spec: string, reach: number, scattered: number) => {
    const prospect = prospects.find((one) => one.spec === spec)!;
    return workOnDevice(H200, { ...features, reach, scattered }, prospect, 'f64').byte - prospect.bytes;
  };
  expect(read('csr', 4000, 0.2)).toBe(-2 * features.nnz);
  expect(read('csr', 1e6, 0.01)).toBe(-2 * features.nnz);
  expect(read('csr', 1e6, 0.2)).toBe(0);
  expect(read('csrk?index=16', 4000, 0.2)).toBe(0);
  expect(read('csrk?index=16', 1e6, 0.2)).toBe(2 * features.nnz);
  expect(read('csr5', 4000, 0.2)).toBe(0);
});

test('CSR reads far columns of rows that fill a tile from memory again, if x exceeds L2', () => {
  const { features, prospects } = cases.find(({ name }) => name === '5-point')!;
  const read = (spec: string, cols: number, rows: number) => {
    const prospect = prospects.find((one) => one.spec === spec)!;
    const long = { ...features, rows, cols, reach: 1e6, scattered: 0.2, apart: 0.5 };
    return workOnDevice(H200, long, prospect, 'f64').byte - prospect.bytes;
  };
  const longRows = features.nnz / 3000;
  expect(read('csr', 9e6, longRows)).toBeGreaterThan(6 * features.nnz * 0.3);
  expect(read('csr', 1e6, longRows)).toBeLessThan(features.nnz * 0.3);
  expect(read('csr', 9e6, 1e6)).toBe(0);
  expect(read('sell', 9e6, longRows)).toBe(0);
});
