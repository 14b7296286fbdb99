/**
 * Transposition of compressed rows: a counting sort by column, run in steps by `src/backends/team/transposition.ts`. The rows are
 * cut into parts; `places` has, for each part, the place of its next entry of each column. Entries keep their order in a column,
 * so the result does not depend on threads or parts.
 *
 *     count      parts    places[part][c] ← entries of column c in the part
 *     total      chunks   places[part][c] ← those of the parts before; chunkPtr[chunk + 1] ← entries of the columns of the chunk
 *                         (the caller adds up chunkPtr)
 *     place      chunks   places and ptr count from the first entry
 *     fill       parts    writes row and value of each entry to its place
 *
 * If consecutive rows have few columns in common (`scattered`), almost every write of `fill` misses the caches. Entries then go through
 * buckets of 2¹⁶ adjacent places each, which fit into the second-level cache:
 *
 *     buckets    parts    bucketPtr[part][b] ← entries of the part in bucket b (the caller adds up)
 *     spread     parts    appends place, row and value of each entry to its bucket
 *     settle     buckets  writes row and value of each entry of the bucket to its place
 *
 * Steps over rows halve their range down to SLICE rows: V8 replaces its baseline code only between two calls of a function.
 */
import { Operands } from './operands';

@unmanaged
class TransposeHeader {
  cols!: u32;
  nnz!: u32;
  parts!: u32;
  rowPtr!: usize;
  colIdx!: usize;
  values!: usize;
  /** u32, parts + 1, in rows. */
  partPtr!: usize;
  /** u32, parts × cols. */
  places!: usize;
  /** u32, chunks + 1. */
  chunkPtr!: usize;
  /** The result: u32, cols + 1; u32, nnz; nnz values. */
  ptr!: usize;
  idx!: usize;
  moved!: usize;
  /** Number of buckets; 0 without. */
  buckets!: u32;
  /** u32, parts × buckets. */
  bucketPtr!: usize;
  /** 16 bytes for each entry: place and row, u32 each, and value. */
  records!: usize;
}

const CHUNK: u32 = 1024;
const BUCKET_SHIFT: u32 = 16;
/** Unused records between two buckets: five cache lines. Otherwise all buckets would fill up in the same sets of a cache. */
const GAP: u32 = 20;
const SLICE: u32 = 4096;

@inline
function word(array: usize, index: u32): usize {
  return array + ((<usize>index) << 2);
}

/** The row of `places` of a part. */
@inline
function placesOf(header: TransposeHeader, part: u32): usize {
  return header.places + <usize>part * ((<usize>header.cols) << 2);
}

/** The place of the next entry of a counter. */
@inline
function next(counter: usize): u32 {
  const place = load<u32>(counter);
  store<u32>(counter, place + 1);
  return place;
}

export function transpose_count(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++) {
    const counts = placesOf(header, part);
    memory.fill(counts, 0, (<usize>header.cols) << 2);
    countRows(header, counts, load<u32>(word(header.partPtr, part)), load<u32>(word(header.partPtr, part), 4));
  }
}

function countRows(header: TransposeHeader, counts: usize, row: u32, end: u32): void {
  if (end - row > SLICE) {
    const middle = row + ((end - row) >> 1);
    countRows(header, counts, row, middle);
    countRows(header, counts, middle, end);
    return;
  }
  let at = word(header.colIdx, load<u32>(word(header.rowPtr, row)));
  const last = word(header.colIdx, load<u32>(word(header.rowPtr, end)));
  for (; at < last; at += 4) next(word(counts, load<u32>(at)));
}

export function transpose_total(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const first = chunk * CHUNK;
    const last = min(first + CHUNK, header.cols);
    const totals = header.ptr;
    memory.fill(word(totals, first), 0, (<usize>(last - first)) << 2);
    let all: u32 = 0;
    for (let part: u32 = 0; part < header.parts; part++) {
      const places = placesOf(header, part);
      for (let col = first; col < last; col++) {
        const count = load<u32>(word(places, col));
        const before = load<u32>(word(totals, col));
        store<u32>(word(places, col), before);
        store<u32>(word(totals, col), before + count);
        all += count;
      }
    }
    store<u32>(word(header.chunkPtr, chunk), all, 4);
  }
}

export function transpose_place(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const first = chunk * CHUNK;
    const last = min(first + CHUNK, header.cols);
    let place = load<u32>(word(header.chunkPtr, chunk));
    for (let col = first; col < last; col++) {
      const count = load<u32>(word(header.ptr, col));
      store<u32>(word(header.ptr, col), place);
      place += count;
    }
    for (let part: u32 = 0; part < header.parts; part++) {
      const places = placesOf(header, part);
      for (let col = first; col < last; col++) store<u32>(word(places, col), load<u32>(word(places, col)) + load<u32>(word(header.ptr, col)));
    }
  }
}

export function transpose_fill_f64(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  fill<f64>(header, begin, end);
}

export function transpose_fill_f32(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  fill<f32>(header, begin, end);
}

@inline
function fill<V>(header: TransposeHeader, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++)
    fillRows<V>(header, placesOf(header, part), load<u32>(word(header.partPtr, part)), load<u32>(word(header.partPtr, part), 4));
}

function fillRows<V>(header: TransposeHeader, places: usize, row: u32, end: u32): void {
  if (end - row > SLICE) {
    const middle = row + ((end - row) >> 1);
    fillRows<V>(header, places, row, middle);
    fillRows<V>(header, places, middle, end);
    return;
  }
  const idx = header.idx;
  const moved = header.moved;
  let ptr = word(header.rowPtr, row);
  const k = load<u32>(ptr);
  let col = word(header.colIdx, k);
  let value = header.values + ((<usize>k) << alignof<V>());
  for (; row < end; row++) {
    ptr += 4;
    for (const last = word(header.colIdx, load<u32>(ptr)); col < last; col += 4) {
      const place = next(word(places, load<u32>(col)));
      store<u32>(word(idx, place), row);
      store<V>(moved + ((<usize>place) << alignof<V>()), load<V>(value));
      value += sizeof<V>();
    }
  }
}

export function transpose_buckets(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++) {
    const counts = header.bucketPtr + <usize>part * ((<usize>header.buckets) << 2);
    memory.fill(counts, 0, (<usize>header.buckets) << 2);
    const firsts = placesOf(header, part);
    const lasts = part + 1 < header.parts ? placesOf(header, part + 1) : header.ptr + 4;
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
    spreadRows<V>(header, placesOf(header, part), buckets, row, load<u32>(word(header.partPtr, part), 4));
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
