/**
 * Puts the rows of pieces into slices of four rows: topological sorting, in which rows that are ready together are sorted by length
 * (`src/backends/team/slices.ts`). Units: shares; each takes pieces until none is left.
 */
import { Operands } from './operands';
import { word } from './word';

@unmanaged
export class ScheduleHeader {
  /** u32, pieces + 1. */
  piecePtr!: usize;
  pieces!: u32;
  /** u32: the next piece that is not taken. */
  next!: usize;
  /** L and U: u32, rows + 1. */
  lowerPtr!: usize;
  upperPtr!: usize;
  /** U: u32, entries. */
  upperIdx!: usize;
  /** The pattern of Lᵀ; 0: U = Lᵀ. */
  turnedPtr!: usize;
  turnedIdx!: usize;
  /** u32, rows: the rows that each row waits for. */
  waits!: usize;
  /** u32, rows: by piece the rows in the order in which they became ready. */
  ready!: usize;
  /** u32, 4 rows: by piece the rows of the lanes. */
  rowOf!: usize;
  /** u32, pieces. */
  slices!: usize;
  /** ROOM_BYTES for each share. */
  rooms!: usize;
}

const LANES: u32 = 4;

/** Rows that are sorted together: their elements of vectors stay near each other. */
const WINDOW: u32 = 1024;

/** The lengths of longer rows are not told apart. */
const LONGEST: u32 = 255;

/** A room: rows and lengths of a window; by length where the next row of that length goes. As in `slices.ts`. */
const ROOM_BYTES: usize = 4 * (2 * 1024 + 256);

export function slices_schedule(header: ScheduleHeader, operands: Operands, begin: u32, end: u32): void {
  for (let share = begin; share < end; share++) {
    const room = header.rooms + <usize>share * ROOM_BYTES;
    for (let piece = atomic.add<u32>(header.next, 1); piece < header.pieces; piece = atomic.add<u32>(header.next, 1))
      schedulePiece(header, room, piece);
  }
}

function schedulePiece(header: ScheduleHeader, room: usize, piece: u32): void {
  const begin = load<u32>(word(header.piecePtr, piece));
  const end = load<u32>(word(header.piecePtr, piece), 4);
  memory.fill(word(header.waits, begin), 0, (<usize>(end - begin)) << 2);
  const isTurned = header.turnedPtr !== 0;
  for (let row = begin; row < end; row += WINDOW) {
    const last = min(row + WINDOW, end);
    if (isTurned) countWaits(header, header.turnedPtr, header.turnedIdx, row, last, end);
    countWaits(header, header.upperPtr, header.upperIdx, row, last, end);
  }
  let tail = begin;
  for (let row = begin; row < end; row++) if (load<u32>(word(header.waits, row)) === 0) store<u32>(word(header.ready, tail++), row);
  let lane = LANES * begin;
  for (let head = begin; head < tail; ) {
    const count = min(tail - head, WINDOW);
    sort(header, room, head, count, header.upperPtr);
    sort(header, room, head, count, header.lowerPtr);
    // The rest waits for more rows, if more can become ready.
    const stop = head + max(count - (count % LANES), min(count, LANES));
    tail = addSlices(header, head, stop, end, tail, lane);
    lane += (stop - head + LANES - 1) & ~(LANES - 1);
    head = stop;
  }
  store<u32>(word(header.slices, piece), lane / LANES - begin);
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

/** Ready rows by the lengths of the rows of a triangle, otherwise in their order. */
function sort(header: ScheduleHeader, window: usize, head: u32, count: u32, ptr: usize): void {
  const ready = word(header.ready, head);
  const lengths = word(window, WINDOW);
  const next = word(lengths, WINDOW);
  memory.fill(next, 0, 4 * (LONGEST + 1));
  let most: u32 = 0;
  for (let k: u32 = 0; k < count; k++) {
    const row = load<u32>(word(ready, k));
    const length = min(load<u32>(word(ptr, row), 4) - load<u32>(word(ptr, row)), LONGEST);
    store<u32>(word(window, k), row);
    store<u32>(word(lengths, k), length);
    store<u32>(word(next, length), load<u32>(word(next, length)) + 1);
    most = max(most, length);
  }
  if (load<u32>(word(next, most)) === count) return;
  for (let length: u32 = 0, place: u32 = 0; length <= most; length++) {
    const rows = load<u32>(word(next, length));
    store<u32>(word(next, length), place);
    place += rows;
  }
  for (let k: u32 = 0; k < count; k++) {
    const place = word(next, load<u32>(word(lengths, k)));
    const at = load<u32>(place);
    store<u32>(place, at + 1);
    store<u32>(word(ready, at), load<u32>(word(window, k)));
  }
}

/** The ready rows [head, stop): as many as fill slices, or fewer than a slice. Returns the end of the ready rows. */
function addSlices(header: ScheduleHeader, head: u32, stop: u32, end: u32, tail: u32, lane: u32): u32 {
  const first = load<u32>(word(header.ready, head));
  for (let k = head; k < stop; k++, lane++) {
    const row = load<u32>(word(header.ready, k));
    store<u32>(word(header.rowOf, lane), row);
    if (header.turnedPtr !== 0) tail = release(header, header.turnedPtr, header.turnedIdx, row, end, tail);
    tail = release(header, header.upperPtr, header.upperIdx, row, end, tail);
  }
  for (; lane % LANES !== 0; lane++) store<u32>(word(header.rowOf, lane), first);
  return tail;
}

/** The rows that wait for a row wait for one less. */
@inline
function release(header: ScheduleHeader, ptr: usize, idx: usize, row: u32, end: u32, tail: u32): u32 {
  const last = word(idx, load<u32>(word(ptr, row), 4));
  for (let at = word(idx, load<u32>(word(ptr, row))); at < last; at += 4) {
    const follower = load<u32>(at);
    if (follower >= end) continue;
    const waits = word(header.waits, follower);
    const left = load<u32>(waits) - 1;
    store<u32>(waits, left);
    if (left === 0) store<u32>(word(header.ready, tail++), follower);
  }
  return tail;
}
