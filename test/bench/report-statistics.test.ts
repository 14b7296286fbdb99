/** The report's statistics, on numbers that can be checked by hand. */
import { describe, expect, test } from 'vitest';
import {
  distribution,
  geometricMean,
  overheads,
  payback,
  profileSteps,
  shareWithin,
  winnersAndLosers,
} from '../../bench/report/statistics.mjs';

/** Three contenders on four matrices; c refuses two of them. */
const times = [
  new Map([
    ['a', 1],
    ['b', 2],
    ['c', 4],
  ]),
  new Map([
    ['a', 3],
    ['b', 2],
  ]),
  new Map([
    ['a', 5],
    ['b', 10],
    ['c', 5.5],
  ]),
  new Map([['a', 7]]),
];

describe('geometric mean', () => {
  test('of twice as fast and half as fast is level', () => {
    expect(geometricMean([2, 0.5])).toBeCloseTo(1, 15);
    expect(geometricMean([1, 2, 4])).toBeCloseTo(2, 15);
  });

  test('without numbers is undefined', () => {
    expect(geometricMean([])).toBeUndefined();
  });
});

describe('distribution', () => {
  test('of 1 … 5, in any order', () => {
    expect(distribution([5, 1, 4, 2, 3])).toEqual({
      ...{ count: 5, min: 1, lower: 2, median: 3, upper: 4, max: 5, mean: 3 },
      deviation: Math.sqrt(10 / 4),
    });
  });

  test('quantiles between two numbers are interpolated', () => {
    expect(distribution([10, 20])).toMatchObject({ lower: 12.5, median: 15, upper: 17.5 });
  });

  test('one number does not deviate; none have no distribution', () => {
    expect(distribution([7])).toMatchObject({ min: 7, median: 7, max: 7, deviation: 0 });
    expect(distribution([])).toBeUndefined();
  });
});

describe('winners and losers', () => {
  test('each matrix with at least two contenders has one winner and one loser', () => {
    expect(winnersAndLosers(times)).toEqual(
      new Map([
        ['a', { fastest: 2, slowest: 1, between: 0 }],
        ['b', { fastest: 1, slowest: 1, between: 1 }],
        ['c', { fastest: 0, slowest: 1, between: 1 }],
      ]),
    );
  });
});

describe('overhead profile', () => {
  test('over the best of each matrix, ascending; infinite if a contender was not measured', () => {
    expect(overheads(times)).toEqual(
      new Map([
        ['a', [1, 1, 1, 1.5]],
        ['b', [1, 2, 2, Infinity]],
        ['c', [1.1, 4, Infinity, Infinity]],
      ]),
    );
  });

  test('the share within a factor counts all matrices, measured or not', () => {
    expect(shareWithin([1, 2, 2, Infinity], 1)).toBe(0.25);
    expect(shareWithin([1, 2, 2, Infinity], 2)).toBe(0.75);
    expect(shareWithin([1, 2, 2, Infinity], 1000)).toBe(0.75);
  });

  test('rises at every overhead up to the limit, and ends there', () => {
    expect(profileSteps([1, 2, 2, Infinity], 3)).toEqual([
      { theta: 1, share: 0.25 },
      { theta: 2, share: 0.75 },
      { theta: 3, share: 0.75 },
    ]);
    expect(profileSteps([1.1, 4], 3).map(({ share }: { share: number }) => share)).toEqual([0, 0.5, 0.5]);
  });
});

describe('payback', () => {
  test('a conversion of 30 ms that saves 2 ms a product is paid back after 15', () => {
    expect(payback(30, 3, 5)).toBe(15);
  });

  test('a format that is not faster never pays', () => {
    expect(payback(1, 5, 5)).toBe(Infinity);
    expect(payback(1, 6, 5)).toBe(Infinity);
  });
});
