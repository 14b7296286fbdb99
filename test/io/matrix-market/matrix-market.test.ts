import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMatrixMarket, readMatrixMarketVector } from '#dist/io/matrix-market/matrix-market.js';
import { bytesOf, entriesOf, failure, pieces, read } from '../support.js';

const REAL = '%%MatrixMarket matrix coordinate real general';

/** The worked example of the project: [10 0 20; 0 0 0; 0 0 30; 40 50 60], out of order. */
const EXAMPLE = `${REAL}
% a comment
4 3 6
4 3 60
1 1 10
4 1 40
1 3 20
3 3 30
4 2 50
`;

describe('coordinate format', () => {
  it('reads the worked example', async () => {
    const matrix = await read(EXAMPLE);
    expect(matrix).toEqual({
      rows: 4,
      cols: 3,
      nnz: 6,
      rowPtr: Uint32Array.of(0, 2, 2, 3, 6),
      colIdx: Uint32Array.of(0, 2, 2, 0, 1, 2),
      values: Float64Array.of(10, 20, 30, 40, 50, 60),
      field: 'real',
      symmetry: 'general',
    });
  });

  it.each([
    ['real', '2.5'],
    ['double', '2.5'],
    ['integer', '-3'],
    ['integer', '3.0'],
    ['unsigned-integer', '3'],
  ])('reads the field %s', async (word, token) => {
    const matrix = await read(`%%MatrixMarket matrix coordinate ${word} general\n1 1 1\n1 1 ${token}\n`);
    expect(matrix.field).toBe(word === 'double' ? 'real' : word.replace('unsigned-', ''));
    expect(matrix.values).toEqual(Float64Array.of(Number(token)));
  });

  it('gives a pattern ones, also where an entry is there twice', async () => {
    const matrix = await read('%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 2\n2 1\n1 2\n');
    expect(matrix.field).toBe('pattern');
    expect(entriesOf(matrix)).toEqual([
      [0, 1, 1],
      [1, 0, 1],
    ]);
  });

  it('sums duplicates and keeps zeros that are written', async () => {
    const matrix = await read(`${REAL}\n2 2 4\n2 2 1.5\n1 1 0\n2 2 2\n1 2 -0\n`);
    expect(entriesOf(matrix)).toEqual([
      [0, 0, 0],
      [0, 1, -0],
      [1, 1, 3.5],
    ]);
  });

  it('reads inf and nan', async () => {
    const matrix = await read(`${REAL}\n1 4 4\n1 1 inf\n1 2 -INF\n1 3 nan\n1 4 1e999\n`);
    expect([...matrix.values]).toEqual([Infinity, -Infinity, NaN, Infinity]);
  });

  it('reads the exponents of Fortran', async () => {
    expect((await read(`${REAL}\n1 2 2\n1 1 1.5D+01\n1 2 2d-1\n`)).values).toEqual(Float64Array.of(15, 0.2));
  });

  it.each([
    ['no rows', '0 3 0', 0, 3],
    ['no columns', '3 0 0', 3, 0],
    ['no entries', '2 2 0', 2, 2],
  ])('reads a matrix with %s', async (_, sizes, rows, cols) => {
    const matrix = await read(`${REAL}\n${sizes}\n`);
    expect([matrix.rows, matrix.cols, matrix.nnz]).toEqual([rows, cols, 0]);
    expect(matrix.rowPtr).toEqual(new Uint32Array(rows + 1));
  });

  it('reads more entries than a chunk holds', async () => {
    const count = 2 ** 18 + 3;
    const lines = Array.from({ length: count }, (_, k) => `${(k % 1000) + 1} ${Math.floor(k / 1000) + 1} ${k}`);
    const matrix = await read(`${REAL}\n1000 1000 ${count}\n${lines.join('\n')}\n`);
    expect(matrix.nnz).toBe(count);
    for (const [row, col, value] of entriesOf(matrix)) if (value !== col * 1000 + row) expect.fail(`${row} ${col}`);
  });
});

