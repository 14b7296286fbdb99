/** Ranks read files by `programs/read.mjs`, many in one start, since a start takes longer than most files. */
import { basename } from 'node:path';
import { runRanks } from 'sparlane';
import { expect } from 'vitest';
import { program } from './conform.js';

/** A file to read. */
export interface FileOfRanks {
  readonly path: string;
  readonly reader?: 'readRows' | 'readComplexRows' | 'readAnyRows';
  /** The rank on which a signal aborts it. */
  readonly abortedRank?: number;
}

/** What a rank finds in a file. */
export interface Found<Rows> {
  readonly rows: Rows;
  /** The message, in place of rows. */
  readonly error?: string;
  /** The bytes that were reported last. */
  readonly progress: number;
}

/** @returns for each file, what each rank finds */
export async function readFiles<Rows>(ranks: number, files: readonly FileOfRanks[]): Promise<Found<Rows>[][]> {
  const all = await runRanks(program('read.mjs'), { ranks, threads: 1, data: { files } });
  return files.map((_, k) => (all as { readonly files: readonly Found<Rows>[] }[]).map((rank) => rank.files[k]!));
}

/** The same by the names of the files. */
export async function readByName<Rows>(
  ranks: number,
  files: readonly FileOfRanks[],
): Promise<(name: string) => Found<Rows>[]> {
  const found = await readFiles<Rows>(ranks, files);
  return (name) => found[files.findIndex(({ path }) => basename(path) === name)]!;
}

/** Every rank has the same error. */
export function expectErrors(found: readonly Found<unknown>[], message: string): void {
  for (const { error } of found) expect(error).toBe(found[0]!.error);
  expect(found[0]!.error).toContain(message);
}

/** No rank reads much more than its share, a fourth; headers are read in pieces of 4 KiB, and the lengths of rows twice. */
export function expectFourthParts(found: readonly Found<unknown>[], size: number): void {
  for (const { progress } of found) {
    expect(progress / size).toBeGreaterThan(0.2);
    expect(progress / size).toBeLessThan(0.42);
  }
}
