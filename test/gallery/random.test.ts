import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matrixStatistics } from '#dist/features/statistics.js';
import { randomStream, stratified } from '#dist/gallery/draw.js';
import { gallery } from '#dist/gallery/registry.js';
import { entriesOf } from './arbitrary.js';

test('stratified draws different integers, ascending, in range, as many as asked for', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(200), fc.double({ min: 0, max: 1, noNaN: true }), (begin, length, share) => {
      const count = Math.round(share * length);
      const target = new Uint32Array(count + 2).fill(77);
      stratified(randomStream(begin, 'structure'), count, begin, begin + length, target, 1);
      const drawn = [...target.slice(1, count + 1)];
      expect(drawn.every((value) => value >= begin && value < begin + length)).toBe(true);
      expect(drawn).toEqual([...new Set(drawn)].sort((a, b) => a - b));
      expect([target[0], target[count + 1]]).toEqual([77, 77]);
    }),
  );
});

test('stratified reaches both ends of the range and all between', () => {
  const random = randomStream(1, 'structure');
  const hits = new Uint32Array(10);
  const target = new Uint32Array(3);
  for (let round = 0; round < 3000; round++) {
    stratified(random, 3, 0, 10, target, 0);
    for (const value of target) hits[value]!++;
  }
  // Strata of 3, 3 and 4: shares 1/3, 1/3 and 1/4.
  expect(Math.min(...hits)).toBeGreaterThan(0.9 * 750);
  expect(Math.max(...hits)).toBeLessThan(1.1 * 1000);
});

describe('banded', () => {
  test.each([
    [1, 0, 1],
    [20, 0, 5],
    [20, 3, 5],
    [20, 3, 7],
    [20, 100, 30],
    [500, 40, 6],
  ])('%i rows, half bandwidth %i, %i a row', (rows, halfBandwidth, perRow) => {
    const matrix = gallery('banded', { rows, halfBandwidth, perRow });
    const statistics = matrixStatistics(matrix);
    expect(statistics.bandwidth).toBeLessThanOrEqual(halfBandwidth);
    expect(statistics.diagonalEntries).toBe(rows);
    for (let i = 0; i < rows; i++) {
      const window = Math.min(rows - 1, i + halfBandwidth) - Math.max(0, i - halfBandwidth) + 1;
      expect(matrix.rowPtr[i + 1]! - matrix.rowPtr[i]!).toBe(Math.min(perRow, window));
    }
  });

  test('the band is filled evenly, next to the diagonal too', () => {
    const matrix = gallery('banded', { rows: 20_000, halfBandwidth: 10, perRow: 5 });
    const perDiagonal = new Uint32Array(21);
    for (const [i, j] of entriesOf(matrix)) perDiagonal[j - i + 10]!++;
    perDiagonal.forEach((count, diagonal) => {
      if (diagonal === 10) expect(count).toBe(20_000);
      else expect(Math.abs(count - 4000)).toBeLessThan(300);
    });
  });

  test('a full band is marked symmetric', () => {
    expect(gallery('banded', { rows: 9, halfBandwidth: 1, perRow: 3, values: 'ones' }).symmetry).toBe('symmetric');
    expect(gallery('banded', { rows: 9, halfBandwidth: 3, perRow: 3, values: 'ones' }).symmetry).toBe('general');
  });
});

