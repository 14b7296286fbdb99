import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseFormat } from '#dist/io/harwell-boeing/fortran-format.js';
import { dense } from '#dist/io/kinds/dense.js';
import { read, readBlock, readVector } from '#dist/io/read.node.js';
import { DENSE, fixturePath, rowsOf } from '../kinds/support.js';
import { bytesOf, entriesOf, failure, pieces } from '../support.js';

/** 5 × 5 in the old form, with a right-hand side, and with numbers that touch each other. */
const GUIDE = `1Title                                                                  Key
             7             1             1             3             1
RUA                        5             5            11             0
(6I3)           (13I3)          (5E15.8)            (5E15.8)
F                          1             0
  1  4  5  7 10 12
  1  3  5  2  3  5  3  4  5  4  5
 1.00000000E+00 0.30000000E+01 0.50000000D+01 0.20000000E+01-0.40000000E+01
 0.60000000E+01-.330000000E+02 0.44000000E+02+0.4500000E+002 0.54000000E+02
 5.50000000E+01
 1.00000000E+00 2.00000000E+00 3.00000000E+00 4.00000000E+00 5.00000000E+00
`;
const LAST = '\n-1.00000000E+00-2.00000000E+00-3.00000000E+00-4.00000000E+00-5.00000000E+00\n';
const GUIDE_DENSE = [
  [1, 0, 0, 0, 0],
  [0, 2, 0, 0, 0],
  [3, 0, -4, -33, 0],
  [0, 0, 0, 44, 54],
  [5, 0, 6, 45, 55],
];

/** Of a type and a body: 3 × 3, with the lower triangle [1; 2 3; . . 4] by columns. */
function file(type: string, valueFormat: string, values: string, indices = '    1    2    2    3'): string {
  const lines = values === '' ? 0 : values.split('\n').length;
  return `title                                                                   key
${`${lines + 2}`.padStart(14)}             1             1${`${lines}`.padStart(14)}
${type}                        3             3             4             0
(4I5)           (4I5)           ${valueFormat}
    1    3    4    5
${indices}
${values}
`;
}
const lower = (value: (k: number) => number) => [
  [0, 0, value(0)],
  [1, 0, value(1)],
  [1, 1, value(2)],
  [2, 2, value(3)],
];

describe('a Harwell-Boeing file', () => {
  it('of the old form', async () => {
    const matrix = await read(bytesOf(GUIDE));
    expect([matrix.kind, matrix.field, matrix.symmetry]).toEqual(['harwell-boeing', 'real', 'general']);
    expect(rowsOf(dense('x', matrix))).toEqual(GUIDE_DENSE);
  });

  it('has right-hand sides', async () => {
    expect(await readVector(bytesOf(GUIDE))).toEqual(Float64Array.of(1, 2, 3, 4, 5));
    const two = GUIDE.replace('F                          1', 'F                          2').replace(/\n$/, LAST);
    expect(rowsOf(await readBlock(bytesOf(two)))).toEqual([1, 2, 3, 4, 5].map((value) => [value, -value]));
    const names = { name: 'x' };
    expect((await failure(readVector(bytesOf(two), names))).message).toBe(
      'x: expected a vector, one column, got 5 × 2',
    );
    expect((await failure(readVector(bytesOf(GUIDE.replace('\nF  ', '\nM  ')), names))).message).toContain(
      'x:5: expected full right-hand sides (F), and how many, got',
    );
    expect((await failure(readVector(bytesOf(two.slice(0, -20)), names))).code).toBe('parse');
    expect(
      (
        await failure(
          readBlock(bytesOf(GUIDE.replace('F                          1', 'F                          3')), names),
        )
      ).message,
    ).toBe('x:11: expected 15 numbers of right-hand sides, got the end of the file after 5');
  });

  it('of SciPy', async () => {
    expect(rowsOf(dense('x', await read(fixturePath('real.rua'))))).toEqual(DENSE);
  });

  it('with lines that end as on Windows, cut anywhere', async () => {
    const bytes = bytesOf(GUIDE.replaceAll('\n', '\r\n'));
    for (let at = 0; at < bytes.length; at += 17)
      expect(rowsOf(dense('x', await read(pieces(bytes, [at]))))).toEqual(GUIDE_DENSE);
  });

  it('whose title says nothing, by its name', async () => {
    const { nnz } = await read(bytesOf(GUIDE), { name: 'a.rua' });
    expect(nnz).toBe(11);
  });
});

