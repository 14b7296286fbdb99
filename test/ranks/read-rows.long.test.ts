/** Readers that give each rank its rows, and what ranks choose to solve with. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type CsrMatrix,
  gallery,
  galleryRightHandSide,
  partition,
  type RankRows,
  read,
  rowsOfRank,
  runRanks,
  save as saveFile,
  sliceRows,
  writeMatrixMarket,
} from 'sparlane';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RowWork } from '#dist/io/matrix-market/row-work.js';
import { relativeResidual } from '../solvers/residual.js';
import { once, program } from './conform.js';
import { expectRows } from './expect-rows.js';
import { expectErrors, expectFourthParts, readByName, readFiles } from './read-files.js';
import { GRID, writeShares } from './share-files.js';

interface Solved {
  readonly x: Float64Array;
  readonly method: string;
  readonly preconditioner: string;
  readonly converged: boolean;
}

const onRanks = <T>(ranks: number, data: object) =>
  runRanks(program('read.mjs'), { ranks, threads: 1, data }) as Promise<T[]>;

const laplacian = gallery('laplace2d5', { nx: 17, ny: 13 });
// Not a whole number of rows per rank; more entries than a chunk of the reader has.
const large = gallery('laplace2d9', { nx: 301, ny: 200 });
let folder: string;
const path = (name: string) => join(folder, name);

/** The rows of one rank, if each has as many. */
function evenRows(matrix: CsrMatrix, rank: number, ranks: number): RankRows {
  const [begin, end] = [rank, rank + 1].map((r) => Math.floor((matrix.rows * r) / ranks));
  const { rows, cols, rowPtr, colIdx, values } = sliceRows({ ...matrix, symmetry: 'general' }, begin!, end);
  const { field, symmetry } = matrix;
  return { firstRow: begin!, rows, cols, rowPtr, colIdx, values, field, symmetry };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparlane-ranks-'));
  const save = (name: string, matrix: CsrMatrix) => pipeline(writeMatrixMarket(matrix), createWriteStream(path(name)));
  await save('symmetric.mtx', laplacian);
  await save('large.mtx', { ...large, symmetry: 'general' });
  await saveFile(path('large.npz'), { ...large, symmetry: 'general' });
  await writeShares(folder);
  await save('pattern.mtx', gallery('rmat', { scale: 8, values: 'ones' }));
  const banner = '%%MatrixMarket matrix coordinate real';
  await writeFile(path('skew.mtx'), `${banner} skew-symmetric\n3 3 2\n2 1 5\n3 2 -7\n`);
  await writeFile(path('both.mtx'), `${banner} symmetric\n3 3 3\n2 1 5\n1 2 5\n3 3 1\n`);
});

afterAll(() => rm(folder, { recursive: true }));

describe('rows of a file', () => {
  const WITHOUT_DUPLICATES = [
    'symmetric.mtx',
    'large.mtx',
    'pattern.mtx',
    'skew.mtx',
    'large.npz',
    'lower.mtx',
    'skew-shares.mtx',
    'grid.petsc',
    'dense.npy',
    'single.npy',
  ];
  const WITH_DUPLICATES = ['shuffled.mtx', 'triangles.mtx', 'shuffled.mtx.gz'];
  const filesOf = (names: readonly string[]) => names.map((name) => ({ path: path(name) }));
  const wholeOf = once(async (name: string) => (await read(path(name))) as CsrMatrix);
  const foundBy = once((ranks: number) =>
    readByName<RankRows>(ranks, filesOf([...WITHOUT_DUPLICATES, ...WITH_DUPLICATES])),
  );

  test.each([1, 2, 3, 4])('on %d ranks', async (ranks) => {
    const found = await foundBy(ranks);
    for (const name of WITHOUT_DUPLICATES) {
      const matrix = await wholeOf(name);
      const byEntries = partition(matrix, ranks, { order: 'natural' });
      for (const [rank, { rows }] of found(name).entries()) expectRows(rows, rowsOfRank(matrix, byEntries, rank));
    }
  });

  test.each([2, 3, 4])(
    'with duplicates, which are summed in the order of the file, also across shares, on %d ranks',
    async (ranks) => {
      const found = await foundBy(ranks);
      for (const name of WITH_DUPLICATES) {
        const matrix = await wholeOf(name);
        for (const { rows } of found(name)) {
          const { firstRow, rows: count } = rows;
          const part = sliceRows({ ...matrix, symmetry: 'general' }, firstRow, firstRow + count);
          const { nnz: _, ...own } = part;
          expectRows(rows, { ...own, firstRow, symmetry: matrix.symmetry });
        }
        expect(found(name).reduce((sum, { rows }) => sum + rows.rows, 0)).toBe(matrix.rows);
      }
    },
  );

  test('of which each rank reads a share of the bytes', async () => {
    const found = await foundBy(2);
    const { size } = await stat(path('shuffled.mtx'));
    const packed = (await stat(path('shuffled.mtx.gz'))).size;
    for (const { progress } of found('shuffled.mtx')) expect(progress / size).toBeCloseTo(0.5, 2);
    for (const { progress } of found('shuffled.mtx.gz')) expect(progress).toBe(packed);
  });

  test.each(['grid.petsc', 'large.npz', 'dense.npy'])(
    '%s, of which no rank reads much more than its share',
    async (name) => {
      expectFourthParts((await foundBy(4))(name), (await stat(path(name))).size);
    },
  );

  test('of which reading ends on all ranks if one of them aborts', async () => {
    const files = filesOf(['shuffled.mtx', 'grid.petsc', 'large.npz', 'dense.npy']);
    const aborted = [0, 1].flatMap((abortedRank) => files.map((file) => ({ ...file, abortedRank })));
    const found = await readFiles(2, aborted);
    for (const [k, { abortedRank }] of aborted.entries()) expectErrors(found[k]!, `rank ${abortedRank}: enough`);
  });

  const wrongLine = async () => (await readFile(path('wrong.mtx'), 'utf8')).split('\n').indexOf('1 x 3') + 1;
  const REFUSED = {
    'few.mtx': `expected ${GRID.nnz} entries, got the end of the file after ${GRID.nnz - 1}`,
    'many.mtx': `expected the end of the file after ${GRID.nnz} entries, got '1 1 1'`,
    'both-shares.mtx': 'expected an entry or its mirror image, not both (symmetric), got (2, 1) and (1, 2)',
    'cut.petsc': `expected ${GRID.nnz} values, got the end of the file`,
    'cut.npz': 'expected the header of a file in a zip archive, or its directory, got the end of the file',
  };
  const refusedBy = once((ranks: number) =>
    readByName(ranks, filesOf([...Object.keys(REFUSED), 'wrong.mtx', 'both.mtx'])),
  );

  test.each(Object.entries(REFUSED))('%s is the error of one reader, on all ranks', async (name, message) => {
    expectErrors((await refusedBy(3))(name), message);
  });

  test('a wrong line has its number in the whole file', async () => {
    const message = `wrong.mtx:${await wrongLine()}: expected a column from 1 to ${GRID.rows}, got 'x'`;
    expectErrors((await refusedBy(3))('wrong.mtx'), message);
  });

  test('are counted together where there are very many', () => {
    const { rows, length, entries, counts } = new RowWork({ rows: 2 ** 22 + 1, symmetry: 'symmetric' });
    expect([rows, length, entries.length]).toEqual([2 ** 22 + 1, 5, 838_861]);
    expect([counts(0, 4), counts(2 ** 22, 5), counts(7, 7)]).toEqual([false, false, false]);
    expect([entries[0], entries[1], entries[838_860]]).toEqual([2, 2, 1]);
  });

  test('an entry beside its mirror image is refused by the ranks that have it', async () => {
    const errors = (await refusedBy(3))('both.mtx').flatMap(({ error }) => error ?? []);
    const message = 'an entry or its mirror image, not both (symmetric)';
    expect(errors).toEqual([expect.stringContaining(message), expect.stringContaining(message)]);
  });
});

