import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntryChunk, entryChunk } from '#dist/core/entries.js';
import type { MatrixMarketHeader } from '#dist/io/matrix-market/header.js';
import { lineScanner } from '#dist/io/matrix-market/scanner.js';
import { bytesOf } from '../support.js';

const scanner = (await lineScanner())!;

/** The value, and the number of characters read; −1 if there is no number, or an undecided one. */
function scan(text: string): [number, number] {
  return scanner.scanNumber(bytesOf(`${text}\n`), 0);
}

const sameAsNumber = (text: string) => {
  expect(scan(text)).toEqual([Number(text), text.length]);
};
/** For texts of more than 19 digits, which may be left to `Number()`, but must not be wrong. */
const sameOrUndecided = (text: string) => {
  const [value, next] = scan(text);
  if (next !== -1) expect([value, next]).toEqual([Number(text), text.length]);
};

const digits = (least: number, most: number) => fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`));
const sign = fc.constantFrom('', '-', '+');
const exponent = fc.option(fc.tuple(fc.constantFrom('e', 'E'), sign, digits(1, 3)), { nil: [] });
/** Any double by its bits: subnormals and the limits of exponents as likely as others. */
const double = fc
  .tuple(fc.bigInt({ min: 0n, max: 2n ** 52n - 1n }), fc.integer({ min: 0, max: 2046 }), fc.boolean())
  .map(([fraction, exponent, negative]) => {
    const bits = (BigInt(negative) << 63n) | (BigInt(exponent) << 52n) | fraction;
    return new Float64Array(BigUint64Array.of(bits).buffer)[0]!;
  });
const runs = { numRuns: 20_000 };

describe('the number of a line has the bits of Number()', () => {
  it('for doubles as programs print them', () => {
    fc.assert(
      fc.property(double, fc.integer({ min: 0, max: 18 }), (value, precision) => {
        sameAsNumber(Object.is(value, -0) ? '-0' : String(value));
        sameAsNumber(value.toExponential(16));
        sameAsNumber(value.toExponential(precision));
      }),
      runs,
    );
  });

  it('for any decimal text of up to 19 digits, and any exponent', () => {
    const short = fc.tuple(sign, digits(1, 9), fc.constantFrom('', '.'), digits(0, 10), exponent);
    fc.assert(
      fc.property(short, ([s, whole, point, fraction, power]) =>
        sameAsNumber(s + whole + point + fraction + power.join('')),
      ),
      runs,
    );
  });

  it('for long ones, if it is decided, as it nearly always is', () => {
    let decided = 0;
    let all = 0;
    const long = fc.tuple(sign, digits(1, 25), fc.constantFrom('', '.'), digits(1, 25), exponent);
    fc.assert(
      fc.property(long, ([s, whole, point, fraction, power]) => {
        const text = s + whole + point + fraction + power.join('');
        sameOrUndecided(text);
        all++;
        if (scan(text)[1] !== -1) decided++;
      }),
      runs,
    );
    expect(decided / all).toBeGreaterThan(0.95);
  });

  it('for ties between two doubles, and next to them, normal and subnormal', () => {
    const odd = fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }).map((m) => 2n * m + 1n);
    fc.assert(
      fc.property(odd, fc.integer({ min: -342, max: 308 }), fc.constantFrom(-1n, 0n, 1n), (tie, q, aside) => {
        sameAsNumber(`${tie * 100n + aside}e-2`);
        // The 19 digits nearest to the tie (2m + 1) · 2ᵉ, for the e that gives it this power of ten.
        let above = tie * (q < 0 ? 10n ** BigInt(-q) : 1n);
        let below = q > 0 ? 10n ** BigInt(q) : 1n;
        while (above / below < 10n ** 18n) above *= 2n;
        while (above / below >= 10n ** 19n) below *= 2n;
        sameAsNumber(`${(2n * above + below) / (2n * below) + aside}e${q}`);
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 20 }), (m) => {
        // An odd multiple of 2⁻¹⁰⁷⁵ has up to 750 digits; its first 19 and 25 are just below the tie.
        const exact = (BigInt(2 * m + 1) * 5n ** 1075n).toString();
        const power = -1075;
        for (const count of [17, 19]) {
          const text = `${exact.slice(0, count)}e${power + exact.length - count}`;
          sameAsNumber(text);
        }
        sameOrUndecided(`${exact.slice(0, 25)}e${power + exact.length - 25}`);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '0',
    '-0',
    '+0',
    '-0.0e5',
    '5.',
    '.5',
    '-.5',
    '0.0000000000000000000000000000000000000000000001',
    '9007199254740993',
    '9007199254740993.0',
    '9223372036854775807',
    '9999999999999999999',
    '1e22',
    '1e23',
    '1.7976931348623157e308',
    '1.7976931348623158e308',
    '1.7976931348623159e308',
    '1e400',
    '5e-324',
    '3e-324',
    '2e-324',
    '2.4703282292062327e-324',
    '2.4703282292062328e-324',
    '2.2250738585072011e-308',
    '2.2250738585072012e-308',
    '2.2250738585072014e-308',
    '1e-9999999',
    '0e999',
    '00001.5',
    '1e+05',
    '0.000000000000000000000000000000000000000000000000000000000000012345678901234567',
  ])('for %s', sameAsNumber);

  it.each([
    ['1d3', 1000],
    ['-2.5D-1', -0.25],
  ] as const)('with the exponent of Fortran in %s', (text, value) => expect(scan(text)).toEqual([value, text.length]));

  it.each(['', ' 1', '.', '-', '+', 'e5', '.e5', '1e', '1e+', '1ex', 'inf', 'nan', '--1', 'x'])(
    'and there is no number in %j',
    (text) => expect(scan(text)[1]).toBe(-1),
  );
});

describe('lines', () => {
  const header: MatrixMarketHeader = {
    ...{ file: 'a.mtx', format: 'coordinate', field: 'real', symmetry: 'general' },
    ...{ rows: 4_000_000_000, cols: 123_456_789, entries: 10 },
  };
  const read = (text: string, given: Partial<MatrixMarketHeader> = {}, most = 10) => {
    const head = { ...header, ...given };
    const chunk: EntryChunk = entryChunk(head.field, 10);
    const { next, triangles } = scanner.read(head, bytesOf(text), 0, chunk, most);
    const { rowIdx, colIdx, values, used } = chunk;
    const entries = Array.from({ length: used }, (_, k) => [rowIdx[k]! + 1, colIdx[k]! + 1, values?.[k] ?? 1]);
    return { entries, rest: text.slice(next), triangles };
  };

  it('are read with blanks anywhere, and ends of Windows', () => {
    expect(read('1 2 3\n\t 4\t5   -6e0 \r\n4000000000 123456789 .5\n')).toEqual({
      entries: [
        [1, 2, 3],
        [4, 5, -6],
        [4_000_000_000, 123_456_789, 0.5],
      ],
      rest: '',
      triangles: 3,
    });
    expect(read('000000000000007 01\n', { field: 'pattern' }).entries).toEqual([[7, 1, 1]]);
  });

  it.each([
    '0 1 1',
    '4000000001 1 1',
    '18446744073709551617 1 1',
    '1 123456790 1',
    '1 1',
    '1 1 ',
    '1 1 1 1',
    '1 1 1x',
    '1 1 inf',
    '-1 1 1',
    '1.0 1 1',
    '% comment',
    '',
    '1,1,1',
  ])('are left where one is %j', (line) => {
    expect(read(`1 1 1\n${line}\n2 2 2\n`)).toEqual({ entries: [[1, 1, 1]], rest: `${line}\n2 2 2\n`, triangles: 0 });
  });

  it('of integers have no fractions; of skew-symmetric matrices, no diagonal', () => {
    expect(read('1 1 2e1\n1 1 2.5\n', { field: 'integer' }).rest).toBe('1 1 2.5\n');
    expect(read('1 1 1e999\n', { field: 'integer' }).rest).toBe('1 1 1e999\n');
    expect(read('2 1 1\n2 2 0\n2 2 1\n', { symmetry: 'skew-symmetric' }).rest).toBe('2 2 1\n');
  });

  it('are read as many as there is room for', () => {
    expect(read('1 1 1\n1 2 1\n1 3 1\n', {}, 2).rest).toBe('1 3 1\n');
    expect(read('1 1 1\n'.repeat(12)).rest).toBe('1 1 1\n'.repeat(2));
  });

  it('of any number, between any lines, have the bits of Number()', () => {
    const text = fc.oneof(
      double.map(String),
      double.map((value) => value.toExponential(16)),
      fc.double({ min: -1, max: 1, noNaN: true }).map(String),
      fc
        .tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: 1, max: 18 }))
        .map(([x, p]) => x.toPrecision(p)),
      fc
        .tuple(sign, digits(0, 2), fc.constantFrom('.', ''), digits(1, 20), exponent)
        .map(([s, whole, point, rest, power]) => s + whole + point + rest + power.join('')),
      fc.tuple(sign, digits(1, 20)).map((parts) => parts.join('')),
    );
    const index = (max: number) => fc.oneof(fc.integer({ min: 1, max }), fc.integer({ min: 1, max: 99 }));
    const separator = fc.oneof({ arbitrary: fc.constant(' '), weight: 20 }, fc.constantFrom('\t', '  ', ' \t '));
    const end = fc.oneof({ arbitrary: fc.constant('\n'), weight: 20 }, fc.constantFrom('\r\n', ' \n'));
    const line = fc.tuple(index(header.rows), separator, index(header.cols), separator, text, end);
    const many = { ...header, entries: 1000 };
    fc.assert(
      fc.property(fc.array(line, { maxLength: 600, size: 'max' }), (lines) => {
        const bytes = bytesOf(lines.map((parts) => parts.join('')).join(''));
        const chunk: EntryChunk = entryChunk('real', 1000);
        // A number of more than 19 digits may be left: the body reads that line as text.
        let next = 0;
        let k = 0;
        for (; next < bytes.length; k++) {
          const before = chunk.used;
          ({ next } = scanner.read(many, bytes, next, chunk, 1000));
          for (let e = before; e < chunk.used; e++, k++) {
            const [row, , col, , number] = lines[k]!;
            if (
              chunk.rowIdx[e] !== row - 1 ||
              chunk.colIdx[e] !== col - 1 ||
              !Object.is(chunk.values![e], Number(number))
            )
              throw new Error(
                `${row} ${col} ${number}: got ${chunk.rowIdx[e]! + 1} ${chunk.colIdx[e]! + 1} ${chunk.values![e]}`,
              );
          }
          if (next === bytes.length) break;
          expect(lines[k]![4].replace(/[-+.]|e.*/gi, '').length).toBeGreaterThan(19);
          next = bytes.indexOf(0x0a, next) + 1;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('with one wrong byte anywhere are as one without the reader of usual lines has them', () => {
    const lines = [
      '12 345 -6.78901234567890123e-1',
      '99999999 1 0.5',
      '7 12345678 1.5e+05',
      '1 2 123456',
      '3 4 -0',
      '5 6 .5',
    ];
    const bytes = fc.constantFrom(...[...' \t\r\n\f.eE+-%x:/0Aa', '\0', '\x7f', '\u00e9']);
    // Twice the same: a blank before each line makes it unusual.
    const values = (given: string) => read(given, { rows: 1e8, cols: 1e8 }, 10);
    fc.assert(
      fc.property(fc.nat(lines.length - 1), fc.nat(40), bytes, fc.boolean(), (k, at, byte, inserts) => {
        const line = lines[k]!;
        const place = at % line.length;
        const wrong = line.slice(0, place) + byte + line.slice(inserts ? place : place + 1);
        const usual = values(`1 1 1\n${wrong}\n2 2 2\n`);
        const slow = values(` 1 1 1\n ${wrong.replaceAll('\n', '\n ')}\n 2 2 2\n`);
        expect(usual.entries).toEqual(slow.entries);
        expect(usual.triangles).toBe(slow.triangles);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    ['9007199254740993', 9007199254740992],
    ['-0', -0],
    ['+999999999999999999', 1e18],
    ['9223372036854775808', 2 ** 63],
  ])('of integers are rounded: %s', (text, value) => {
    expect(read(`1 1 ${text}\n`, { field: 'integer' }).entries).toEqual([[1, 1, value]]);
  });

  it('may be longer than what is searched at once, and many', () => {
    const long = `1 1 ${'0'.repeat(9000)}\n`;
    expect(read(`1 2 3\n1 3 4${' '.repeat(9000)}\n2 2 5\n`).entries).toEqual([
      [1, 2, 3],
      [1, 3, 4],
      [2, 2, 5],
    ]);
    expect(read(long).entries).toEqual([[1, 1, 0]]);
    const chunk: EntryChunk = entryChunk('pattern', 100_000);
    const text = Array.from({ length: 100_000 }, (_, k) => `${k + 1} ${(k % 9) + 1}\n`).join('');
    const { next } = scanner.read({ ...header, field: 'pattern' }, bytesOf(text), 0, chunk, 100_000);
    expect([next, chunk.used]).toEqual([text.length, 100_000]);
    expect(chunk.rowIdx.every((row, k) => row === k && chunk.colIdx[k] === k % 9)).toBe(true);
  });
});