const VALUES = '  1.0  2.0  3.0  4.0';

describe('the types', () => {
  it.each<[string, string, string, string, string]>([
    ['rua', '(4F5.1)', VALUES, 'real', 'general'],
    ['RRA', '(4F5.1)', VALUES, 'real', 'general'],
    ['iua', '(4I5)', '    1    2    3    4', 'integer', 'general'],
    ['pua', '', '', 'pattern', 'general'],
  ])('%s', async (type, format, values, field, symmetry) => {
    const matrix = await read(bytesOf(file(type, format, values)));
    expect([matrix.field, matrix.symmetry]).toEqual([field, symmetry]);
    expect(entriesOf(matrix)).toEqual(lower((k) => (field === 'pattern' ? 1 : k + 1)));
  });

  it.each([
    ['rsa', 1, '  1.0  2.0  3.0  4.0', [1, 3, 4]],
    ['rza', -1, '  0.0  2.0  0.0  0.0', [0, 0, 0]],
  ])('%s has both triangles', async (type, sign, values, diagonal) => {
    const { rows, rowPtr, colIdx, values: numbers, symmetry } = await read(bytesOf(file(type, '(4F5.1)', values)));
    expect(symmetry).toBe(sign === 1 ? 'symmetric' : 'skew-symmetric');
    expect(rowsOf(dense('x', { rows, cols: 3, rowPtr, colIdx, values: numbers } as never))).toEqual([
      [diagonal[0], sign * 2, 0],
      [2, diagonal[1], 0],
      [0, 0, diagonal[2]],
    ]);
  });

  it('psa', async () => {
    expect((await read(bytesOf(file('psa', '', '')))).nnz).toBe(5);
  });

  it('a large one, in many chunks', async () => {
    const n = 300_000;
    const lines = (numbers: number[]) =>
      Array.from({ length: Math.ceil(numbers.length / 8) }, (_, k) =>
        numbers
          .slice(8 * k, 8 * k + 8)
          .map((number) => String(number).padStart(10))
          .join(''),
      ).join('\n');
    const counts = Array.from({ length: n + 1 }, (_, k) => k + 1);
    const text = `t\n 1 1 1 1\nrua ${n} ${n} ${n}\n(8I10)          (8I10)          (8F10.0)\n`;
    const matrix = await read(
      bytesOf(`${text}${lines(counts)}\n${lines(counts.slice(0, n).reverse())}\n${lines(counts.slice(0, n))}\n`),
    );
    expect(matrix.nnz).toBe(n);
    expect([...matrix.colIdx.slice(0, 2), ...matrix.values.slice(0, 2)]).toEqual([n - 1, n - 2, n, n - 1]);
  });
});

describe('formats of Fortran', () => {
  it.each<[string, string, number[]]>([
    ['(4F5.1)', VALUES, [1, 2, 3, 4]],
    ['(1P,4E9.2)', ' 1.00E+00 2.00D+00 3.00e+00 4.00d+00', [1, 2, 3, 4]],
    ['(1P2D8.1)', ' 1.0+000-2.0-100\n 3.0D+00 4.0E+00', [1, -2e-100, 3, 4]],
    ['(2(1X,F4.1,1X))', '  1.0   2.0 \n  3.0   4.0 ', [1, 2, 3, 4]],
    ['(4F5.2)', '  100  200  3.5  400', [1, 2, 3.5, 4]],
    ['(2P4F5.1)', '  100200.0  300 4e00', [0.1, 2, 0.3, 0.4]],
    ['(4G5.0)', '  Inf  NaN -inf    4', [Infinity, NaN, -Infinity, 4]],
    ['(4F4.1)', ' 1.0-2.0 3.0 4.0', [1, -2, 3, 4]],
    ['(4E8.1)', ' 1.0E 00-2.0E 01 3.0E+ 0 4.0 E 0', [1, -20, 3, 4]],
    ['(2E9.1)', ' 1.0D+00-2.0E-01  \n  3.0E+00 -4.0E+001', [1, -0.2, 3, -40]],
    [
      '(4E26.18E3)',
      [1, 2, 3, 4].map((value) => ` ${(value / 3).toFixed(16)}E+000`.padStart(26)).join(''),
      [1 / 3, 2 / 3, 1, 4 / 3],
    ],
  ])('%s', async (format, values, expected) => {
    const { values: read1 } = await read(bytesOf(file('rua', format, values)));
    expect([...read1]).toEqual([expected[0], expected[1], expected[2], expected[3]]);
  });

  it.each(['', '8I10', '(8I10', '(A8)', '(0I0)', '()', '(9999999I1)', '(((((I1)))))', '(8I10) x', '(99999999X,I1)'])(
    'refuses %j',
    (format) => expect(parseFormat(format)).toBeUndefined(),
  );
});

