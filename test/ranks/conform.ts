/** Programs and checks that ranks, threads of this process, run together. */
import { type RunRanksOptions, runRanks } from 'sparlane';
import { expect } from 'vitest';
import { runRanks as runModules } from '#dist/index.node.js';

export const program = (name: string): URL => new URL(`./programs/${name}`, import.meta.url);

/** One rank, and two or three in turn, for cases that are alike: products, sums and messages are tested with more numbers of ranks. */
export const ranksInTurn = (k: number): readonly number[] => [1, 2 + (k % 2)];

/** A program and its data. */
export type Run = readonly [name: string, data?: unknown];

/** Runs programs on the same ranks, one after the other. @returns what each rank returned, for each program */
export async function runSeveral(
  ranks: number,
  programs: readonly Run[],
  options: Partial<RunRanksOptions> = {},
): Promise<unknown[][]> {
  const byRank = await runRanks(program('several.mjs'), { ranks, threads: 1, data: programs, ...options });
  return programs.map((_, k) => (byRank as unknown[][]).map((results) => results[k]));
}

/**
 * Runs a program with each of some data, which are alike, on `ranksInTurn`: with all of them that as many ranks get, in one start.
 *
 * @returns what each of so many ranks returned for the k-th data
 */
export function runInTurn<Found>(
  name: string,
  data: readonly unknown[],
  options: Partial<RunRanksOptions> = {},
): (k: number, ranks: number) => Promise<Found[]> {
  const start = once(async (ranks: number) => {
    const mine = [...data.keys()].filter((k) => ranksInTurn(k).includes(ranks));
    const runs = mine.map((k): Run => [name, data[k]]);
    const found = (await runSeveral(ranks, runs, options)) as Found[][];
    return new Map(mine.map((k, place) => [k, found[place]!]));
  });
  return async (k, ranks) => (await start(ranks)).get(k)!;
}

export interface Report {
  readonly checks: number;
  readonly refused: number;
}

/** Runs checks on ranks, one after the other; in each of them all ranks must find the same. The checks are in no bundle. */
export async function conform(ranks: number, ...checks: readonly object[]): Promise<Report[]> {
  const data = checks.map((check) => ['conform.mjs', check]);
  const [first, ...others] = (await runModules(program('several.mjs'), { ranks, threads: 1, data })) as Report[][];
  for (const report of first!) expect(report).toMatchObject({ failed: 0, failures: [] });
  for (const other of others) expect(other).toEqual(first);
  return first!;
}

/** A function that keeps what it has made of each argument. */
export function once<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key)!;
  };
}
