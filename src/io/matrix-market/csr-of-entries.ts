/**
 * All entries of a file, in any order → CSR: by buckets of rows where they are many and in disorder.
 *
 * Cost: 6 million entries of a random graph with values in 0.4 s of CPU time, `csrInPlace` 0.85, `csrFromEntries` 1.0; of a pattern 0.23, 0.4
 * and 0.7 (2-core AMD EPYC, 26 November 2026). Memory: the entries, and as much again.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { csrInPlace } from '../../core/csr-in-place.js';
import { discardChunk, type EntryChunk } from '../../core/entries.js';
import { wantsBuckets } from './bucket-choice.js';
import { RowBuckets } from './row-buckets.js';
import { scannerParts } from './scanner.js';

/** Fewer entries do not pay for compiling the module, which takes 4 ms. Chosen. */
const MIN_ENTRIES: number = 1 << 17;

/** Of checked entries, fewer than 2³², that are nobody else's: their arrays are used up. */
export async function csrOfEntries(
  shape: Pick<CsrMatrix, 'rows' | 'cols' | 'field'>,
  entries: EntryChunk,
): Promise<CsrMatrix> {
  const general = { ...shape, symmetry: 'general' } as const;
  const header = { ...general, file: '', format: 'coordinate', entries: entries.used } as const;
  const isWorth = entries.used >= MIN_ENTRIES && wantsBuckets(header) && !isByRows(entries);
  const parts = isWorth ? await scannerParts() : undefined;
  if (parts === undefined) return csrInPlace(general, entries);
  const buckets = new RowBuckets(parts.module, header);
  const { room } = buckets;
  const { rowIdx, colIdx, values, used } = entries;
  for (let begin = 0; begin < used; begin += room.rowIdx.length) {
    const end = Math.min(used, begin + room.rowIdx.length);
    room.rowIdx.set(rowIdx.subarray(begin, end));
    room.colIdx.set(colIdx.subarray(begin, end));
    if (values !== undefined) room.values!.set(values.subarray(begin, end));
    room.used = end - begin;
    buckets.take();
  }
  discardChunk(entries);
  // Without mirror images there is always a matrix.
  return buckets.matrix()!;
}

function isByRows({ rowIdx, used }: EntryChunk): boolean {
  for (let k = 1; k < used; k++) if (rowIdx[k]! < rowIdx[k - 1]!) return false;
  return true;
}
