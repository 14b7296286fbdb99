import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNumber, scanNumber } from '#dist/io/matrix-market/number.js';
import { bytesOf } from '../support.js';

/** The value, and the number of characters read; NaN and −1 without a number. */
function scan(text: string): [number, number] {
  const cursor = { at: 0 };
  const value = scanNumber(bytesOf(`${text}\n`), cursor);
  return [value, cursor.at];
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const exponent = fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(3)), { nil: [] });
const decimal = fc
  .tuple(fc.constantFrom('', '-', '+'), digits(25), fc.constantFrom('', '.'), digits(25), exponent)
  .map(([sign, whole, point, fraction, power]) => sign + whole + (point && point + fraction) + power.join(''));

describe('scanNumber gives the bits of Number()', () => {
  const sameAsNumber = (text: string) => {
    expect(scan(text)).toEqual([Number(text), text.length]);
  };

  it('for any decimal text', () => {
    fc.assert(fc.property(decimal, sameAsNumber), { numRuns: 3000 });
  });

  it('for doubles as programs print them', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, fc.integer({ min: 1, max: 25 }), (value, precision) => {
        sameAsNumber(Object.is(value, -0) ? '-0' : String(value));
        sameAsNumber(value.toExponential(16));
        sameAsNumber(value.toPrecision(precision));
      }),
      { numRuns: 3000 },
    );
  });

  it('for ties between two doubles, and next to them', () => {
    // 2m + 1 with 54 bits lies between two doubles; × 5ᵏ · 10⁻ᵏ is the same divided by 2ᵏ.
    const odd = fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }).map((m) => 2n * m + 1n);
    fc.assert(
      fc.property(odd, fc.integer({ min: 0, max: 20 }), fc.constantFrom(-1n, 0n, 1n), (tie, k, aside) => {
        sameAsNumber(`${tie * 5n ** BigInt(k)}e-${k}`);
        sameAsNumber(`${tie * 2n ** BigInt(k)}`);
        sameAsNumber(`${tie * 1000n + aside}e-3`);
      }),
      { numRuns: 3000 },
    );
  });

  it('for numbers of 30 digits as near to a tie as any can be', () => {
    const least = 10n ** 29n;
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }), fc.integer({ min: -44, max: 44 }), (m, scale) => {
        // (2m + 1) · 2ᵉ · 10^−scale, rounded to an integer, with the e that gives it 30 digits
        let above = (2n * m + 1n) * (scale < 0 ? 10n ** BigInt(-scale) : 1n);
        let below = scale > 0 ? 10n ** BigInt(scale) : 1n;
        while (above / below < least) above *= 2n;
        while (above / below >= least * 10n) below *= 2n;
        const nearest = (2n * above + below) / (2n * below);
        for (const mantissa of [nearest - 1n, nearest, nearest + 1n]) sameAsNumber(`${mantissa}e${scale}`);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    '0',
    '-0',
    '+0',
    '5.',
    '.5',
    '-.5',
    '0.0000000000000000000000000000000000000000000001',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9007199254740993.0',
    '123456789012345678901234567890',
    '1234567890123456789012345678901234567890',
    '1e22',
    '1e23',
    '1e-22',
    '1e-23',
    '9007199254740991e22',
    '9007199254740993e44',
    '9007199254740993e45',
    '9007199254740993e-44',
    '9007199254740993e-45',
    '1.7976931348623157e308',
    '1.7976931348623159e308',
    '1e400',
    '5e-324',
    '2e-324',
    '2.4703282292062327e-324',
    '2.2250738585072011e-308',
    '1e99999999999999999999',
    '1e-99999999999999999999',
    '0e999',
    '00001.5',
    '1e+05',
  ])('for %s', sameAsNumber);
});

describe('scanNumber', () => {
  it.each([
    ['1d3', 1000],
    ['-2.5D-1', -0.25],
    ['1.2345678901234567d+2', 123.45678901234567],
    ['1d300', 1e300],
  ] as const)('reads the exponent of Fortran in %s', (text, value) => expect(scan(text)).toEqual([value, text.length]));

  it.each([
    ['1.5 7', 1.5, 3],
    ['12\r', 12, 2],
    ['3-4', 3, 1],
    ['1.2.3', 1.2, 3],
  ] as const)('stops behind the number in %j', (text, value, at) => expect(scan(text)).toEqual([value, at]));

  it.each(['', ' 1', '.', '-', '+', 'e5', '.e5', '1e', '1e+', '1ex', 'inf', 'nan', '--1', 'x'])(
    'finds no number in %j',
    (text) => expect(scan(text)[1]).toBe(-1),
  );
});

describe('parseNumber', () => {
  it.each([
    ['inf', Number.POSITIVE_INFINITY],
    ['-Inf', Number.NEGATIVE_INFINITY],
    ['+INFINITY', Number.POSITIVE_INFINITY],
    ['nan', Number.NaN],
    ['-NaN', Number.NaN],
    ['-1.5e3', -1500],
  ] as const)('%s is %d', (token, value) => expect(parseNumber(token)).toBe(value));

  it.each(['', '1x', '0x10', '1_000', 'infinit', '1+10', '1 2', '∞', '１', 'pi'])('%j is not a number', (token) =>
    expect(parseNumber(token)).toBeUndefined(),
  );
});
