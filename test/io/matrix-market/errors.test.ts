import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readMatrixMarket, readMatrixMarketVector } from '#dist/io/matrix-market/matrix-market.js';
import { bytesOf, failure, read } from '../support.js';

const banner = (words: string) => `%%MatrixMarket matrix ${words}\n`;
const REAL = banner('coordinate real general');
const PATTERN = banner('coordinate pattern general');
const INTEGER = banner('coordinate integer general');
const ARRAY = banner('array real general');
const huge = String(2 ** 32);

/** The problem, the text, and the error without its file. */
const TABLE: readonly [string, string, string][] = [
  // the banner
  ['nothing', '', "1: expected a banner '%%MatrixMarket matrix <format> <field> <symmetry>', got the end of the file"],
  [
    'blank lines only',
    '\n\n',
    "2: expected a banner '%%MatrixMarket matrix <format> <field> <symmetry>', got the end of the file",
  ],
  [
    'no banner',
    '3 3 1\n1 1 1\n',
    "1: expected a banner '%%MatrixMarket matrix <format> <field> <symmetry>', got '3 3 1'",
  ],
  [
    'a comment for a banner',
    '% MatrixMarket\n',
    "1: expected a banner '%%MatrixMarket matrix <format> <field> <symmetry>', got '% MatrixMarket'",
  ],
  [
    'a binary file',
    '\x7fELF\x02\x00',
    "1: expected a banner '%%MatrixMarket matrix <format> <field> <symmetry>', got '?ELF??'",
  ],
  ['another object', '%%MatrixMarket vector array real general\n', "1: expected the object 'matrix', got 'vector'"],
  ['another format', banner('dense real general'), "1: expected a format coordinate | array, got 'dense'"],
  [
    'half a banner',
    '%%MatrixMarket matrix coordinate\n',
    "1: expected a field real | double | integer | unsigned-integer | pattern, got ''",
  ],
  [
    'a complex field',
    banner('coordinate complex general'),
    "1: expected a field real | double | integer | unsigned-integer | pattern (readComplex reads complex matrices), got 'complex'",
  ],
  [
    'another symmetry',
    banner('coordinate real circulant'),
    "1: expected a symmetry general | symmetric | skew-symmetric | hermitian, got 'circulant'",
  ],
  [
    'a complex hermitian field',
    banner('coordinate complex hermitian'),
    "1: expected a field real | double | integer | unsigned-integer | pattern (readComplex reads complex matrices), got 'complex'",
  ],
  ['a long banner', banner('coordinate real general row-major'), "1: expected the end of the banner, got 'row-major'"],
  [
    'an array of a pattern',
    banner('array pattern general'),
    "1: expected a field with values (array general), got 'pattern'",
  ],
  [
    'a skew-symmetric pattern',
    banner('coordinate pattern skew-symmetric'),
    "1: expected a field with values (coordinate skew-symmetric), got 'pattern'",
  ],
  // the sizes
  ['no sizes', `${REAL}% comment\n`, '2: expected a line with the sizes, got the end of the file'],
  ['two sizes', `${REAL}3 3\n`, "2: expected a line with rows, columns, entries, got '3 3'"],
  ['four sizes', `${REAL}3 3 1 1\n`, "2: expected a line with rows, columns, entries, got '3 3 1 1'"],
  ['three sizes of an array', `${ARRAY}3 3 9\n`, "2: expected a line with rows, columns, got '3 3 9'"],
  ['a fraction of rows', `${REAL}2.5 3 1\n`, "2: expected rows as an integer from 0 to 4294967295, got '2.5'"],
  ['less than no columns', `${REAL}2 -3 1\n`, "2: expected columns as an integer from 0 to 4294967295, got '-3'"],
  ['entries in words', `${REAL}2 3 many\n`, "2: expected entries as an integer from 0 to 4294967295, got 'many'"],
  ['entries with an exponent', `${REAL}2 3 1e0\n`, "2: expected entries as an integer from 0 to 4294967295, got '1e0'"],
  ['2³² rows', `${REAL}${huge} 1 0\n`, `2: expected rows as an integer from 0 to 4294967295, got '${huge}'`],
  ['2³² columns', `${REAL}1 ${huge} 0\n`, `2: expected columns as an integer from 0 to 4294967295, got '${huge}'`],
  ['2³² entries', `${REAL}1 1 ${huge}\n`, `2: expected entries as an integer from 0 to 4294967295, got '${huge}'`],
  [
    'a symmetric matrix that is not square',
    `${banner('coordinate real symmetric')}3 4 1\n`,
    '2: expected as many columns as rows (symmetric), got 3 × 4',
  ],
  // the number of entries
  ['an entry too few', `${REAL}2 2 3\n1 1 1\n2 2 2\n`, '4: expected 3 entries, got the end of the file after 2'],
  [
    'a header that lies',
    `${REAL}2 2 4294967295\n1 1 1\n`,
    '3: expected 4294967295 entries, got the end of the file after 1',
  ],
  [
    'an entry too many',
    `${REAL}2 2 1\n1 1 1\n\n2 2 2\n`,
    "5: expected the end of the file after 1 entries, got '2 2 2'",
  ],
  ['a value too few', `${ARRAY}2 2\n1\n2\n3\n`, '5: expected 4 entries, got the end of the file after 3'],
  [
    'an array that lies',
    `${ARRAY}4294967295 4294967295\n1\n`,
    '3: expected 18446744065119617000 entries, got the end of the file after 1',
  ],
  ['a value too many', `${ARRAY}1 1\n1\n% comment\n2\n`, "5: expected the end of the file after 1 entries, got '2'"],
  [
    'a value too many behind zeros',
    `${ARRAY}1 2\n0\n0\n2\n`,
    "5: expected the end of the file after 2 entries, got '2'",
  ],
  // the entries
  [
    'a row from 0',
    `${REAL}2 2 1\n0 1 1\n`,
    "3: expected a row from 1 to 2 (Matrix Market counts from 1, this file from 0), got '0'",
  ],
  [
    'a column from 0',
    `${REAL}2 2 1\n1 0 1\n`,
    "3: expected a column from 1 to 2 (Matrix Market counts from 1, this file from 0), got '0'",
  ],
  ['a row too large', `${REAL}2 3 2\n1 1 1\n3 1 1\n`, "4: expected a row from 1 to 2, got '3'"],
  ['a column too large', `${REAL}2 3 1\n1 4 1\n`, "3: expected a column from 1 to 3, got '4'"],
  ['a column beyond 2³²', `${REAL}2 3 1\n1 4294967298 1\n`, "3: expected a column from 1 to 3, got '4294967298'"],
  ['a row with a sign', `${REAL}2 3 1\n-1 1 1\n`, "3: expected a row from 1 to 2, got '-1'"],
  ['a row with a fraction', `${REAL}2 3 1\n1.0 1 1\n`, "3: expected a row from 1 to 2, got '1.0'"],
  ['a column with a fraction', `${REAL}2 3 1\n1 2.5 1\n`, "3: expected a column from 1 to 3, got '2.5'"],
  [
    'a column and a value in one',
    `${REAL}2 3 1\n1 2.5\n`,
    "3: expected row, column, value on a line (real), got '1 2.5'",
  ],
  [
    'a signed value at a column',
    `${REAL}2 3 1\n1 2-5\n`,
    "3: expected row, column, value on a line (real), got '1 2-5'",
  ],
  ['a value that is missing', `${REAL}2 3 1\n1 2\n`, "3: expected row, column, value on a line (real), got '1 2'"],
  [
    'a value that is missing behind a blank',
    `${REAL}2 3 1\n1 2 \n`,
    "3: expected row, column, value on a line (real), got '1 2'",
  ],
  ['a value in words', `${REAL}2 3 1\n1 2 three\n`, "3: expected a value, got 'three'"],
  ['a hexadecimal value', `${REAL}2 3 1\n1 2 0x10\n`, "3: expected a value, got '0x10'"],
  ['a value with a comma', `${REAL}2 3 1\n1 2 1,5\n`, "3: expected a value, got '1,5'"],
  ['a token too many', `${REAL}2 3 1\n1 2 3 4\n`, "3: expected row, column, value on a line (real), got '1 2 3 4'"],
  [
    'a comment behind an entry',
    `${REAL}2 3 1\n1 2 3 % x\n`,
    "3: expected row, column, value on a line (real), got '1 2 3 % x'",
  ],
  ['a pattern with a value', `${PATTERN}2 3 1\n1 2 1\n`, "3: expected row, column on a line (pattern), got '1 2 1'"],
  ['a pattern without a column', `${PATTERN}2 3 1\n1\n`, "3: expected row, column on a line (pattern), got '1'"],
  ['an integer with a fraction', `${INTEGER}2 3 1\n1 2 1.5\n`, "3: expected an integer value, got '1.5'"],
  ['an infinite integer', `${INTEGER}2 3 1\n1 2 inf\n`, "3: expected an integer value, got 'inf'"],
  [
    'an array with a value too many on a line',
    `${ARRAY}2 1\n1 2 3\n`,
    "3: expected the end of the file after 2 entries, got '1 2 3'",
  ],
  ['an array with a word on a line', `${ARRAY}2 2\n1 2\n3 four\n`, "4: expected a value, got 'four'"],
  [
    'an array with a comment on a line',
    `${ARRAY}2 1\n1 2 % x\n`,
    "3: expected the end of the file after 2 entries, got '1 2 % x'",
  ],
  ['an array with values run together', `${ARRAY}2 1\n1-2\n`, "3: expected a value, got '1-2'"],
  ['an array with a word', `${ARRAY}2 1\n1\ntwo\n`, "4: expected a value, got 'two'"],
  [
    'an array of integers with a fraction',
    `${banner('array integer general')}1 1\n.5\n`,
    "3: expected an integer value, got '.5'",
  ],
  [
    'a skew-symmetric diagonal',
    `${banner('coordinate real skew-symmetric')}2 2 1\n2 2 1.5\n`,
    "3: expected no entry on the diagonal but 0 (skew-symmetric), got '2 2 1.5'",
  ],
  [
    'a skew-symmetric diagonal that is nan',
    `${banner('coordinate real skew-symmetric')}2 2 1\n2 2 nan\n`,
    "3: expected no entry on the diagonal but 0 (skew-symmetric), got '2 2 nan'",
  ],
  ['a line without end', `${REAL}%${'x'.repeat(1 << 21)}\n`, '2: expected a line of at most 64 KiB, got one of'],
];

