/** Rows that move between ranks, assembly over ranks, other values, and files that all ranks write. */
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
    // Fewer rows than some ranks get.
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