describe('the shape of the text does not matter', () => {
  const expected = read(EXAMPLE);
  it.each([
    ['CRLF', EXAMPLE.replaceAll('\n', '\r\n')],
    ['no newline at the end', EXAMPLE.trimEnd()],
    ['CRLF, no newline at the end', EXAMPLE.replaceAll('\n', '\r\n').trimEnd()],
    ['blank lines', EXAMPLE.replaceAll('\n', '\n\n')],
    ['lines of blanks', EXAMPLE.replaceAll('\n', '\n \t \r\n')],
    ['comments everywhere', `${EXAMPLE.trimEnd().replaceAll('\n', '\n%\n  % 1 1 1\n')}\n% end`],
    ['leading and trailing blanks', EXAMPLE.replaceAll('\n', ' \t \n \t')],
    ['tabs', EXAMPLE.replaceAll(' ', '\t')],
    ['many blanks', EXAMPLE.replaceAll(' ', '     ')],
    ['a banner in capitals', EXAMPLE.replace(REAL, REAL.toUpperCase())],
    ['leading zeros and signs', EXAMPLE.replace('4 3 60', '004 03 +60.00')],
    ['a banner with one percent sign', EXAMPLE.slice(1)],
    ['blank lines before the banner', `\n \n${EXAMPLE}`],
    ['a byte order mark', `\ufeff${EXAMPLE}`],
    ['a long comment', EXAMPLE.replace('% a comment', `%${'é'.repeat(20_000)}`)],
  ])('%s', async (_, text) => {
    expect(await read(text)).toEqual(await expected);
  });

  const awkward = `${EXAMPLE.replaceAll('\n', '\r\n%\n\n').replace('60', '6.00000000000000000d1')}% end`;
  it('nor where it is cut', async () => {
    const bytes = bytesOf(awkward);
    for (let at = 0; at <= bytes.length; at++) {
      expect(await readMatrixMarket(pieces(bytes, [at])), `cut at ${at}`).toEqual(await expected);
    }
    expect(await readMatrixMarket(pieces(bytes, Array(bytes.length).fill(1)))).toEqual(await expected);
  });

  it('nor how often', async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(lengths, async (cuts) => {
        expect(await readMatrixMarket(pieces(bytesOf(awkward), cuts))).toEqual(await expected);
      }),
    );
  });
});

describe('symmetry', () => {
  const head = (field: string, symmetry: string) => `%%MatrixMarket matrix coordinate ${field} ${symmetry}\n`;

  it('mirrors the lower triangle', async () => {
    const matrix = await read(`${head('real', 'symmetric')}3 3 3\n1 1 1\n2 1 2\n3 2 3\n`);
    expect(matrix.symmetry).toBe('symmetric');
    expect(entriesOf(matrix)).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [1, 0, 2],
      [1, 2, 3],
      [2, 1, 3],
    ]);
  });

  it('changes the sign of the mirror image of a skew-symmetric entry', async () => {
    const matrix = await read(`${head('integer', 'skew-symmetric')}3 3 3\n2 1 2\n3 2 -3\n3 3 0\n`);
    expect(matrix.symmetry).toBe('skew-symmetric');
    expect(entriesOf(matrix)).toEqual([
      [0, 1, -2],
      [1, 0, 2],
      [1, 2, 3],
      [2, 1, -3],
      [2, 2, 0],
    ]);
  });

  it.each(['symmetric', 'skew-symmetric'])('takes an upper entry of a %s file for its lower one', async (symmetry) => {
    const sign = symmetry === 'symmetric' ? '' : '-';
    const upper = await read(`${head('real', symmetry)}3 3 2\n1 2 5\n3 2 7\n`);
    const lower = await read(`${head('real', symmetry)}3 3 2\n2 1 ${sign}5\n3 2 7\n`);
    expect(upper).toEqual(lower);
  });

  it.each(['real', 'integer', 'pattern'])('hermitian is symmetric where it is %s', async (field) => {
    const entries = field === 'pattern' ? '2 1\n' : '2 1 5\n';
    const matrix = await read(`${head(field, 'hermitian')}2 2 1\n${entries}`);
    expect(matrix).toEqual(await read(`${head(field, 'symmetric')}2 2 1\n${entries}`));
    expect(matrix.symmetry).toBe('symmetric');
  });

  it('sums duplicates of one triangle', async () => {
    const matrix = await read(`${head('real', 'symmetric')}2 2 3\n2 1 1\n2 1 2\n2 2 4\n`);
    expect(entriesOf(matrix)).toEqual([
      [0, 1, 3],
      [1, 0, 3],
      [1, 1, 4],
    ]);
  });

  it.each(['symmetric', 'skew-symmetric'])('refuses a %s file with an entry and its mirror image', async (symmetry) => {
    const text = `${head('real', symmetry)}3 3 5\n3 1 1\n% comment\n2 1 5\n\n2 3 1\n% comment\n1 2 5\n3 2 1\n`;
    const { message, detail } = await failure(read(text));
    expect(message).toBe(
      `x.mtx:9: expected an entry or its mirror image, not both (${symmetry}), got (1, 2) after (2, 1) on line 5`,
    );
    expect(detail).toEqual({ file: 'x.mtx', line: 9, row: 1, col: 2, earlierLine: 5 });
  });

  it('finds the first such pair in any order of entries', async () => {
    const square = fc.integer({ min: 1, max: 6 });
    const entry = fc.tuple(square, square).filter(([row, col]) => row !== col);
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
        const mirror = entries.findIndex(([i, j], k) => entries.slice(0, k).some(([p, q]) => p === j && q === i));
        const lines = entries.map(([i, j]) => `${i} ${j}\n`).join('');
        const result = read(`${head('pattern', 'symmetric')}6 6 ${entries.length}\n${lines}`);
        if (mirror < 0) expect((await result).nnz).toBe(2 * new Set(entries.map(String)).size);
        else expect((await failure(result)).detail.line).toBe(3 + mirror);
      }),
    );
  });
});