describe('an error names the file, the line, what was expected and what was found', () => {
  it.each(TABLE)('%s', async (_, text, message) => {
    const error = await failure(read(text));
    expect(error.code).toBe('parse');
    expect(error.message).toContain(`x.mtx:${message}`);
    expect(error.detail).toMatchObject({ file: 'x.mtx', line: Number.parseInt(message, 10) });
  });
});

it('lines are counted through comments, blank lines and CRLF', async () => {
  const text = `${REAL}% c\n\n2 2 3\n% c\r\n1 1 1\r\n\r\n2 2 2\n% c\n1 2 x\n`;
  expect((await failure(read(text))).detail.line).toBe(10);
});

it('lines are counted through comments beyond number', async () => {
  const text = `\n\n${banner('coordinate real symmetric')}${'%\n'.repeat(1000)}2 2 4\n1 1 1\n${'%\n\n'.repeat(1000)}2 1 1\n% c\n2 1 1\n`;
  const { message, detail } = await failure(read(`${text}${' % c\r\n'.repeat(1000)}1 2 1\n`));
  expect(detail).toMatchObject({ line: 4009, earlierLine: 3006 });
  expect(message).toContain('on line 3006');
});

describe('comment lines', () => {
  const BLOCK = bytesOf('%\n'.repeat(1 << 19));
  async function* symmetric(blocks: number): AsyncGenerator<Uint8Array> {
    yield bytesOf(`${banner('coordinate real symmetric')}1 1 2\n1 1 1\n`);
    for (let k = 0; k < blocks; k++) yield BLOCK;
    yield bytesOf('1 1 1\n');
  }

  it('cost no memory and little time', async () => {
    await readMatrixMarket(symmetric(4));
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    const before = process.cpuUsage();
    let most = 0;
    await readMatrixMarket(symmetric(20), {
      onProgress: () => {
        const now = process.memoryUsage();
        most = Math.max(most, now.arrayBuffers - arrayBuffers + now.heapUsed - heapUsed);
      },
    });
    const nanoseconds = (process.cpuUsage(before).user * 1000) / (20 * (1 << 19));
    // A number for each would be 84 MB; converting each to text takes 1000 ns and more.
    expect(most).toBeLessThan(40e6);
    expect(nanoseconds).toBeLessThan(500);
  });
});

