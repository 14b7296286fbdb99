/** Which files go to buckets of rows (`row-buckets.ts`). */
import type { EntryChunk } from '../../core/entries.js';
import type { MatrixMarketHeader } from './header.js';

/**
 * Of fewer entries, the copies to buckets take longer than they save. On the 2-core AMD EPYC, 27 November 2026, CPU time of a file: 36,000
 * entries of a pattern in random order 1.3 ms instead of 1.8, of a band by columns 0.85 and 0.94; 9600 entries of a band with values 0.87
 * instead of 0.83.
 */
const MIN_ENTRIES: number = 1 << 14;
/** Rows, columns and places are signed integers. */
const SIGNED_END = 2 ** 31;
const ENTRY_BYTES = 16;
/** Half of a second-level cache. */
const CACHE_BYTES: number = 1 << 19;

/** Whether entries of this number and shape are worth it. */
export function wantsBuckets(header: MatrixMarketHeader): boolean {
  const { rows, cols, format, entries } = header;
  const isSigned = Math.max(rows, cols, mostOf(header)) < SIGNED_END;
  return format === 'coordinate' && isSigned && entries >= MIN_ENTRIES;
}

/**
 * Whether the first entries of a triangle with values, and so their mirror images, lie in rows that fit into a cache together, as those of a band by
 * columns: all such entries are placed as fast without buckets, which copy them twice. On the 2-core AMD EPYC, 23 November 2026,
 * `bench/read.mjs`, `symmetric`: in 0.87 of the time on one thread, the same on two. A pattern takes 0.9 of the CPU time with buckets
 * (27 November 2026, 3 and 10 MB).
 */
export function staysInCache(header: MatrixMarketHeader, { rowIdx, colIdx, used }: EntryChunk): boolean {
  let first = header.rows;
  let last = 0;
  for (let k = 0; k < used; k++) {
    first = Math.min(first, rowIdx[k]!, colIdx[k]!);
    last = Math.max(last, rowIdx[k]!, colIdx[k]!);
  }
  const rowBytes = (ENTRY_BYTES * mostOf(header)) / header.rows;
  return header.symmetry !== 'general' && header.field !== 'pattern' && (last - first) * rowBytes <= CACHE_BYTES;
}

/** Entries and their mirror images. */
export function mostOf({ symmetry, entries }: MatrixMarketHeader): number {
  return symmetry === 'general' ? entries : 2 * entries;
}
