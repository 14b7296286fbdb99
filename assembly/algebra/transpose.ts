/**
 * Transposition of compressed rows: a counting sort by column, run in steps by `src/matrices/transposition.ts`. The rows are
 * cut into parts. A part has a window of columns, in whole chunks of 1024, and for each column of its window the place of its next entry.
 * Entries keep their order in a column, so the result does not depend on threads or parts.
 *
 *     reach      parts    the window of a part ← the columns of its entries (`windows.ts`; the caller then makes room for their places)
 *     count      parts    places[part][c] ← entries of column c in the part
 *     total      chunks   chunkPtr[chunk + 1] ← entries of the columns of the chunk (the caller adds up chunkPtr)
 *     place      chunks   places[part][c] ← the place of the first entry of column c in the part; ptr
 *     fill       parts    writes row and value of each entry to its place (`transpose-move.ts`)
 *
 * Cost: 16 bytes read and 12 written per entry, and some 20 per column of a window. In a band all windows together are little more than
 * the columns.
 *
 * Entries of a scattered matrix go through buckets instead of `fill`: `transpose-buckets.ts`.
 */
import { COLUMN_CHUNK, TransposeHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { endOf, SLICE, windowOf } from './windows';

/** The place of the next entry of a counter. */
@inline
export function next(counter: usize): u32 {
  const place = load<u32>(counter);
  store<u32>(counter, place + 1);
  return place;
}

export function transpose_count(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++) {
    const window = windowOf(header, part);
    const counts = window.places;
    const first = word(counts, window.first);
    memory.fill(first, 0, endOf(counts, window.end) - first);
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
  for (; at + 8 <= last; at += 8) {
    const two = load<u64>(at);
    next(word(counts, <u32>two));
    next(word(counts, <u32>(two >> 32)));
  }
  if (at < last) next(word(counts, load<u32>(at)));
}

export function transpose_total(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const first = chunk * COLUMN_CHUNK;
    const last = min(first + COLUMN_CHUNK, header.cols);
    let sums = i32x4.splat(0);
    for (let part: u32 = 0; part < header.parts; part++) {
      const window = windowOf(header, part);
      if (first < window.first || first >= window.end) continue;
      const end = endOf(window.places, last);
      for (let at = word(window.places, first); at < end; at += 16) sums = v128.add<u32>(sums, v128.load(at));
    }
    const halves = v128.add<u32>(sums, v128.shuffle<u32>(sums, sums, 2, 3, 0, 1));
    store<u32>(word(header.chunkPtr, chunk), i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1), 4);
  }
}

/** The first entry of the first chunk is that of chunkPtr; the other chunks of the range follow it. */
export function transpose_place(header: TransposeHeader, operands: Operands, begin: u32, end: u32): void {
  let place = load<u32>(word(header.chunkPtr, begin));
  for (let chunk = begin; chunk < end; chunk++)
    place = placeChunk(header, chunk * COLUMN_CHUNK, min((chunk + 1) * COLUMN_CHUNK, header.cols), place);
}

/** Sums of counts go through ptr, which has room for whole vector registers. Returns the place after the chunk. */
function placeChunk(header: TransposeHeader, first: u32, last: u32, place: u32): u32 {
  const totals = word(header.ptr, first);
  const bytes = endOf(totals, last - first) - totals;
  memory.fill(totals, 0, bytes);
  for (let part: u32 = 0; part < header.parts; part++) {
    const window = windowOf(header, part);
    if (first < window.first || first >= window.end) continue;
    const places = word(window.places, first);
    for (let at: usize = 0; at < bytes; at += 16) {
      const before = v128.load(totals + at);
      v128.store(totals + at, v128.add<u32>(before, v128.load(places + at)));
      v128.store(places + at, before);
    }
  }
  for (let at: usize = 0; at < bytes; at += 4) {
    const count = load<u32>(totals + at);
    store<u32>(totals + at, place);
    place += count;
  }
  for (let part: u32 = 0; part < header.parts; part++) {
    const window = windowOf(header, part);
    if (first < window.first || first >= window.end) continue;
    const places = word(window.places, first);
    for (let at: usize = 0; at < bytes; at += 16) v128.store(places + at, v128.add<u32>(v128.load(places + at), v128.load(totals + at)));
  }
  return place;
}
