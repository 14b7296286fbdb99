/**
 * Transposition of matrices whose consecutive rows have few columns in common (`scattered`): almost every write of `transpose_fill` would
 * miss the caches. Entries go through buckets of 2¹⁶ adjacent places each, which fit into the second-level cache. Every window has all
 * columns. Steps after `place`:
 *
 *     buckets    parts    bucketPtr[part][b] ← entries of the part in bucket b (the caller adds up)
 *     spread     parts    appends place, row and value of each entry to its bucket
 *     settle     buckets  writes row and value of each entry of the bucket to its place
 */
import { Operands } from './operands';
import { next, TransposeHeader } from './transpose';
import { SLICE, windowOf } from './windows';
import { word } from './word';

const BUCKET_SHIFT: u32 = 16;
/** Unused records between two buckets: five cache lines. Otherwise all buckets would fill up in the same sets of a cache. */
const GAP: u32 = 20;

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

export function transpose_spread_f64(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  spread<f64>(header, begin, end);
}

export function transpose_spread_f32(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  spread<f32>(header, begin, end);
}

@inline
function spread<V>(header: TransposeHeader, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++) {
    const buckets = header.bucketPtr + <usize>part * ((<usize>header.buckets) << 2);
    const row = load<u32>(word(header.partPtr, part));
    spreadRows<V>(header, windowOf(header, part).places, buckets, row, load<u32>(word(header.partPtr, part), 4));
  }
}

function spreadRows<V>(header: TransposeHeader, places: usize, buckets: usize, row: u32, end: u32): void {
  if (end - row > SLICE) {
    const middle = row + ((end - row) >> 1);
    spreadRows<V>(header, places, buckets, row, middle);
    spreadRows<V>(header, places, buckets, middle, end);
    return;
  }
  const records = header.records;
  let ptr = word(header.rowPtr, row);
  const k = load<u32>(ptr);
  let col = word(header.colIdx, k);
  let value = header.values + ((<usize>k) << alignof<V>());
  for (; row < end; row++) {
    ptr += 4;
    for (const last = word(header.colIdx, load<u32>(ptr)); col < last; col += 4) {
      const place = next(word(places, load<u32>(col)));
      const at = next(word(buckets, place >> BUCKET_SHIFT));
      const record = records + ((<usize>at) << 4);
      store<u64>(record, ((<u64>row) << 32) | <u64>place);
      store<V>(record, load<V>(value), 8);
      value += sizeof<V>();
    }
  }
}

export function transpose_settle_f64(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let bucket = begin; bucket < end; bucket++) settle<f64>(header, bucket);
}

export function transpose_settle_f32(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let bucket = begin; bucket < end; bucket++) settle<f32>(header, bucket);
}

/** The records of a bucket begin after the buckets and gaps before it. */
@inline
function settle<V>(header: TransposeHeader, bucket: u32): void {
  const idx = header.idx;
  const moved = header.moved;
  const first = bucket << BUCKET_SHIFT;
  const count = min<u32>(header.nnz - first, 1 << BUCKET_SHIFT);
  let record = header.records + ((<usize>(first + bucket * GAP)) << 4);
  for (const last = record + ((<usize>count) << 4); record < last; record += 16) {
    const place = load<u32>(record);
    store<u32>(word(idx, place), load<u32>(record, 4));
    store<V>(moved + ((<usize>place) << alignof<V>()), load<V>(record, 8));
  }
}
