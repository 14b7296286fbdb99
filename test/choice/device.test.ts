/** The choice for a GPU, against measurements of unseen matrices on an H100. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DEVICE_COSTS } from '#dist/backends/cuda/costs.js';
import { modelOf, workOnDevice } from '#dist/backends/cuda/model.js';
import { rank } from '#dist/choice/choose.js';
import { machineCosts } from '#dist/choice/machine.js';
import type { Dtype } from '#dist/core/types.js';
import { type Examined, examine, type Features } from '#dist/features/features.js';
import type { Prospect } from '#dist/formats/format.js';
import { prospectsOf } from '#dist/formats/registry.js';
import { gallery } from '#dist/gallery/registry.js';
import { readRecords } from '../../bench/judge/records.mjs';

interface Judged {
  readonly dtype: Dtype;
  readonly features: Features;
  readonly prospects: readonly Prospect[];
  readonly times: ReadonlyMap<string, number>;
  readonly best: number;
}

/** Matrices of odd seeds, on which the verdict in `docs/choosing-a-format.md` rests: nothing was fitted to them. */
const JUDGED = new URL('../../bench/results/2026-11-28-judge-cuda.jsonl.gz', import.meta.url);
const model = modelOf(DEVICE_COSTS);

test('unseen matrices: within 1 percent of the best in the median, 12 in the 95th percentile, 75 at worst', () => {
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
  expect(regrets.length).toBe(740);
  expect(at(0.5)).toBeLessThan(1.01);
  expect(at(0.95)).toBeLessThan(1.12);
  expect(at(1)).toBeLessThan(1.75);
});

const examined = examine(gallery('laplace2d5', { nx: 300, ny: 300, values: 'real' }));
const { features } = examined;
const prospects = prospectsOf(examined, 'f64', { onDevice: true });

test('the kernels of CSR read columns of 16 bits where those of a tile are near each other, whatever the layout has', () => {
  const read = (spec: string, reach: number, scattered: number) => {
    const prospect = prospects.find((one) => one.spec === spec)!;
    return workOnDevice(DEVICE_COSTS, { ...features, reach, scattered }, prospect, 'f64').byte - prospect.bytes;
  };
  expect(read('csr', 4000, 0.2)).toBe(-2 * features.nnz);
  expect(read('csr', 1e6, 0.01)).toBe(-2 * features.nnz);
  expect(read('csr', 1e6, 0.2)).toBe(0);
  expect(read('csrk?index=16', 4000, 0.2)).toBe(0);
  expect(read('csrk?index=16', 1e6, 0.2)).toBe(2 * features.nnz);
  expect(read('csr5', 4000, 0.2)).toBe(0);
});

test('CSR reads far columns of rows that fill a tile from memory again, if x exceeds L2', () => {
  const read = (spec: string, cols: number, rows: number) => {
    const prospect = prospects.find((one) => one.spec === spec)!;
    const long = { ...features, rows, cols, reach: 1e6, scattered: 0.2, apart: 0.5 };
    return workOnDevice(DEVICE_COSTS, long, prospect, 'f64').byte - prospect.bytes;
  };
  const longRows = features.nnz / 3000;
  expect(read('csr', 9e6, longRows)).toBeGreaterThan(6 * features.nnz * 0.3);
  expect(read('csr', 1e6, longRows)).toBeLessThan(features.nnz * 0.3);
  expect(read('csr', 9e6, 1e6)).toBe(0);
  expect(read('sell', 9e6, longRows)).toBe(0);
});