describe('a header gets memory for the rows that its entries justify', () => {
  const claims = ['coordinate real general', 'coordinate real symmetric', 'coordinate pattern general'];
  it.each(claims)('and not 2³² rows: %s', async (words) => {
    const entries = words.includes('pattern') ? '2 1\n1 3\n' : '2 1 1\n1 3 1\n';
    const text = `${banner(words)}4294967295 4294967295 2\n${entries}`;
    const { code, message, detail } = await failure(read(text));
    expect(code).toBe('heap');
    expect(message).toBe('x.mtx: expected at most 16777216 rows for 2 entries, got 4294967295');
    expect(detail).toEqual({ rows: 4294967295, entries: 2 });
  });

  it.each([
    ['a matrix', read],
    ['a vector', (text: string) => readMatrixMarketVector(bytesOf(text))],
  ])('nor a GiB for forty bytes: %s', async (_, reader) => {
    const { arrayBuffers } = process.memoryUsage();
    const { code } = await failure(reader(`${REAL}268435455 1 0\n`));
    expect(code).toBe('heap');
    expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(1e7);
  });

  it('but a large matrix may be empty', async () => {
    const { rows, nnz, rowPtr } = await read(`${REAL}16777216 16777216 1\n16777216 1 5\n`);
    expect([rows, nnz, rowPtr.at(-2), rowPtr.at(-1)]).toEqual([16777216, 1, 0, 1]);
  });

  it('and for each entry 64 more', async () => {
    const entries = 262_145;
    const rows = 64 * entries;
    const lines = '1 1\n'.repeat(entries);
    expect((await read(`${PATTERN}${rows} 1 ${entries}\n${lines}`)).rows).toBe(rows);
    const { message } = await failure(read(`${PATTERN}${rows + 1} 1 ${entries}\n${lines}`));
    expect(message).toBe(`x.mtx: expected at most ${rows} rows for ${entries} entries, got ${rows + 1}`);
  });
});

