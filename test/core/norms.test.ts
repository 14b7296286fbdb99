/** Norms of numbers of any size. */
import { expect, test } from 'vitest';
import { largestModulus, norm2 } from '#dist/core/norms.js';

test.each([1, 1e-160, 1e160, 5e-324, 1e308])('of numbers of size %d', (size) => {
  expect(norm2(Float64Array.of(3 * size, -4 * size)) / size).toBeCloseTo(
    size === 1e308 ? Number.POSITIVE_INFINITY : 5,
    12,
  );
  expect(largestModulus(Float64Array.of(size, -size / 2))).toBe(size);
});

test('of nothing, and of what is not finite', () => {
  expect([norm2(new Float64Array(0)), norm2(new Float64Array(3)), largestModulus(new Float64Array(0))]).toEqual([
    0, 0, 0,
  ]);
  expect(norm2(Float64Array.of(1, Number.NaN))).toBeNaN();
  expect(norm2(Float64Array.of(1, Number.NEGATIVE_INFINITY))).toBe(Number.POSITIVE_INFINITY);
});
