/** The figures of a machine that was not tuned, and of one that was. */
import { expect, test } from 'vitest';
import { machineCosts } from '#dist/choice/machine.js';

test('an entry takes longer with more threads than two, which may share cores', () => {
  const own = machineCosts(1).entryNs;
  expect(machineCosts(2).entryNs).toBe(own);
  expect(machineCosts(3).entryNs).toBeGreaterThan(1.3 * own);
  expect(machineCosts(16).entryNs).toBe(machineCosts(3).entryNs);
});

test('a tuning knows how long, for any number of threads', () => {
  const { kernels: _, ...figures } = machineCosts(16);
  for (const threads of [1, 16]) expect(machineCosts(threads, { ...figures, entryNs: 0.7 }).entryNs).toBe(0.7);
});