describe('a file of another kind is called by its name', () => {
  const zip = (name: string) => `PK\x03\x04${'\0'.repeat(22)}${String.fromCharCode(name.length)}\0\0\0${name}`;
  it.each<[string, string]>([
    ['a NumPy archive (npz)', zip('indices.npy')],
    ['a NumPy array (npy)', '\x93NUMPY\x01\0'],
    ['an xz file', '\xfd7zXZ\0'],
    ['a bzip2 file', 'BZh91AY'],
    ['a zstd file', '\x28\xb5\x2f\xfd'],
    ['a 7z archive', '7z\xbc\xaf\x27\x1c'],
    ['a file of compress (.Z)', '\x1f\x9d\x90'],
    ['an HDF5 file', '\x89HDF\r\n\x1a\n'],
    ['a MATLAB file', 'MATLAB 5.0 MAT-file, Platform'],
    ['text in UTF-16', '\xff\xfe%\0%\0M\0'],
    ['text in UTF-16', '\xfe\xff\0%\0%\0M'],
    ['an HTML page', '<!DOCTYPE html>\n<html>'],
    ['an HTML page', '\xef\xbb\xbf\r\n <html lang="en">'],
  ])('%s', async (kind, start) => {
    const bytes = Uint8Array.from(start, (byte) => byte.charCodeAt(0));
    for (const source of [bytes, Buffer.concat([bytes, new Uint8Array(1000)]), gzipSync(bytes)]) {
      const { code, message } = await failure(readMatrixMarket(source, { name: 'x.mtx' }));
      expect([code, message]).toEqual(['parse', `x.mtx: expected a Matrix Market file, got ${kind}`]);
    }
  });

  it('also gzip twice', async () => {
    const { message } = await failure(readMatrixMarket(gzipSync(gzipSync(REAL)), { name: 'x.mtx' }));
    expect(message).toBe('x.mtx: expected a Matrix Market file, got a gzip file in a gzip file');
  });

  it('and the source is let go', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield bytesOf('BZh9'.repeat(1000));
      } finally {
        closed = true;
      }
    }
    await failure(readMatrixMarket(source()));
    await expect.poll(() => closed).toBe(true);
  });
});
