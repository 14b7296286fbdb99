import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomStream } from '#dist/gallery/draw.js';
import { arranged, rowLengths } from '../../bench/matrices/suites/lengths.mjs';
import { fewOrAll } from '../soak.js';

interface Wanted {
  rows: number;
  sum: number;
  min: number;
  max: number;
  variance: number;
  tail: boolean;
}

function figures(lengths: Uint32Array) {
  const sum = lengths.reduce((total, length) => total + length, 0);
  const mean = sum / lengths.length;
  const variance = lengths.reduce((total, length) => total + (length - mean) ** 2, 0) / lengths.length;
  return { sum, variance, min: Math.min(...lengths.slice(0, 1000)), max: lengths.reduce((a, b) => Math.max(a, b), 0) };
}

/**
 * Figures of published matrices, some of them made smaller: nodes of cant and af_shell10, StocF-1465, scircuit,
 * webbase-1M, FullChip, rail4284.
 */
const CASES: Wanted[] = [
  { rows: 20_817, sum: 445_265, min: 1, max: 26, variance: 21.97, tail: false },
  { rows: 30_161, sum: 209_018, min: 3, max: 7, variance: 0.0645, tail: false },
  { rows: 146_514, sum: 2_100_539, min: 1, max: 189, variance: 6.63, tail: false },
  { rows: 170_998, sum: 958_936, min: 1, max: 353, variance: 19.3, tail: true },
  { rows: 100_000, sum: 310_553, min: 1, max: 9071, variance: 1360, tail: true },
  { rows: 29_870, sum: 266_220, min: 1, max: 23_124, variance: 32_640, tail: false },
  { rows: 4284, sum: 11_279_748, min: 2, max: 56_182, variance: 4209 ** 2, tail: true },
  { rows: 1000, sum: 3000, min: 3, max: 3, variance: 0, tail: false },
];

describe('row lengths', () => {
  test.each(CASES)('$rows rows, sum $sum, up to $max, variance $variance', (wanted) => {
    const lengths: Uint32Array = rowLengths(wanted);
    const { sum, variance, min, max } = figures(lengths);
    expect(lengths.length).toBe(wanted.rows);
    expect(sum).toBe(wanted.sum);
    expect(max).toBe(wanted.max);
    expect(min).toBeGreaterThanOrEqual(wanted.min);
    expect(Math.abs(variance - wanted.variance)).toBeLessThanOrEqual(0.01 * wanted.variance + 1e-9);
  });

  test('have the sum and the greatest length whatever the variance', () => {
    const wanted = fc
      .record({
        rows: fc.integer({ min: 2, max: 300 }),
        min: fc.integer({ min: 0, max: 5 }),
        range: fc.integer({ min: 0, max: 400 }),
        fill: fc.double({ min: 0, max: 1, noNaN: true }),
        spread: fc.double({ min: 0, max: 1, noNaN: true }),
        tail: fc.boolean(),
      })
      .map(({ rows, min, range, fill, spread, tail }): Wanted => {
        const max = min + range;
        const sum = max + min * (rows - 1) + Math.floor(fill * range * (rows - 1));
        return { rows, sum, min, max, variance: spread * (range / 2) ** 2, tail };
      });
    fc.assert(
      fc.property(wanted, (given) => {
        const lengths: Uint32Array = rowLengths(given);
        const { sum, max } = figures(lengths);
        expect({ sum, max }).toEqual({ sum: given.sum, max: given.max });
        expect(lengths.every((length) => length >= given.min)).toBe(true);
      }),
      { numRuns: fewOrAll(60, 300), seed: 1 },
    );
  });

  test('that are impossible are refused', () => {
    expect(() => rowLengths({ rows: 3, sum: 10, min: 0, max: 3, variance: 1, tail: false })).toThrow(RangeError);
    expect(() => rowLengths({ rows: 3, sum: 4, min: 1, max: 3, variance: 1, tail: false })).toThrow(RangeError);
  });

  test('keep their figures in any arrangement; smooth ones change little from row to row', () => {
    const ascending: Uint32Array = rowLengths(CASES[0]);
    const jumps = (lengths: Uint32Array) =>
      lengths.reduce((sum, length, i) => sum + Math.abs(length - (lengths[i - 1] ?? length)), 0) / lengths.length;
    const smooth: Uint32Array = arranged(ascending, true, randomStream(1, 'structure'));
    const shuffled: Uint32Array = arranged(ascending, false, randomStream(1, 'structure'));
    expect(smooth.slice().sort()).toEqual(ascending.slice().sort());
    expect(shuffled.slice().sort()).toEqual(ascending.slice().sort());
    expect(jumps(smooth)).toBeLessThan(0.6 * jumps(shuffled));
  });
});
