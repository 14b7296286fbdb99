/** Rows in a bad order get a good one, beside that which one process finds for the whole matrix. */
import { describe, expect, test } from 'vitest';
import { once, type Run, runSeveral } from './conform.js';
import { expectOrderedRows, expectRightRows, type OrderedRows } from './ordered-rows.js';

/** What ranks find for each matrix, all of them the same. */
async function ordered(ranks: number, matrices: readonly object[]): Promise<OrderedRows[]> {
  const runs = matrices.map((matrix): Run => ['order-rows.mjs', matrix]);
  const found = (await runSeveral(ranks, runs)) as OrderedRows[][];
  for (const [first, ...others] of found) for (const one of others) expect(one).toEqual(first);
  return found.map(([first]) => first!);
}

const MATRICES = [
  { name: 'delaunay', given: { n: 6000 }, gathered: 4000 },
  { name: 'laplace3d27', given: { nx: 18, ny: 18, nz: 18 }, gathered: 30_000 },
  { name: 'laplace2d5', given: { nx: 80, ny: 80 }, isUpper: true, gathered: 4000 },
];
const orderedBy = once((ranks: number) => ordered(ranks, MATRICES));

describe.each([2, 3, 5])('%d ranks', (ranks) => {
  test.each(MATRICES)('$name, of which $gathered entries may be gathered', async (matrix) => {
    expectOrderedRows((await orderedBy(ranks))[MATRICES.indexOf(matrix)]!);
  });
});

const AWKWARD = [
  { what: 'fewer rows than ranks', name: 'laplace2d5', given: { nx: 2, ny: 1 } },
  { what: 'a full matrix, which cannot be coarsened', name: 'dense', given: { rows: 40, cols: 40 } },
  { what: 'rows with many entries and rows with none, of no symmetric pattern', name: 'rmat', given: { scale: 9 } },
];
const awkwardBy = once((ranks: number) =>
  ordered(
    ranks,
    AWKWARD.map((matrix) => ({ ...matrix, gathered: 0 })),
  ),
);

test.each(AWKWARD)('$what', async (matrix) => {
  const found = (await awkwardBy(4))[AWKWARD.indexOf(matrix)]!;
  expectRightRows(found);
  expect(Math.max(...found.partOf)).toBeLessThan(4);
});