test('rows of a gallery matrix are those of the whole', async () => {
  const galleries = [
    ['laplace3d7', { nx: 5, ny: 4, nz: 3 }],
    ['laplace2d9', { nx: 7, ny: 3, values: 'ones' }],
    ['laplace2d5', { nx: 4, ny: 5, block: 2 }],
    ['rmat', { scale: 5 }],
    ['laplace3d7', { nx: 3, ny: 2, nz: 2, block: 5 }],
    ['diffusion2d', { nx: 5, ny: 4 }],
    ['diffusion2d', { nx: 1, ny: 7 }],
    ['convection2d', { nx: 7, ny: 5, block: 2 }],
    ['stokes2d', { nx: 4, ny: 3 }],
    ['elasticity3d', { nx: 3, ny: 2, nz: 2 }],
    ['elasticity3d', { nx: 1, ny: 1, nz: 1, block: 2, values: 'ones' }],
    ['dense', { rows: 7, cols: 7, values: 'ones' }],
    ['dense', { rows: 2, cols: 5, values: 'ones' }],
  ] as const;
  const all = await onRanks<{ galleries: RankRows[] }>(3, { galleries });
  for (const [rank, { galleries: rows }] of all.entries())
    expect(rows).toEqual(galleries.map(([name, given]) => evenRows(gallery(name, given), rank, 3)));
  for (const [name, given] of [
    ['convection2d', { nx: 6, ny: 4, block: 2 }],
    ['diffusion2d', { nx: 6, ny: 6 }],
    ['stokes2d', { nx: 4, ny: 4 }],
    ['elasticity3d', { nx: 3, ny: 2, nz: 1 }],
    ['delaunay', { n: 40 }],
  ] as const) {
    const b = galleryRightHandSide(name, given);
    expect(galleryRightHandSide(name, given, [9, 30])).toEqual(b.slice(9, 30));
  }
});

describe('the method that ranks choose', () => {
  const undeclared = { ...laplacian, symmetry: 'general' };
  // One entry between rank 0 and rank 1, which have rows 0 to 54 and 55 to 220.
  const entry = laplacian.rowPtr[54 - 16]! + [...laplacian.colIdx.subarray(laplacian.rowPtr[38]!)].indexOf(55);
  const spoilt = { ...undeclared, values: laplacian.values.map((value, k) => (k === entry ? -0.5 : value)) };
  const convection = gallery('convection2d', { nx: 14, ny: 14 });

  test('is that of one process: symmetry is found also between ranks', async () => {
    expect(laplacian.colIdx[entry]).toBe(55);
    const matrices = [undeclared, spoilt, convection];
    const all = await onRanks<{ solved: Solved[] }>(2, { matrices });
    const { solved } = all[0]!;
    expect(all[1]!.solved).toEqual(solved);
    expect(solved.map(({ method, preconditioner }) => [method, preconditioner])).toEqual([
      ['cg', 'ic0'],
      ['gmres?restart=221', 'ilu0'],
      ['gmres?restart=196', 'ilu0'],
    ]);
    matrices.forEach((matrix, i) => {
      const residual = relativeResidual(matrix as CsrMatrix, solved[i]!.x, new Float64Array(matrix.rows).fill(1));
      expect(residual).toBeLessThan(1.0001e-8);
    });
  });
});
