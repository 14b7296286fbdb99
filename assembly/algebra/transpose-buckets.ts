/**
 * Transposition of matrices whose consecutive rows have few columns in common (`scattered`): almost every write of `transpose_fill` would
 * miss the caches. Entries go through buckets of 2¹⁶ adjacent places each, which fit into the second-level cache. Every window has all
 * columns. Steps after `place`:
 *
 *     buckets    parts    bucketPtr[part][b] ← entries of the part in bucket b (the caller adds up)
 *     spread     parts    appends place, row and value of each entry to its bucket (`transpose-move.ts`)
 *     settle     buckets  writes row and value of each entry of the bucket to its place
 */
import { BUCKET_GAP, BUCKET_SHIFT, TransposeHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { windowOf } from './windows';

export function transpose_buckets(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++) {
    const counts = header.bucketPtr + <usize>part * ((<usize>header.buckets) << 2);
    memory.fill(counts, 0, (<usize>header.buckets) << 2);
    const firsts = windowOf(header, part).places;
    const lasts = part + 1 < header.parts ? windowOf(header, part + 1).places : header.ptr + 4;
    for (let col: u32 = 0; col < header.cols; col++) {
      let place = load<u32>(word(firsts, col));
      const last = load<u32>(word(lasts, col));
      while (place < last) {
        const bucket = place >> BUCKET_SHIFT;
        // The last bucket may end at 2³².
        const left = (bucket << BUCKET_SHIFT) + ((1 << BUCKET_SHIFT) - 1) - place + 1;
        const count = min(left, last - place);
        const counter = word(counts, bucket);
        store<u32>(counter, load<u32>(counter) + count);
        place += count;
      }
    }
  }
}

export function transpose_settle<V>(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let bucket = begin; bucket < end; bucket++) settle<V>(header, bucket);
}

/** The records of a bucket begin after the buckets and gaps before it. */
@inline
function settle<V>(header: TransposeHeader, bucket: u32): void {
  const idx = header.idx;
  const moved = header.moved;
  const first = bucket << BUCKET_SHIFT;
  const count = min<u32>(header.nnz - first, 1 << BUCKET_SHIFT);
  let record = header.records + ((<usize>(first + bucket * BUCKET_GAP)) << 4);
  for (const last = record + ((<usize>count) << 4); record < last; record += 16) {
    const place = load<u32>(record);
    store<u32>(word(idx, place), load<u32>(record, 4));
    store<V>(moved + ((<usize>place) << alignof<V>()), load<V>(record, 8));
  }
}