describe('a Harwell-Boeing file that is wrong is one clear error', () => {
  const right = file('rua', '(4F5.1)', VALUES);
  it.each<[string, string, string]>([
    [
      'complex',
      right.replace('rua', 'cua'),
      "3: expected a type of r | i | p, u | s | h | z | r, a (complex matrices are read from Matrix Market and .npz files), got 'cua'",
    ],
    [
      'elemental',
      right.replace('rua', 'rse'),
      "3: expected a type of r | i | p, u | s | h | z | r, a (not elemental), got 'rse'",
    ],
    [
      'a format',
      right.replace('(4F5.1)', '(4A5)'),
      "4: expected the format of values, such as (8I10) or (4E20.12), got '(4A5)'",
    ],
    [
      'a pointer',
      right.replace('    3    4    5', '    3    2    5'),
      "5: expected a pointer from 1 to 5, in ascending order, got '2'",
    ],
    [
      'the last pointer',
      right.replace('    3    4    5', '    3    4    4'),
      "5: expected a pointer from 1 to 5, in ascending order, got '4'",
    ],
    [
      'a row index',
      right.replace('    1    2    2    3', '    1    2    2    9'),
      "6: expected a row index from 1 to 3, got '9'",
    ],
    ['a value', right.replace('  3.0', '  3,0'), "7: expected a value, got '3,0'"],
    ['two values in a column', right.replace('  3.0', ' 3 -1'), "7: expected a value, got '3 -1'"],
    [
      'text behind the columns',
      right.replace('  4.0\n', '  4.0  5.0\n'),
      "7: expected 4 values on a line, got '1.0  2.0  3.0  4.0  5.0'",
    ],
    ['a line that is too short', right.replace('  4.0\n', '\n'), "7: expected a value, got ''"],
    ['longer than it says', `${right}\n  5.0\n`, "9: expected the end of the file, got '5.0'"],
    ['cut', right.slice(0, -22), '6: expected 4 values, got the end of the file after 0'],
    ['cut in the header', right.slice(0, 120), '2: expected a header of four lines, got the end of the file'],
    [
      'symmetric, but not square',
      right.replace('rua                        3', 'rsa                        4'),
      "3: expected as many columns as rows (symmetric), got '4 × 3'",
    ],
    [
      'skew-symmetric with a diagonal',
      right.replace('rua', 'rza'),
      "7: expected a value, 0 on the diagonal, got '1.0'",
    ],
  ])('%s', async (_, text, message) => {
    const error = await failure(read(bytesOf(text), { name: 'x.rb' }));
    expect([error.code, error.message]).toEqual(['parse', `x.rb:${message}`]);
  });

  it('compressed, with a wrong checksum behind right-hand sides that are not read', async () => {
    const numbers = Array.from({ length: 20_000 }, (_, k) => Math.cos(k).toFixed(12).padStart(15)).join('\n');
    const bytes = gzipSync(GUIDE + numbers);
    bytes[bytes.length - 6]! ^= 1;
    expect((await failure(read(bytes, { name: 'x' }))).message).toContain('x: expected a complete gzip file, got one');
  });

  it('with an entry and its mirror image', async () => {
    const text = file('rsa', '(4F5.1)', VALUES, '    1    2    1    3');
    expect((await failure(read(bytesOf(text), { name: 'x' }))).message).toBe(
      'x:7: expected an entry or its mirror image, not both (symmetric), got (1, 2) and (2, 1)',
    );
  });
});
