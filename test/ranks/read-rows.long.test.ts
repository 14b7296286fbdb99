/** Readers that give each rank its rows, and what ranks choose to solve with. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
} from '#dist/index.node.js';
import { RowWork } from '#dist/io/matrix-market/row-work.js';
import { relativeResidual } from '../solvers/residual.js';
import { expectRows } from './expect-rows.js';
import { GRID, writeShares } from './share-files.js';

const PROGRAM = new URL('./programs/read.mjs', import.meta.url);

interface Read {
  /** Each file was last reported with so many bytes. */
  readonly progress: readonly number[];
  readonly rows: readonly RankRows[];
  readonly errors: readonly string[];
  readonly solved: readonly {
    readonly x: Float64Array;
    readonly method: string;
    readonly preconditioner: string;
    readonly converged: boolean;
  }[];
}

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
  const names = [
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
  test.each([1, 2, 3, 4])('on %d ranks', async (ranks) => {
    const data = { paths: names.map(path) };
    const all = (await runRanks(PROGRAM, { ranks, threads: 1, data })) as Read[];
    for (const [k, name] of names.entries()) {
      const { kind: _, ...matrix } = await read(path(name));
      const byEntries = partition(matrix, ranks, { order: 'natural' });
      for (const [rank, { rows }] of all.entries()) expectRows(rows[k]!, rowsOfRank(matrix, byEntries, rank));
    }
  });

  test('with duplicates, which are summed in the order of the file, also across shares', async () => {
    const duplicated = ['shuffled.mtx', 'triangles.mtx', 'shuffled.mtx.gz'];
    const data = { paths: duplicated.map(path) };
    const all = (await runRanks(PROGRAM, { ranks: 3, threads: 1, data })) as Read[];
    for (const [k, name] of duplicated.entries()) {
      const { kind: _, ...matrix } = await read(path(name));
      for (const { rows } of all) {
        const { firstRow, rows: count } = rows[k]!;
        const part = sliceRows({ ...matrix, symmetry: 'general' }, firstRow, firstRow + count);
        const { nnz: __, ...own } = part;
        expectRows(rows[k]!, { ...own, firstRow, symmetry: matrix.symmetry });
      }
      expect(all.reduce((sum, { rows }) => sum + rows[k]!.rows, 0)).toBe(matrix.rows);
    }
  });

  test('of which each rank reads a share of the bytes', async () => {
    const data = { paths: [path('shuffled.mtx'), path('shuffled.mtx.gz')] };
    const all = (await runRanks(PROGRAM, { ranks: 2, threads: 1, data })) as Read[];
    const { size } = await stat(path('shuffled.mtx'));
    const packed = (await stat(path('shuffled.mtx.gz'))).size;
    for (const { progress } of all) {
      expect(progress[0]! / size).toBeCloseTo(0.5, 2);
      expect(progress[1]).toBe(packed);
    }
  });

  test.each(['grid.petsc', 'large.npz', 'dense.npy'])(
    '%s, of which no rank reads much more than its share',
    async (name) => {
      const { size } = await stat(path(name));
      // A rank also reads headers, in pieces of 4 KiB, and the lengths of rows twice.
      for (const { progress } of (await runRanks(PROGRAM, {
        ranks: 4,
        threads: 1,
        data: { paths: [path(name)] },
      })) as Read[]) {
        expect(progress[0]! / size).toBeGreaterThan(0.2);
        expect(progress[0]! / size).toBeLessThan(0.42);
      }
    },
  );

  test('of which reading ends on all ranks if one of them aborts', async () => {
    const paths = ['shuffled.mtx', 'grid.petsc', 'large.npz', 'dense.npy'].map(path);
    for (const abortedRank of [0, 1]) {
      const data = { paths, abortedRank };
      const all = (await runRanks(PROGRAM, { ranks: 2, threads: 1, data })) as Read[];
      for (const { errors } of all) expect(errors).toEqual(new Array(4).fill(`rank ${abortedRank}: enough`));
    }
  });

  test.each([
    ['few.mtx', `expected ${GRID.nnz} entries, got the end of the file after ${GRID.nnz - 1}`],
    ['many.mtx', `expected the end of the file after ${GRID.nnz} entries, got '1 1 1'`],
    ['both-shares.mtx', 'expected an entry or its mirror image, not both (symmetric), got (2, 1) and (1, 2)'],
    ['cut.petsc', `expected ${GRID.nnz} values, got the end of the file`],
    ['cut.npz', 'expected the header of a file in a zip archive, or its directory, got the end of the file'],
  ])('%s is the error of one reader, on all ranks', async (name, message) => {
    const reading = runRanks(PROGRAM, { ranks: 3, threads: 1, data: { paths: [path(name)] } });
    await expect(reading).rejects.toThrow(message);
  });

  test('a wrong line has its number in the whole file', async () => {
    const line = (await readFile(path('wrong.mtx'), 'utf8')).split('\n').indexOf('1 x 3') + 1;
    const reading = runRanks(PROGRAM, { ranks: 3, threads: 1, data: { paths: [path('wrong.mtx')] } });
    await expect(reading).rejects.toThrow(`wrong.mtx:${line}: expected a column from 1 to ${GRID.rows}, got 'x'`);
  });

  test('are counted together where there are very many', () => {
    const { rows, length, entries, counts } = new RowWork({ rows: 2 ** 22 + 1, symmetry: 'symmetric' });
    expect([rows, length, entries.length]).toEqual([2 ** 22 + 1, 5, 838_861]);
    expect([counts(0, 4), counts(2 ** 22, 5), counts(7, 7)]).toEqual([false, false, false]);
    expect([entries[0], entries[1], entries[838_860]]).toEqual([2, 2, 1]);
  });

  test('an entry beside its mirror image is refused by the ranks that have it', async () => {
    const data = { paths: [path('both.mtx')] };
    const reading = runRanks(PROGRAM, { ranks: 3, threads: 1, data });
    await expect(reading).rejects.toThrow('an entry or its mirror image, not both (symmetric)');
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
  const all = (await runRanks(PROGRAM, { ranks: 3, threads: 1, data: { galleries } })) as Read[];
  for (const [rank, { rows }] of all.entries())
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
    const all = (await runRanks(PROGRAM, { ranks: 2, threads: 1, data: { matrices } })) as Read[];
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
