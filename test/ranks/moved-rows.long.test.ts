/** Rows move between ranks, are assembled, get other values, and are written to files by all ranks. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gallery, read, readVector, runRanks } from 'sparlane';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { once, program, type Run, runSeveral } from './conform.js';
import { expectMovedRows, type MovedRows } from './moved-rows.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparlane-ranks-'));
});
afterAll(() => rm(folder, { recursive: true }));

const MATRICES = [
  { name: 'laplace2d9', given: { nx: 40, ny: 30 } },
  // Some ranks get no row of these.
  { name: 'laplace1d3', given: { nx: 5 } },
  { name: 'rmat', given: { scale: 9, values: 'ones' } },
] as const;
/** What ranks find for each matrix, with files in a folder that has its name. */
const movedBy = once(async (ranks: number) => {
  for (const { name } of MATRICES) await mkdir(join(folder, `${ranks}`, name), { recursive: true });
  const runs = MATRICES.map((one): Run => ['moved-rows.mjs', { ...one, folder: join(folder, `${ranks}`, one.name) }]);
  return (await runSeveral(ranks, runs)) as MovedRows[][];
});

describe.each([1, 2, 3, 4])('%d ranks', (ranks) => {
  test.each(MATRICES)('$name', async (one) => {
    const { name, given } = one;
    const all = (await movedBy(ranks))[MATRICES.indexOf(one)]!;
    for (const found of all) expectMovedRows(found, name, given);
    const matrix = gallery(name, given);
    const path = (file: string) => join(folder, `${ranks}`, name, file);
    for (const file of ['A.petsc', 'A.mtx']) {
      const { rowPtr, colIdx, values } = await read(path(file));
      expect([rowPtr, colIdx, values]).toEqual([matrix.rowPtr, matrix.colIdx, matrix.values]);
    }
    expect(await readVector(path('x.npy'))).toEqual(Float64Array.from(all[0]!.y));
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
