import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distinct } from '#dist/core/distinct.js';
import { fewOrAll } from '../soak.js';

const reference = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);

test.each([
  ['none', []],
  ['one', [7]],
  ['the least and the greatest', [2 ** 32 - 1, 0]],
  ['one number several times', [5, 5, 5]],
  ['bits of one word', [31, 0, 31, 1]],
  ['both sides of a word', [1032, 1031, 1000, 1063, 1064]],
])('%s', (_, numbers) => {
  expect([...distinct(Uint32Array.from(numbers))]).toEqual(reference(numbers));
});

test('numbers near each other, and far from each other', () => {
  const lists = fc.oneof(
    fc.array(fc.integer({ min: 1000, max: 1100 }), { maxLength: 200 }),
    fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 50 }),
  );
  fc.assert(
    fc.property(lists, (numbers) => {
      expect([...distinct(Uint32Array.from(numbers))]).toEqual(reference(numbers));
    }),
    { numRuns: fewOrAll(100, 2000) },
  );
});
