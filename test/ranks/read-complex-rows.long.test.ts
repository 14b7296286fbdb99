/** Each rank reads a share of a complex file, and has the rows of the whole matrix. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ComplexMatrix, type ComplexRankRows, readComplex, runRanks } from '#dist/index.node.js';
import { boundsByWork } from '#dist/ranks/row-range.js';
import { expectRows } from './expect-rows.js';
import { GRID, writeComplexShares } from './share-files.js';

const PROGRAM = new URL('./programs/read.mjs', import.meta.url);

interface Read {
  /** Each file was last reported with so many bytes. */
  readonly progress: readonly number[];
  readonly rows: readonly ComplexRankRows[];
  readonly errors: readonly string[];
}

let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparlane-complex-ranks-'));
  await writeComplexShares(folder);
});

afterAll(() => rm(folder, { recursive: true }));

async function onRanks(ranks: number, names: readonly string[], data: object = {}): Promise<Read[]> {
  const given = { reader: 'readComplexRows', paths: names.map(path), ...data };
  return (await runRanks(PROGRAM, { ranks, threads: 1, data: given })) as Read[];
}

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

describe('rows of a complex file', () => {
  const names = [...SHARED, 'general.mtx.gz', 'mac.mtx', 'real.npz'];
  test.each([1, 2, 3, 4])('on %d ranks', async (ranks) => {
    const all = await onRanks(ranks, names);
    for (const [k, name] of names.entries()) {
      const matrix = await readComplex(path(name));
      const bounds = boundsByWork(matrix.rows, (row) => matrix.rowPtr[row]!, ranks);
      for (const [rank, { rows }] of all.entries())
        expectRows(rows[k]!, rowsFrom(matrix, bounds[rank]!, bounds[rank + 1]!));
    }
  });

  test('of single numbers stay single', async () => {
    const [first] = await onRanks(2, ['single.npz', 'single.npy']);
    expect(first!.rows.map(({ values }) => values.constructor)).toEqual([Float32Array, Float32Array]);
  });

  test('with duplicates, which are summed in the order of the file, also across shares', async () => {
    const duplicated = ['duplicates.mtx', 'hermitian-duplicates.mtx'];
    const all = await onRanks(3, duplicated);
    for (const [k, name] of duplicated.entries()) {
      const matrix = await readComplex(path(name));
      let end = 0;
      for (const { rows } of all) {
        const { firstRow, rows: count } = rows[k]!;
        expect(firstRow).toBe(end);
        end += count;
        expectRows(rows[k]!, rowsFrom(matrix, firstRow, end));
      }
      expect(end).toBe(matrix.rows);
    }
  });

  test.each(SHARED)('%s, of which no rank reads much more than its share', async (name) => {
    const { size } = await stat(path(name));
    // A rank also reads headers, in pieces of 4 KiB, and the lengths of rows twice.
    for (const { progress } of await onRanks(4, [name])) {
      expect(progress[0]! / size).toBeGreaterThan(0.2);
      expect(progress[0]! / size).toBeLessThan(0.42);
    }
  });

  test('of any numbers, as the command line reads them', async () => {
    const all = await onRanks(2, ['hermitian.mtx', 'double.npz', 'real.npz', 'double.npy'], { reader: 'readAnyRows' });
    for (const { rows } of all)
      expect(rows.map(({ field }) => field)).toEqual(['complex', 'complex', 'real', 'complex']);
    const complex = await onRanks(2, ['hermitian.mtx', 'double.npz']);
    for (const [rank, { rows }] of complex.entries())
      for (const [k, one] of rows.entries()) expectRows(all[rank]!.rows[k]!, one);
  });
});

describe('an error of one reader is thrown on all ranks', () => {
  test.each([
    ['few.mtx', `expected ${GRID.nnz} entries, got the end of the file after ${GRID.nnz - 1}`],
    ['many.mtx', `expected the end of the file after ${GRID.nnz} entries, got '1 1 1 0'`],
    ['both.mtx', 'expected an entry or its mirror image, not both (hermitian), got (2, 1) and (1, 2)'],
    ['diagonal.mtx', "expected a real number on the diagonal (hermitian), got '7 7 1 2'"],
    ['cut.npz', 'expected the header of a file in a zip archive, or its directory, got the end of the file'],
  ])('%s', async (name, message) => {
    await expect(onRanks(3, [name])).rejects.toThrow(message);
  });

  test('a wrong line has its number in the whole file', async () => {
    const line = (await readFile(path('wrong.mtx'), 'utf8')).split('\n').indexOf('1 1 1') + 1;
    await expect(onRanks(3, ['wrong.mtx'])).rejects.toThrow(
      `wrong.mtx:${line}: expected row, column, real part, imaginary part on a line (complex), got '1 1 1'`,
    );
  });

  test('also one that aborts', async () => {
    const names = ['hermitian.mtx', 'double.npz', 'double.npy'];
    const all = await onRanks(2, names, { abortedRank: 1 });
    for (const { errors } of all) expect(errors).toEqual(names.map(() => 'rank 1: enough'));
  });

  test('readRows refuses complex numbers', async () => {
    for (const name of SHARED)
      await expect(onRanks(2, [name], { reader: 'readRows' })).rejects.toThrow('readComplex reads complex matrices');
  });
});