describe('array format', () => {
  const head = (symmetry: string, field = 'real') => `%%MatrixMarket matrix array ${field} ${symmetry}\n`;

  it('goes down the columns and leaves zeros out', async () => {
    const matrix = await read(`${head('general')}% comment\n2 3\n1\n0\n\n-2.5\n% comment\n0.0\n nan \n-inf\r\n`);
    expect(entriesOf(matrix)).toEqual([
      [0, 0, 1],
      [0, 1, -2.5],
      [0, 2, NaN],
      [1, 2, -Infinity],
    ]);
  });

  it('holds the lower triangle of a symmetric matrix', async () => {
    const matrix = await read(`${head('symmetric', 'integer')}3 3\n1\n2\n3\n4\n0\n6\n`);
    expect(matrix.field).toBe('integer');
    expect(entriesOf(matrix)).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [0, 2, 3],
      [1, 0, 2],
      [1, 1, 4],
      [2, 0, 3],
      [2, 2, 6],
    ]);
  });

  it('holds the lower triangle of a skew-symmetric matrix without its diagonal', async () => {
    const matrix = await read(`${head('skew-symmetric')}3 3\n2\n3\n5\n`);
    expect(entriesOf(matrix)).toEqual([
      [0, 1, -2],
      [0, 2, -3],
      [1, 0, 2],
      [1, 2, -5],
      [2, 0, 3],
      [2, 1, 5],
    ]);
  });

  it('may have several values on a line', async () => {
    const lines = `${head('general')}2 3\n1\n-2.5\nnan\n0\n5\n6e0\n`;
    for (const values of ['1 -2.5 nan 0 5 6e0', ' 1\t-2.5 \r\n% c\n\nnan 0 5\n6e0\n', '1 -2.5\nnan 0\n5 6e0\n']) {
      expect(await read(`${head('general')}2 3\n${values}`)).toEqual(await read(lines));
    }
    const lower = `${head('symmetric', 'integer')}3 3\n1\n2\n3\n4\n0\n6\n`;
    expect(await read(`${head('symmetric', 'integer')}3 3\n1 2 3\n4 0\n6\n`)).toEqual(await read(lower));
  });

  it('may have many values on a line, across the chunks of entries', async () => {
    const size = (1 << 18) + 1000;
    const values = Array.from({ length: size }, (_, k) => k % 7);
    const lines = Array.from({ length: Math.ceil(size / 999) }, (_, k) =>
      values.slice(k * 999, (k + 1) * 999).join(' '),
    );
    const text = `${head('general', 'integer')}${size} 1\n${lines.join('\n')}`;
    expect(await readMatrixMarketVector(bytesOf(text))).toEqual(Float64Array.from(values));
    expect((await read(text)).nnz).toBe(values.filter((value) => value !== 0).length);
  });

  it.each([
    ['general', '0 3'],
    ['general', '3 0'],
    ['symmetric', '0 0'],
    ['skew-symmetric', '0 0'],
    ['skew-symmetric', '1 1'],
  ])('holds nothing of a %s matrix of %s', async (symmetry, sizes) => {
    expect((await read(`${head(symmetry)}${sizes}\n\n`)).nnz).toBe(0);
    expect((await failure(read(`${head(symmetry)}${sizes}\n1\n`))).message).toMatch(/:3: .*after 0 entries, got '1'/);
  });

  it('is not confused by a full chunk that ends with zeros', async () => {
    const count = 2 ** 18;
    const text = `${head('general')}${count + 2} 1\n${'1\n'.repeat(count)}0\n% comment\n0\n\n`;
    expect((await read(text)).nnz).toBe(count);
  });
});

describe('vectors', () => {
  const vector = (text: string) => readMatrixMarketVector(bytesOf(text), { name: 'x.mtx' });

  it('reads an array of one column, −0 included', async () => {
    const text = '%%MatrixMarket matrix array real general\n5 1\n1.5\n-0\n0\ninf\n-2\n';
    expect(await vector(text)).toEqual(Float64Array.of(1.5, -0, 0, Infinity, -2));
  });

  it('scatters coordinates', async () => {
    expect(await vector(`${REAL}\n4 1 3\n3 1 2.5\n1 1 1\n3 1 1\n`)).toEqual(Float64Array.of(1, 0, 3.5, 0));
    expect(await vector(`${REAL.replace('real', 'pattern')}\n3 1 1\n2 1\n`)).toEqual(Float64Array.of(0, 1, 0));
  });

  it('refuses a matrix', async () => {
    const { message } = await failure(vector(`${REAL}\n2 2 1\n1 1 1\n`));
    expect(message).toBe('x.mtx:2: expected a vector, one column, got 2 × 2');
  });
});
