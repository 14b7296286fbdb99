/** Rows in a bad order get a good one, beside that which one process finds for the whole matrix. */
import { runRanks } from 'sparlane';
import { describe, expect, test } from 'vitest';
import { program } from './conform.js';
import { expectOrderedRows, expectRightRows, type OrderedRows } from './ordered-rows.js';

const ordered = async (ranks: number, data: object) => {
  const all = (await runRanks(program('order-rows.mjs'), { ranks, threads: 1, data })) as OrderedRows[];
  for (const one of all) expect(one).toEqual(all[0]);
  return all[0]!;
};

describe.each([2, 3, 5])('%d ranks', (ranks) => {
  test.each([
    { name: 'delaunay', given: { n: 6000 }, gathered: 4000 },
    { name: 'laplace3d27', given: { nx: 18, ny: 18, nz: 18 }, gathered: 30_000 },
    { name: 'laplace2d5', given: { nx: 80, ny: 80 }, isUpper: true, gathered: 4000 },
  ])('$name, of which $gathered entries may be gathered', async (data) => {
    expectOrderedRows(await ordered(ranks, data));
  });
});

test.each([
  ['fewer rows than ranks', { name: 'laplace2d5', given: { nx: 2, ny: 1 } }],
  ['a full matrix, which cannot be coarsened', { name: 'dense', given: { rows: 40, cols: 40 } }],
  ['rows with many entries and rows with none, of no symmetric pattern', { name: 'rmat', given: { scale: 9 } }],
])('%s', async (_, matrix) => {
  const found = await ordered(4, { ...matrix, gathered: 0 });
  expectRightRows(found);
  expect(Math.max(...found.partOf)).toBeLessThan(4);
});
