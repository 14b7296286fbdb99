/** Bounds on what a file may claim without having it. */
import { mismatch } from '../core/errors.js';

/** The number of rows that a file may claim without any entry, and in addition for each entry. */
const FREE_ROWS = 2 ** 24;
const ROWS_PER_ENTRY = 64;

/**
 * Empty rows cost memory too: pointers of a matrix, elements of a vector. So forty bytes of text could request 16 GiB,
 * and a system that overcommits memory would kill the process. A matrix of 2²⁴ empty rows, 64 MiB of pointers, is
 * accepted. The number of entries has been verified before this check.
 */
export function checkClaim({ file, rows, entries }: { file: string; rows: number; entries: number }): void {
  const most = Math.max(FREE_ROWS, ROWS_PER_ENTRY * entries);
  if (rows > most) throw mismatch('heap', file, `at most ${most} rows for ${entries} entries`, rows, { rows, entries });
}

/** 4 GiB of doubles. */
const MAX_BLOCK = 2 ** 29;

/** What a matrix may have of rows, or of columns. */
const MAX_SIZE = 0xffff_ffff;

/** Checks the size of a dense block. @throws SparlaneError `heap` */
export function checkBlock(file: string, rows: number, columns: number): void {
  if (rows * columns <= MAX_BLOCK && Math.max(rows, columns) <= MAX_SIZE) return;
  throw mismatch('heap', file, `a block of at most ${MAX_BLOCK} numbers`, `${rows} × ${columns}`, { rows, columns });
}
