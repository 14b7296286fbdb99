/** Multigrid that each rank makes of its own rows, where some have more levels than others: none waits for another one meanwhile. */
import { runRanks } from 'sparlane';
import { expect, test } from 'vitest';

interface Report {
  readonly solved: readonly {
    readonly converged?: boolean;
    readonly iterations?: number;
    readonly levels?: number;
    readonly message?: string;
  }[];
  readonly leaked: number;
}

const PROGRAM = new URL('programs/own-levels.mjs', import.meta.url);

test('ranks may have different numbers of levels', async () => {
  const mesh = ['delaunay', { n: 3000 }] as const;
  const cases = [
    [...mesh, 'classical-amg?coarsest=310'],
    [...mesh, 'classical-amg?coarsest=310&smoother=chebyshev'],
    [...mesh, 'classical-amg?coarsest=310&cycle=w'],
    [...mesh, 'classical-amg?coarsest=310&cycle=k'],
    [...mesh, 'schur?split=10'],
  ];
  const reports = (await runRanks(PROGRAM, { ranks: 3, threads: 1, data: cases })) as Report[];
  for (const { solved, leaked } of reports) {
    // The space keeps room for sums.
    expect(leaked).toBeLessThanOrEqual(4096);
    expect(solved.slice(0, 3).map(({ converged }) => converged)).toEqual([true, true, true]);
    expect(solved[3]!.message).toMatch(/classical-amg cycle: expected v \| w where ranks share the vectors/);
    expect(solved[4]!.message).toMatch(/schur split: expected 0 where ranks share the vectors/);
    expect(solved.map(({ iterations }) => iterations)).toEqual(reports[0]!.solved.map(({ iterations }) => iterations));
  }
  expect(new Set(reports.map(({ solved }) => solved[0]!.levels)).size).toBeGreaterThan(1);
});
