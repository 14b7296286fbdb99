/** The verdict of `bench/quick.mjs`: falls beyond the noise, and no others. */
import { describe, expect, test } from 'vitest';
import { hasFallen, recordOf, summarize, toleranceOf } from '../../bench/quick/falls.mjs';

describe('a summary', () => {
  test('is the median, and the error of its logarithm', () => {
    const { ratio, error } = summarize([2, 2.2, 1.8, 2.1, 1.9]);
    expect(ratio).toBeCloseTo(2, 12);
    expect(error).toBeCloseTo((1.2533 * 1.4826 * Math.log(2 / 1.9)) / Math.sqrt(5), 12);
  });

  test('does not see one repetition that was disturbed', () => {
    expect(summarize([2, 2.01, 1.99, 2, 0.5])).toEqual({ ratio: 2, error: expect.closeTo(0.004, 2) });
  });
});

test('a record keeps the lowest ratio of its runs', () => {
  const first = recordOf({ ratio: 1.2, error: 0.01 }, undefined);
  expect(first).toEqual({ ratio: 1.2, error: 0.01, runs: 1 });
  const second = recordOf({ ratio: 0.9, error: 0.02 }, first);
  expect(second).toEqual({ ratio: 0.9, error: 0.02, runs: 2 });
  expect(recordOf({ ratio: 1, error: 0.03 }, second)).toEqual({ ratio: 0.9, error: 0.02, runs: 3 });
});

describe('a fall', () => {
  const sure = (ratio: number) => ({ ratio, error: 0.01 });

  test('of 20 % counts where the measured spread is small, one of 5 % does not', () => {
    expect(hasFallen(sure(0.8), sure(1))).toBe(true);
    expect(hasFallen(sure(0.95), sure(1))).toBe(false);
    expect(hasFallen(sure(1.3), sure(1))).toBe(false);
  });

  test('is tolerated up to the noise of both', () => {
    expect(toleranceOf(sure(1), sure(1))).toBeCloseTo(0.068, 3);
    expect(toleranceOf({ ratio: 1, error: 0.03 }, { ratio: 1, error: 0.04 })).toBeCloseTo(1 - Math.exp(-0.15), 12);
    expect(hasFallen({ ratio: 0.87, error: 0.03 }, { ratio: 1, error: 0.04 })).toBe(false);
    expect(hasFallen({ ratio: 0.8, error: 0.03 }, { ratio: 1, error: 0.04 })).toBe(true);
  });
});
