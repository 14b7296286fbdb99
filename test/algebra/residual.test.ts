/** Residuals, with the bits of f64 and with twice as many. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accurateResidualOf, residualOf } from '#dist/algebra/residual.js';
import { csrMatrix } from '#dist/index.node.js';
import { fewOrAll } from '../soak.js';

function row(values: readonly number[]) {
  const matrix = { rows: 1, cols: values.length, rowPtr: [0, values.length], colIdx: values.map((_, j) => j) };
  return csrMatrix({ ...matrix, values: Float64Array.from(values) });
}

test('what cancels leaves no rounding error', () => {
  const A = row([1e16, 1, -1e16]);
  const [x, b] = [Float64Array.of(1, 1, 1), Float64Array.of(0)];
  expect([...residualOf(A, x, b)]).not.toEqual([-1]);
  expect([...accurateResidualOf(A, x, b)]).toEqual([-1]);
});

test('integers whose products have up to 104 bits: within the bound of Ogita, Rump & Oishi', () => {
  const integer = fc.integer({ min: -(2 ** 26), max: 2 ** 26 });
  const wide = fc.tuple(integer, integer).map(([high, low]) => high * 2 ** 26 + low);
  const terms = fc.array(fc.tuple(wide, wide), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(terms, wide, (pairs, b) => {
      // The last term cancels most of the sum.
      const sum = pairs.reduce((total, [a, z]) => total + BigInt(a) * BigInt(z), 0n);
      const values = [...pairs.map(([a]) => a), -Number(sum)];
      const x = Float64Array.from([...pairs.map(([, z]) => z), 1]);
      const exact = BigInt(b) - (sum - BigInt(Number(sum)));
      const absolute = values.reduce((total, a, j) => total + Math.abs(a * x[j]!), Math.abs(b));
      const [r] = accurateResidualOf(row(values), x, Float64Array.of(b));
      // Proposition 5.5, with n products and b; `exact` is rounded too.
      const bound = 2 ** -52 * Math.abs(Number(exact)) + (2 * values.length) ** 2 * 2 ** -106 * absolute;
      expect(Math.abs(r! - Number(exact))).toBeLessThanOrEqual(bound);
    }),
    { numRuns: fewOrAll(200, 5000) },
  );
});

test('products that overflow are not finite, as those of f64 are', () => {
  const A = row([1e200, 1]);
  const b = Float64Array.of(1);
  expect([...accurateResidualOf(A, Float64Array.of(1e200, 1), b)]).toEqual([Number.NEGATIVE_INFINITY]);
  // The halves of a large number overflow, the product does not.
  expect([...accurateResidualOf(row([1e305, 1]), Float64Array.of(1e-305, 2), b)]).toEqual([
    ...residualOf(row([1e305, 1]), Float64Array.of(1e-305, 2), b),
  ]);
});
