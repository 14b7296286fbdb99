/**
 * Programs and conformance checks on ranks of Open MPI and of MPICH; those of as many ranks share a start. Between threads they are tested with each number of ranks
 * and in full. What starts and ends ranks is in `mpi.long.test.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { MpiLibrary } from '#dist/index.node.js';
import { isSoak } from '../soak.js';
import { once, type Report, type Run, runSeveral } from './conform.js';
import { DEEDS, expectDisagreements } from './disagreements.js';
import { findMpi, onMpi } from './find-mpi.js';
import { expectGroups } from './groups.js';
import { expectMessages } from './messages.js';
import { expectMovedRows } from './moved-rows.js';

interface Shared {
  readonly what: string;
  readonly run: Run;
  /** The numbers of ranks. */
  readonly openmpi: readonly number[];
  readonly mpich: readonly number[];
  expect(found: never, ranks: number): unknown;
}

const byThreads = once((ranks: number) =>
  once(async (run: Run): Promise<unknown> => {
    const [[first]] = (await runSeveral(ranks, [run])) as [unknown[]];
    return JSON.parse(JSON.stringify(first));
  }),
);

const folder = mkdtempSync(join(tmpdir(), 'sparlane-ranks-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What all ranks return as well as threads, bit by bit. */
const ALIKE: readonly Omit<Shared, 'expect'>[] = [
  // The first of its start: it tells what stays allocated.
  {
    what: 'multigrid',
    run: [
      'multigrid.mjs',
      [
        { name: 'laplace2d5', given: { nx: 50, ny: 50 }, spec: 'amg?coarsest=50' },
        { name: 'elasticity3d', given: { nx: 5, ny: 5, nz: 5 }, spec: 'amg?block=3&coarsest=60', modes: true },
      ],
    ],
    openmpi: [3],
    mpich: [3],
  },
  { what: 'pipelined cg', run: ['pipelined.mjs', { preconditioner: 'ic0' }], openmpi: [3], mpich: [3] },
  {
    what: 'an order of rows',
    run: ['order-rows.mjs', { name: 'delaunay', given: { n: 4000 }, gathered: 3000 }],
    openmpi: [3],
    mpich: [2],
  },
];

const [name, given] = ['laplace2d9', { nx: 90, ny: 80 }] as const;
const PROGRAMS: readonly Shared[] = [
  // The first of its start: operators have numbers.
  {
    what: 'errors of ranks that disagree, which go on',
    run: ['disagrees.mjs', DEEDS],
    ...{ openmpi: [2], mpich: [2] },
    expect: expectDisagreements,
  },
  ...ALIKE.map((one) => ({
    ...one,
    expect: async (found: unknown, ranks: number) => expect(found).toEqual(await byThreads(ranks)(one.run)),
  })),
  {
    what: 'messages from rank to rank',
    run: ['messages.mjs', {}],
    ...{ openmpi: [2, 5], mpich: [1, 3] },
    expect: expectMessages,
  },
  { what: 'groups', run: ['groups.mjs', {}], openmpi: [2, 3, 5], mpich: [2, 3], expect: expectGroups },
  {
    what: 'rows that move, are assembled and go through files',
    run: ['moved-rows.mjs', { name, given, folder }],
    ...{ openmpi: [2], mpich: [3] },
    expect: (found) => expectMovedRows(found, name, given),
  },
];

/** In each of thousands of products and sums a rank waits for others, so only some matrices and problems are tried. */
const [SOME_MATRICES, SOME_PROBLEMS] = isSoak ? [1, 3] : [4, 6];
const expectChecks = (least: number) => (report: Report) => {
  expect(report).toMatchObject({ failed: 0, failures: [] });
  expect(report.checks).toBeGreaterThan(least);
};
const CHECKS: readonly Shared[] = [
  {
    what: 'calls and sums',
    run: ['conform.mjs', { check: 'calls' }],
    ...{ openmpi: [3, 4], mpich: [1, 2] },
    expect: expectChecks(60),
  },
  {
    what: 'calls and sums of groups',
    run: ['conform.mjs', { check: 'calls', groups: 2 }],
    ...{ openmpi: [4], mpich: [3] },
    expect: expectChecks(60),
  },
  {
    what: 'products',
    run: ['conform.mjs', { check: 'products', specs: ['csr'], brief: !isSoak, every: SOME_MATRICES }],
    ...{ openmpi: [3], mpich: [2] },
    expect: expectChecks(1000),
  },
  {
    what: 'solvers',
    run: ['conform.mjs', { check: 'solvers', every: SOME_PROBLEMS }],
    ...{ openmpi: [3], mpich: [2] },
    expect: expectChecks(50),
  },
];

const libraries = { openmpi: await findMpi('openmpi'), mpich: await findMpi('mpich') };

// One after the other: ranks of MPICH keep their cores while they wait.
describe.each(['openmpi', 'mpich'] as const)('%s', (library: MpiLibrary) => {
  const testMpi = test.skipIf(!libraries[library]);

  describe.each([
    ['programs', PROGRAMS],
    ['conformance', CHECKS],
  ])('%s', (_, all) => {
    const start = once(async (ranks: number) => {
      const mine = all.filter((one) => one[library].includes(ranks));
      const found = await onMpi(
        library,
        ranks,
        mine.map(({ run }) => run),
      );
      return new Map(mine.map((one, k) => [one, found[k]]));
    });

    testMpi.each(all.flatMap((one) => one[library].map((ranks) => ({ one, ranks, what: one.what }))))(
      '$what, of $ranks ranks',
      async ({ one, ranks }) => {
        await one.expect((await start(ranks)).get(one) as never, ranks);
      },
    );
  });
});
