import { expect, test } from 'vitest';
import { conjugateOf, magnitude, over, times } from '#dist/complex/arithmetic.js';

test('quotients, of every size', () => {
  const a = { re: 3, im: -4 };
  for (const b of [
    { re: 1, im: 2 },
    { re: -5, im: 0.5 },
    { re: 0, im: 3 },
    { re: 2, im: 0 },
  ]) {
    const back = times(over(a, b), b);
    expect(back.re).toBeCloseTo(a.re, 14);
    expect(back.im).toBeCloseTo(a.im, 14);
  }
  // |b|² overflows, or vanishes.
  for (const size of [1e200, 1e-200]) {
    const { re, im } = over({ re: size, im: size }, { re: size, im: -size });
    expect([re, im]).toEqual([0, 1]);
  }
  expect(Number.isFinite(magnitude(over(a, { re: 0, im: 0 })))).toBe(false);
  expect(conjugateOf(a)).toEqual({ re: 3, im: 4 });
});
