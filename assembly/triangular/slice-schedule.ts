/**
 * Puts the rows of pieces into slices of four rows: topological sorting, in which of the rows that are ready the first ones come next, a
 * batch at a time, sorted by length (`src/preconditioners/triangular/slices.ts`). Units: shares; each takes pieces until none is left.
 */
import { ScheduleHeader, SLICE_LANES } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { FirstRows } from './first-rows';

/** Rows of a call: V8 replaces its baseline code only between two calls of a function. */
const SLAB: u32 = 1024;

/** The lengths of longer rows are not told apart. */
const LONGEST: u32 = 255;

/** A room: rows and lengths of a batch, its rows in order; by length where the next row of that length goes; then the rows that are ready. */
@inline
function sortBytes(batch: u32): usize {
  return 4 * (3 * <usize>batch + LONGEST + 1);
}

export function slices_schedule(header: ScheduleHeader, operands: Operands, begin: u32, end: u32): void {
  for (let share = begin; share < end; share++) {
    const room = header.rooms + <usize>share * header.roomBytes;
    for (let piece = atomic.add<u32>(header.next, 1); piece < header.pieces; piece = atomic.add<u32>(header.next, 1))
      schedulePiece(header, room, piece);
  }
}

function schedulePiece(header: ScheduleHeader, room: usize, piece: u32): void {
  const begin = load<u32>(word(header.piecePtr, piece));
  const end = load<u32>(word(header.piecePtr, piece), 4);
  memory.fill(word(header.waits, begin), 0, (<usize>(end - begin)) << 2);
  const isTurned = header.turnedPtr !== 0;
  for (let row = begin; row < end; row += SLAB) {
    const last = min(row + SLAB, end);
    if (isTurned) countWaits(header, header.turnedPtr, header.turnedIdx, row, last, end);
    countWaits(header, header.upperPtr, header.upperIdx, row, last, end);
  }
  const ready = changetype<FirstRows>(room + sortBytes(header.batch));
  ready.clear(begin, end);
  for (let row = begin; row < end; row++) if (load<u32>(word(header.waits, row)) === 0) ready.add(row);
  let lane = SLICE_LANES * begin;
  while (ready.count > 0) lane = addBatches(header, room, ready, end, lane);
  store<u32>(word(header.slices, piece), lane / SLICE_LANES - begin);
}

function countWaits(header: ScheduleHeader, ptr: usize, idx: usize, begin: u32, end: u32, pieceEnd: u32): void {
  const last = word(idx, load<u32>(word(ptr, end)));
  for (let at = word(idx, load<u32>(word(ptr, begin))); at < last; at += 4) {
    const row = load<u32>(at);
    if (row >= pieceEnd) continue;
    const waits = word(header.waits, row);
    store<u32>(waits, load<u32>(waits) + 1);
  }
}

/** Slices of some batches. Returns the lane after them. */
function addBatches(header: ScheduleHeader, room: usize, ready: FirstRows, end: u32, lane: u32): u32 {
  const batch = header.batch;
  for (let rows: u32 = 0; rows < SLAB && ready.count > 0; rows += batch) {
    let count = min(ready.count, batch);
    // The rest waits for more rows, if more can become ready.
    count = max(count - (count % SLICE_LANES), min(count, SLICE_LANES));
    for (let k: u32 = 0; k < count; k++) store<u32>(word(room, k), ready.takeFirst());
    sort(room, batch, count, header.upperPtr);
    sort(room, batch, count, header.lowerPtr);
    lane = addSlices(header, room, ready, count, end, lane);
  }
  return lane;
}

/** The rows of a batch by the lengths of the rows of a triangle, otherwise in their order. */
function sort(rows: usize, batch: u32, count: u32, ptr: usize): void {
  const lengths = word(rows, batch);
  const sorted = word(lengths, batch);
  const next = word(sorted, batch);
  let least: u32 = LONGEST;
  let most: u32 = 0;
  for (let k: u32 = 0; k < count; k++) {
    const row = load<u32>(word(rows, k));
    const length = min(load<u32>(word(ptr, row), 4) - load<u32>(word(ptr, row)), LONGEST);
    store<u32>(word(lengths, k), length);
    least = min(least, length);
    most = max(most, length);
  }
  if (least === most) return;
  memory.fill(word(next, least), 0, 4 * <usize>(most - least + 1));
  for (let k: u32 = 0; k < count; k++) {
    const at = word(next, load<u32>(word(lengths, k)));
    store<u32>(at, load<u32>(at) + 1);
  }
  for (let length = least, place: u32 = 0; length <= most; length++) {
    const rowsOfLength = load<u32>(word(next, length));
    store<u32>(word(next, length), place);
    place += rowsOfLength;
  }
  for (let k: u32 = 0; k < count; k++) {
    const place = word(next, load<u32>(word(lengths, k)));
    const at = load<u32>(place);
    store<u32>(place, at + 1);
    store<u32>(word(sorted, at), load<u32>(word(rows, k)));
  }
  memory.copy(rows, sorted, (<usize>count) << 2);
}

/** The rows of a batch: as many as fill slices, or fewer than a slice. Returns the lane after them. */
function addSlices(header: ScheduleHeader, rows: usize, ready: FirstRows, count: u32, end: u32, lane: u32): u32 {
  for (let k: u32 = 0; k < count; k++, lane++) {
    const row = load<u32>(word(rows, k));
    store<u32>(word(header.rowOf, lane), row);
    if (header.turnedPtr !== 0) release(header, header.turnedPtr, header.turnedIdx, row, end, ready);
    release(header, header.upperPtr, header.upperIdx, row, end, ready);
  }
  for (; lane % SLICE_LANES !== 0; lane++) store<u32>(word(header.rowOf, lane), load<u32>(rows));
  return lane;
}

/** The rows that wait for a row wait for one less. */
@inline
function release(header: ScheduleHeader, ptr: usize, idx: usize, row: u32, end: u32, ready: FirstRows): void {
  const last = word(idx, load<u32>(word(ptr, row), 4));
  for (let at = word(idx, load<u32>(word(ptr, row))); at < last; at += 4) {
    const follower = load<u32>(at);
    if (follower >= end) continue;
    const waits = word(header.waits, follower);
    const left = load<u32>(waits) - 1;
    store<u32>(waits, left);
    if (left === 0) ready.add(follower);
  }
}
