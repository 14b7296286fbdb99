/** Each rank reads a share of a complex file, and has the rows of the whole matrix. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ComplexMatrix, type ComplexRankRows, readComplex } from 'sparlane';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boundsByWork } from '#dist/ranks/row-range.js';
import { once } from './conform.js';
import { expectRows } from './expect-rows.js';
import { expectErrors, expectFourthParts, readByName, readFiles } from './read-files.js';
import { GRID, writeComplexShares } from './share-files.js';

let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparlane-complex-ranks-'));
  await writeComplexShares(folder);
});

afterAll(() => rm(folder, { recursive: true }));

const filesOf = (names: readonly string[], given: object = {}) =>
  names.map((name) => ({ path: path(name), reader: 'readComplexRows' as const, ...given }));

function rowsFrom(matrix: ComplexMatrix, begin: number, end: number): ComplexRankRows {
  const { cols, rowPtr, colIdx, values, field, symmetry } = matrix;
  const [first, last] = [rowPtr[begin]!, rowPtr[end]!];
  return {
    ...{ firstRow: begin, rows: end - begin, cols, field, symmetry },
    rowPtr: rowPtr.slice(begin, end + 1).map((pointer) => pointer - first),
    colIdx: colIdx.slice(first, last),
    values: values.slice(2 * first, 2 * last),
  };
}

const SHARED = [
  ...['general.mtx', 'symmetric.mtx', 'hermitian.mtx', 'skew.mtx'],
  ...['double.npz', 'single.npz', 'double.npy', 'single.npy'],
];

const DUPLICATED = ['duplicates.mtx', 'hermitian-duplicates.mtx'];
const OTHERS = ['general.mtx.gz', 'mac.mtx', 'real.npz'];

const wholeOf = once((name: string) => readComplex(path(name)));
const foundBy = once((ranks: number) =>
  readByName<ComplexRankRows>(ranks, filesOf([...SHARED, ...OTHERS, ...DUPLICATED])),
);

describe('rows of a complex file', () => {
  test.each([1, 2, 3, 4])('on %d ranks', async (ranks) => {
    const found = await foundBy(ranks);
    for (const name of [...SHARED, ...OTHERS]) {
      const matrix = await wholeOf(name);
      const bounds = boundsByWork(matrix.rows, (row) => matrix.rowPtr[row]!, ranks);
      for (const [rank, { rows }] of found(name).entries())
        expectRows(rows, rowsFrom(matrix, bounds[rank]!, bounds[rank + 1]!));
    }
  });

  test('of single numbers stay single', async () => {
    const found = await foundBy(2);
    for (const name of ['single.npz', 'single.npy'])
      for (const { rows } of found(name)) expect(rows.values).toBeInstanceOf(Float32Array);
  });

  test.each([2, 3, 4])(
    'with duplicates, which are summed in the order of the file, also across shares, on %d ranks',
    async (ranks) => {
      const found = await foundBy(ranks);
      for (const name of DUPLICATED) {
        const matrix = await wholeOf(name);
        let end = 0;
        for (const { rows } of found(name)) {
          expect(rows.firstRow).toBe(end);
          end += rows.rows;
          expectRows(rows, rowsFrom(matrix, rows.firstRow, end));
        }
        expect(end).toBe(matrix.rows);
      }
    },
  );

  test.each(SHARED)('%s, of which no rank reads much more than its share', async (name) => {
    expectFourthParts((await foundBy(4))(name), (await stat(path(name))).size);
  });

  test('of any numbers, as the command line reads them', async () => {
    const names = ['hermitian.mtx', 'double.npz', 'real.npz', 'double.npy'];
    const found = await readByName<ComplexRankRows>(2, filesOf(names, { reader: 'readAnyRows' }));
    for (const name of names)
      for (const { rows } of found(name)) expect(rows.field).toBe(name === 'real.npz' ? 'real' : 'complex');
    const complex = await foundBy(2);
    for (const name of ['hermitian.mtx', 'double.npz'])
      for (const [rank, { rows }] of complex(name).entries()) expectRows(found(name)[rank]!.rows, rows);
  });
});

describe('an error of one reader is thrown on all ranks', () => {
  const REFUSED = {
    'few.mtx': `expected ${GRID.nnz} entries, got the end of the file after ${GRID.nnz - 1}`,
    'many.mtx': `expected the end of the file after ${GRID.nnz} entries, got '1 1 1 0'`,
    'both.mtx': 'expected an entry or its mirror image, not both (hermitian), got (2, 1) and (1, 2)',
    'diagonal.mtx': "expected a real number on the diagonal (hermitian), got '7 7 1 2'",
    'cut.npz': 'expected the header of a file in a zip archive, or its directory, got the end of the file',
  };
  const refusedBy = once((ranks: number) => readByName(ranks, filesOf([...Object.keys(REFUSED), 'wrong.mtx'])));

  test.each(Object.entries(REFUSED))('%s', async (name, message) => {
    expectErrors((await refusedBy(3))(name), message);
  });

  test('a wrong line has its number in the whole file', async () => {
    const line = (await readFile(path('wrong.mtx'), 'utf8')).split('\n').indexOf('1 1 1') + 1;
    const expected = 'expected row, column, real part, imaginary part on a line (complex)';
    expectErrors((await refusedBy(3))('wrong.mtx'), `wrong.mtx:${line}: ${expected}, got '1 1 1'`);
  });

  test('also one that aborts', async () => {
    const files = filesOf(['hermitian.mtx', 'double.npz', 'double.npy'], { abortedRank: 1 });
    for (const found of await readFiles(2, files)) expectErrors(found, 'rank 1: enough');
  });

  test('readRows refuses complex numbers', async () => {
    const all = await readFiles(2, filesOf(SHARED, { reader: 'readRows' }));
    for (const found of all) expectErrors(found, 'readComplex reads complex matrices');
  });
});
