import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_PARTS } from '#dist/execution/carries.js';
import { partition, partsFor, partsOfProduct, threadsFor } from '#dist/execution/partition.js';

/** Units of given work. */
function divisible(work: readonly number[]) {
  const before = [0];
  for (const amount of work) before.push(before.at(-1)! + amount);
  return { units: work.length, workBefore: (unit: number) => before[unit]! };
}

describe('partition', () => {
  test('cuts equal work into equal parts', () => {
    expect([...partition(divisible(new Array(12).fill(5)), 4)]).toEqual([0, 3, 6, 9, 12]);
  });

  test('one heavy unit is a separate part', () => {
    expect([...partition(divisible([1, 1, 100, 1, 1]), 3)]).toEqual([0, 2, 3, 5]);
  });

  test('covers all units in order, and no part is heavier than a share and one unit', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (work, parts) => {
        const units = divisible(work);
        const bounds = partition(units, parts);
        expect(bounds.length).toBe(parts + 1);
        expect(bounds[0]).toBe(0);
        expect(bounds[parts]).toBe(work.length);
        const share = units.workBefore(work.length) / parts;
        const heaviest = Math.max(0, ...work);
        for (let part = 0; part < parts; part++) {
          expect(bounds[part + 1]).toBeGreaterThanOrEqual(bounds[part]!);
          expect(units.workBefore(bounds[part + 1]!) - units.workBefore(bounds[part]!)).toBeLessThanOrEqual(
            share + heaviest,
          );
        }
      }),
    );
  });

  test('parts are a multiple of the threads and bounded in work and number', () => {
    expect(partsFor(1000, 2)).toBe(2);
    expect(partsFor(2 ** 40, 1)).toBe(1);
    expect(partsFor(2 ** 20 * 4, 2)).toBe(4);
    expect(partsFor(2 ** 20 * 4 + 1, 2)).toBe(6);
    expect(partsFor(2 ** 40, 3)).toBe(MAX_PARTS - (MAX_PARTS % 3));
  });

  test('oversubscription is parts per thread at least, where there are several', () => {
    expect(partsFor(1000, 1, 8)).toBe(1);
    expect(partsFor(1000, 2, 8)).toBe(16);
    expect(partsFor(2 ** 20 * 16, 2, 8)).toBe(16);
    expect(partsFor(2 ** 20 * 16 + 1, 2, 8)).toBe(18);
    expect(partsFor(5_000_000, 100, 64)).toBe(1000);
  });

  test('a thread more for each 3000 of work, and two at least', () => {
    expect([1000, 6_000, 8_999, 9_000, 1e9].map((work) => threadsFor(work, 64))).toEqual([2, 2, 2, 3, 64]);
    expect(threadsFor(1e9, 1)).toBe(1);
    expect(partsFor(1000, 64)).toBe(2);
    expect(partsFor(1000, 64, 8)).toBe(16);
  });

  test('a small product has one part', () => {
    const partsWith = (threads: number) =>
      [13_999, 25_000, 99_999, 100_000].map((work) => partsOfProduct(work, threads));
    expect(partsWith(2)).toEqual([1, 2, 2, 2]);
    expect(partsWith(3)).toEqual([1, 6, 9, 9]);
    expect(partsWith(4)).toEqual([1, 4, 16, 16]);
    expect(partsWith(16)).toEqual([1, 8, 16, 16]);
  });

  test('more threads get more parts each, of 4096 work at least', () => {
    expect([2, 4, 8, 16, 32, 64].map((threads) => partsFor(20_000_000, threads) / threads)).toEqual([
      10, 5, 8, 16, 16, 16,
    ]);
    expect([2, 4, 8, 16, 32].map((threads) => partsFor(2_000_000, threads) / threads)).toEqual([1, 4, 8, 16, 15]);
    expect(partsFor(100_000, 64)).toBe(33);
    expect(partsFor(1e9, 256)).toBe(MAX_PARTS);
  });
});