describe('rowlengths', () => {
  const lengthsOf = (params: Record<string, number | string>) =>
    matrixStatistics(gallery('rowlengths', { rows: 40_000, cols: 3000, mean: 8, ...params })).rowLengths;

  test('constant: all the same; a fraction is rounded up as often as it says', () => {
    expect(lengthsOf({ distribution: 'constant' })).toEqual({ min: 8, max: 8, mean: 8, variance: 0, empty: 0 });
    const { min, max, mean } = lengthsOf({ distribution: 'constant', mean: 2.25 });
    expect([min, max]).toEqual([2, 3]);
    expect(mean).toBeCloseTo(2.25, 1);
  });

  test('uniform: from 0 to twice the mean', () => {
    const { min, max, mean, variance } = lengthsOf({ distribution: 'uniform' });
    expect([min, max]).toEqual([0, 16]);
    expect(mean).toBeCloseTo(8, 0);
    expect(Math.abs(variance - 256 / 12)).toBeLessThan(1);
  });

  test('geometric: variance mean + mean²', () => {
    const { min, mean, variance } = lengthsOf({ distribution: 'geometric' });
    expect(min).toBe(0);
    expect(Math.abs(mean - 8)).toBeLessThan(0.2);
    expect(Math.abs(variance - 72)).toBeLessThan(4);
  });

  test('lognormal: mean as asked for, variance mean² (e^σ² − 1)', () => {
    const { mean, variance } = lengthsOf({ distribution: 'lognormal', sigma: 0.5 });
    expect(Math.abs(mean - 8)).toBeLessThan(0.2);
    expect(Math.abs(variance - 64 * (Math.E ** 0.25 - 1))).toBeLessThan(2);
  });

  test('powerlaw: mean as asked for, and a tail that falls by 2^(exponent − 1) when the length doubles', () => {
    const { rowPtr, rows, nnz } = gallery('rowlengths', {
      ...{ rows: 40_000, cols: 100_000, mean: 8, distribution: 'powerlaw', exponent: 3 },
    });
    expect(Math.abs(nnz / rows - 8)).toBeLessThan(0.5);
    const longerThan = (limit: number) =>
      Array.from(rowPtr.subarray(1), (end, i) => end - rowPtr[i]!).filter((length) => length > limit).length;
    const ratio = longerThan(16) / longerThan(32);
    expect(ratio).toBeGreaterThan(3.5);
    expect(ratio).toBeLessThan(4.5);
  });

  test.each(['constant', 'uniform', 'geometric', 'powerlaw', 'lognormal'])('%s: cut at max and at cols', (name) => {
    expect(lengthsOf({ distribution: name, max: 6 }).max).toBe(6);
    expect(lengthsOf({ distribution: name, cols: 5 }).max).toBe(5);
    expect(lengthsOf({ distribution: name, mean: 0 }).max).toBe(0);
  });
});

describe('circuit', () => {
  const params = { n: 20_000, perRow: 5, hubs: 3, hubLength: 8000, values: 'ones' };

  test('short rows, a full diagonal, and full rows and columns', () => {
    const matrix = gallery('circuit', params);
    const statistics = matrixStatistics(matrix);
    expect(statistics.symmetry).toBe('symmetric');
    expect(statistics.diagonalEntries).toBe(20_000);
    const lengths = Array.from(matrix.rowPtr.subarray(1), (end, i) => end - matrix.rowPtr[i]!).sort((a, b) => b - a);
    expect(lengths[2]).toBeGreaterThanOrEqual(8000);
    expect(lengths[0]).toBeLessThan(8100);
    expect(lengths[3]).toBeLessThan(40);
    expect(matrix.nnz / (5 * 20_000 + 2 * 3 * 8000)).toBeGreaterThan(0.97);
    expect(matrix.nnz).toBeLessThanOrEqual(5 * 20_000 + 2 * 3 * 8000);
  });

  test('half of the wires are shorter than the square root of the longest', () => {
    const wires = entriesOf(gallery('circuit', { ...params, hubs: 0 })).filter(([i, j]) => j > i);
    const short = wires.filter(([i, j]) => j - i < 100).length;
    expect(short / wires.length).toBeGreaterThan(0.45);
    expect(short / wires.length).toBeLessThan(0.55);
  });

  test('perRow 1 without hubs is the diagonal', () => {
    expect(entriesOf(gallery('circuit', { ...params, n: 3, perRow: 1, hubs: 0, hubLength: 0 }))).toEqual([
      [0, 0, 1],
      [1, 1, 1],
      [2, 2, 1],
    ]);
  });

  test('hubs longer than the matrix, or more than its rows, are refused', () => {
    expect(() => gallery('circuit', { n: 100 })).toThrow(/circuit hubLength: expected at most n = 100, got 500000/);
    expect(() => gallery('circuit', { n: 100, hubLength: 10, hubs: 101 })).toThrow(/circuit hubs: .* got 101/);
  });
});
