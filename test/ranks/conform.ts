/** Checks that ranks, threads of this process, make together. */
import { expect } from 'vitest';
import { runRanks } from '#dist/index.node.js';

export const program = (name: string): URL => new URL(`./programs/${name}`, import.meta.url);

/** One rank, and two or three in turn, for cases that are alike: products, sums and messages are tested with more numbers of ranks. */
export const ranksInTurn = (k: number): readonly number[] => [1, 2 + (k % 2)];

export interface Report {
  readonly checks: number;
  readonly refused: number;
}

/** Runs checks on ranks, which must find the same. */
export async function conform(ranks: number, data: unknown): Promise<Report> {
  const reports = (await runRanks(program('conform.mjs'), { ranks, threads: 1, data })) as Report[];
  for (const report of reports) expect(report).toEqual({ ...reports[0], failed: 0, failures: [] });
  return reports[0]!;
}
