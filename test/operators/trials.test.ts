/** The order and the outcome of trials, with products that take a given time. */
import { expect, test } from 'vitest';
import type { RankedFormat } from '#dist/choice/choose.js';
import type { StoredMatrix } from '#dist/formats/format.js';
import type { TimingLanes } from '#dist/operators/lanes.js';
import { fastestOf } from '#dist/operators/measure.js';

/** Milliseconds of a product by spec: predicted, and real. */
type Times = Readonly<Record<string, readonly [predictedMs: number, realMs: number]>>;

/**
 * The measured formats, the fastest first, and those that were stored, in order. `left`: the matrices that are not freed.
 */
function tryAll(
  times: Times,
  { left = new Set<string>(), budget = 10_000 }: { left?: Set<string>; budget?: number } = {},
) {
  const ranking = Object.entries(times).map(([spec, [productMs]]): RankedFormat => {
    return { spec, productMs, conversionMs: 1, threads: 1, bytes: 0 };
  });
  const stored: string[] = [];
  const store = ({ spec }: RankedFormat) => {
    stored.push(spec);
    left.add(spec);
    return { spec, [Symbol.dispose]: () => void left.delete(spec) } as unknown as StoredMatrix;
  };
  const lanes: TimingLanes = {
    product: (_, { spec }) => ({
      kernels: spec,
      time: () => spent(times[spec]![1]),
      [Symbol.dispose]() {},
    }),
    [Symbol.dispose]() {},
  };
  const first = { stored: store(ranking[0]!), ranking };
  const best = fastestOf(first, { products: 'many', store, makeLanes: () => lanes, budgetMs: () => budget, share: 1 });
  const tried = best.ranking.filter(({ measuredMs }) => measuredMs !== undefined);
  const measured = tried.map(({ spec }) => spec);
  expect(best.ranking.length).toBe(ranking.length);
  expect([...left]).toEqual([best.stored.spec]);
  expect(measured[0]).toBe(best.stored.spec);
  return { measured, stored };
}

/** A turn that takes a while, and says that a product took so long. */
function spent(ms: number): number {
  if (Number.isNaN(ms)) throw new Error('on purpose');
  for (const end = performance.now() + 0.5; performance.now() < end; );
  return ms;
}

test('close predictions are tried, and the fastest meets csr at the end', () => {
  const { measured, stored } = tryAll({ ell: [0.4, 0.6], sell: [0.42, 0.3], csr: [0.8, 0.9], coo: [4, 4] });
  expect(measured).toEqual(['sell', 'ell', 'csr']);
  expect(stored).toEqual(['ell', 'sell', 'csr']);
});

test('csr is met where nothing else seems worth a trial, and opens the contest again if it is faster', () => {
  const { measured, stored } = tryAll({ bsr: [0.2, 0.8], coo: [9, 9], csr: [1, 0.4] });
  expect(measured).toEqual(['csr', 'bsr']);
  expect(stored).toEqual(['bsr', 'csr']);
});

test('csr that was beaten by one format meets the next that is faster', () => {
  const { measured, stored } = tryAll({ csr: [0.4, 0.5], sell: [0.41, 0.4], ell: [0.42, 0.3] });
  expect(measured).toEqual(['ell', 'sell', 'csr']);
  expect(stored).toEqual(['csr', 'sell', 'ell', 'csr']);
});

test('csr does not meet again the format that has beaten it', () => {
  expect(tryAll({ csr: [0.4, 0.5], sell: [0.41, 0.3] }).stored).toEqual(['csr', 'sell']);
});

test('an error of a product frees all matrices', () => {
  const left = new Set<string>();
  expect(() => tryAll({ ell: [0.4, 0.4], sell: [0.42, Number.NaN], csr: [0.8, 0.9] }, { left })).toThrow('on purpose');
  expect(() => tryAll({ ell: [0.4, Number.NaN], csr: [0.8, 0.9] }, { left })).toThrow('on purpose');
  expect([...left]).toEqual([]);
});

test('trials end with the time for them, that of csr a little later', () => {
  const times = { ell: [0.4, 0.4], sell: [0.41, 0.2], csr: [0.42, 0.2] } as const;
  expect(tryAll(times, { budget: 0 }).measured).toEqual(['ell']);
  expect(tryAll(times).measured[0]).not.toBe('ell');
});

test('a format that is faster by less than the margin does not replace another one', () => {
  const { measured, stored } = tryAll({ ell: [0.4, 0.4], sell: [0.41, 0.398], coo: [9, 9] });
  expect(measured).toEqual(['ell', 'sell']);
  expect(stored).toEqual(['ell', 'sell']);
});
