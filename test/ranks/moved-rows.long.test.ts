/** Rows move between ranks, are assembled, get other values, and are written to files by all ranks. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gallery, read, readVector, runRanks } from '#dist/index.node.js';
import { program } from './conform.js';
import { expectMovedRows, type MovedRows } from './moved-rows.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparlane-ranks-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([1, 2, 3, 4])('%d ranks', (ranks) => {
  test.each([
    ['laplace2d9', { nx: 40, ny: 30 }],
    // Some ranks get no row of these.
    ['laplace1d3', { nx: 5 }],
    ['rmat', { scale: 9, values: 'ones' }],
  ] as const)('%s', async (name, given) => {
    const data = { name, given, folder };
    const all = (await runRanks(program('moved-rows.mjs'), { ranks, threads: 1, data })) as MovedRows[];
    for (const one of all) expectMovedRows(one, name, given);
    const matrix = gallery(name, given);
    for (const file of ['A.petsc', 'A.mtx']) {
      const { rowPtr, colIdx, values } = await read(join(folder, file));
      expect([rowPtr, colIdx, values]).toEqual([matrix.rowPtr, matrix.colIdx, matrix.values]);
    }
    expect(await readVector(join(folder, 'x.npy'))).toEqual(Float64Array.from(all[0]!.y));
  });
});

test('what one rank does wrong is one error on all ranks, which go on', async () => {
  const all = await runRanks(program('wrong-rows.mjs'), { ranks: 3, threads: 1, data: { folder } });
  const [first, ...others] = all as { readonly messages: readonly string[]; readonly sum: number }[];
  for (const other of others) expect(other).toEqual(first);
  expect(first!.messages).toEqual([
    expect.stringMatching(/^rank 1: part: expected a rank for each of \d+ rows, got /),
    'rank 1: part[0]: expected a rank from 0 to 2, got 9',
    expect.stringMatching(/^rank 1: part: expected length \d+, got /),
    expect.stringMatching(/^rank 0: order: expected /),
    'rank 1: rowIdx[1]: expected a row below rows = 6, got 1000',
    expect.stringMatching(/^rank 1: colIdx: expected the length of rowIdx = 1, got /),
    expect.stringMatching(/^rank 1: values: expected length 2, got /),
    expect.stringMatching(/^rank 1: values: expected one for each of \d+ entries of this rank, got /),
    expect.stringMatching(/^rank 0: path: expected a name that ends in \.npy, got /),
    expect.stringMatching(/^rank 0: path: expected a name with \.mtx or \.petsc, got /),
    expect.stringMatching(/^rank 0: folder\/none\/A\.petsc: expected a file that can be written, got ENOENT/),
    'rank 0: x.npy: expected 4 elements, got 6',
  ]);
  // The rows of a 5-point Laplacian of 6 × 5 points add up to the edges that leave the grid.
  expect(first!.sum).toBe(22);
});
