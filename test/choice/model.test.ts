/** Predicted times of products. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Circumstances, rank } from '#dist/choice/choose.js';
import { machineCosts } from '#dist/choice/machine.js';
import { predictNs } from '#dist/choice/model.js';
import { csrMatrix } from '#dist/core/csr.js';
import { examine } from '#dist/features/features.js';
import type { Prospect } from '#dist/formats/format.js';
import { gallery } from '#dist/gallery/registry.js';

const TYPICAL = machineCosts(2);
const TWO: Circumstances = { dtype: 'f64', threads: 2, products: 'many', costs: TYPICAL };
const grid = gallery('laplace2d5', { nx: 200, ny: 200 });

describe('the model', () => {
  const { features } = examine(grid);
  const prospect: Prospect = { spec: 'csr', kernel: 'csr', bytes: 16 * grid.nnz, entries: grid.nnz };
  const factor = fc.double({ min: 1, max: 100, noNaN: true });

  test('more bytes, entries, steps or gathers never take less', () => {
    const time = (changes: Partial<Prospect>, threads: number) =>
      predictNs(TYPICAL, features, { ...prospect, ...changes }, 'f64', threads);
    fc.assert(
      fc.property(factor, fc.constantFrom(1, 2, 16), (f, threads) => {
        const base = time({}, threads);
        expect(time({ bytes: f * prospect.bytes }, threads)).toBeGreaterThanOrEqual(base);
        expect(time({ entries: f * prospect.entries }, threads)).toBeGreaterThanOrEqual(base);
        expect(time({ steps: f * 1000 }, threads)).toBeGreaterThanOrEqual(base);
        expect(time({ indivisible: f * 1000 }, threads)).toBeGreaterThanOrEqual(base);
        expect(time({ scattered: 1 / f }, threads)).toBeLessThanOrEqual(base);
      }),
    );
  });

  test('a line of x that one long row replaces in L1 is read once for all rows side by side', () => {
    const length = 2000;
    const spread = (cols: number) => {
      const rowPtr = Uint32Array.from({ length: 101 }, (_, i) => i * length);
      const colIdx = Uint32Array.from({ length: 100 * length }, (_, k) => Math.floor(((k % length) * cols) / length));
      const values = Float64Array.from(colIdx, Math.sqrt);
      return csrMatrix({ rows: 100, cols, rowPtr, colIdx, values });
    };
    const timeIn = (format: string, cols: number) =>
      rank(examine(spread(cols)), { ...TWO, threads: 1 }).find(({ spec }) => spec === format)!.productMs;
    const ratio = (cols: number) => timeIn('sell', cols) / timeIn('csr', cols);
    expect(ratio(4000)).toBeCloseTo(ratio(2000), 1);
    expect(ratio(16_000)).toBeLessThan(0.9 * ratio(2000));
    const long = { ...features, newLines: 1, scattered: 0, nnz: 2000 * features.rows, lengthVariance: 0 };
    const time = (together: number) => predictNs(TYPICAL, long, { ...prospect, together }, 'f64', 1);
    expect(time(8)).toBeLessThan(time(4));
    expect(time(4)).toBeLessThan(time(1));
  });

  test('more threads take at most the start longer', () => {
    const { forkJoinNs } = TYPICAL;
    for (const threads of [2, 3, 8, 64]) {
      const alone = predictNs(TYPICAL, features, prospect, 'f64', 1);
      expect(predictNs(TYPICAL, features, prospect, 'f64', threads)).toBeLessThan(alone + forkJoinNs);
    }
  });

  test('what cannot be shared is not', () => {
    const one = { ...prospect, indivisible: prospect.entries + grid.rows };
    const many = predictNs(TYPICAL, features, one, 'f64', 64);
    expect(many).toBeGreaterThan(predictNs(TYPICAL, features, prospect, 'f64', 64));
  });
});
