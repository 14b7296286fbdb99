/**
 * C = A B by rows: row i of C is the sum of the rows of B, times the entries of row i of A. Steps over chunks of 16 rows, run by
 * `src/backends/team/multiplication.ts`:
 *
 *     weigh    chunks of A    weights[chunk] ← products of the chunk
 *     pack     chunks of B    the columns of a row as pairs of a word and a mask: bit b of word w is column 64 w + b
 *     count    chunks of A    chunkPtr[chunk + 1] ← entries of the rows of C (the caller adds up chunkPtr)
 *     fill     chunks of A    the rows of C
 *
 * Source: Gustavson 1978, "Two Fast Algorithms for Sparse Matrices". Packed rows: Deveci, Trott & Rajamanickam 2018, "Multithreaded
 *   sparse matrix-matrix multiplication for many-core and GPU architectures", section 4.2.
 * Differs: the union of rows is a bitmap of three levels, each a bit for every word of the level below. It yields the columns in order, so
 *   no row is sorted, long or short. Sums begin at −0, which changes no bit of what is added, so no product asks whether it is the first.
 * Cost: per product, one load, addition and store in `sums`, which bounds long rows; per pair, one union in each of two passes; per entry
 *   of C, 12 bytes written, which bounds short rows. Neighbouring columns share a pair: 27-point 2.6 columns a pair, 5-point 1.6.
 *
 * The sum of an entry is in the order of the entries of A: nothing depends on threads or parts. A part works in a room, of which there
 * are as many as threads.
 */
import { Operands } from './operands';

@unmanaged
class SpgemmHeader {
  rows!: u32;
  cols!: u32;
  aRowPtr!: usize;
  aColIdx!: usize;
  aValues!: usize;
  bRows!: u32;
  bRowPtr!: usize;
  bColIdx!: usize;
  bValues!: usize;
  /** f64, one per chunk. */
  weights!: usize;
  /** u32, one per row of B: its pairs, which begin where its entries do. */
  pairs!: usize;
  /** u32, one per pair: the word, in bytes from the first. */
  words!: usize;
  /** u64, one per pair. */
  masks!: usize;
  /** u32, chunks + 1. */
  chunkPtr!: usize;
  /** Number of rooms, and bytes of each. */
  rooms!: u32;
  roomBytes!: u32;
  /** u32, one per room: FRESH, TAKEN or CLEAN. */
  states!: usize;
  room!: usize;
  /** The result. */
  rowPtr!: usize;
  colIdx!: usize;
  values!: usize;
}

const CHUNK: u32 = 16;

const FRESH: u32 = 0;
const TAKEN: u32 = 1;
const CLEAN: u32 = 2;
/** Searches for a room before a trap: rooms are missing only if threads were lost in them. */
const PATIENCE: u32 = 1 << 24;

@inline
function word(array: usize, index: u32): usize {
  return array + ((<usize>index) << 2);
}

/** A bitmap of `cols` bits in whole words: bytes of a level, from those of the level below or the columns. */
@inline
function levelBytes(bits: usize): usize {
  return ((bits + 63) >> 6) << 3;
}

/**
 * The parts of a room, which are zero, and −0 in `sums`, between two rows:
 *
 *     bits     the union of rows of B: a bit per column
 *     tops     a bit per word of bits
 *     roofs    a bit per word of tops, one more word
 *     sums     f64, one per column
 *     touched  u32, the words of bits that are not 0, in any order; room for one more
 */
@inline
function topsOf(bits: usize, cols: usize): usize {
  return bits + levelBytes(cols);
}

@inline
function roofsOf(bits: usize, cols: usize): usize {
  return topsOf(bits, cols) + levelBytes(levelBytes(cols) >> 3);
}

@inline
function sumsOf(bits: usize, cols: usize): usize {
  return roofsOf(bits, cols) + levelBytes(levelBytes(levelBytes(cols) >> 3) >> 3) + 8;
}

@inline
function touchedOf(bits: usize, cols: usize): usize {
  return sumsOf(bits, cols) + (cols << 3);
}

/** The number of a free room, from now on this thread's. */
function takeRoom(header: SpgemmHeader): u32 {
  for (let search: u32 = 0; search < PATIENCE; search++) {
    for (let room: u32 = 0; room < header.rooms; room++) {
      const state = word(header.states, room);
      const before = atomic.load<u32>(state);
      // After the store of `leaveRoom`: what the thread before wrote in the room is there.
      if (before === TAKEN || atomic.cmpxchg<u32>(state, before, TAKEN) !== before) continue;
      if (before === FRESH) clearRoom(header, header.room + <usize>room * header.roomBytes);
      return room;
    }
  }
  unreachable();
  return 0;
}

function clearRoom(header: SpgemmHeader, bits: usize): void {
  const sums = sumsOf(bits, header.cols);
  memory.fill(bits, 0, sums - bits);
  const end = touchedOf(bits, header.cols);
  for (let at = sums; at < end; at += 8) store<f64>(at, -0.0);
}

/** Before the exchange of `takeRoom`: the next thread finds the room clean. */
@inline
function leaveRoom(header: SpgemmHeader, room: u32): void {
  atomic.store<u32>(word(header.states, room), CLEAN);
}

export function spgemm_weigh(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  const rowPtr = header.bRowPtr;
  for (let chunk = begin; chunk < end; chunk++) {
    const last = word(header.aColIdx, load<u32>(word(header.aRowPtr, min((chunk + 1) * CHUNK, header.rows))));
    let products: u64 = 0;
    for (let at = word(header.aColIdx, load<u32>(word(header.aRowPtr, chunk * CHUNK))); at < last; at += 4) {
      const row = word(rowPtr, load<u32>(at));
      products += load<u32>(row, 4) - load<u32>(row);
    }
    store<f64>(header.weights + ((<usize>chunk) << 3), <f64>products);
  }
}

export function spgemm_pack(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  const last = min(end * CHUNK, header.bRows);
  for (let row = begin * CHUNK; row < last; row++) {
    const first = load<u32>(word(header.bRowPtr, row));
    const end = word(header.bColIdx, load<u32>(word(header.bRowPtr, row), 4));
    let pair = first;
    for (let at = word(header.bColIdx, first); at < end; pair++) {
      const place = load<u32>(at) >> 6;
      let mask: u64 = 0;
      for (; at < end && load<u32>(at) >> 6 === place; at += 4) mask |= (<u64>1) << (load<u32>(at) & 63);
      store<u32>(word(header.words, pair), place << 3);
      store<u64>(header.masks + ((<usize>pair) << 3), mask);
    }
    store<u32>(word(header.pairs, row), pair - first);
  }
}

export function spgemm_count(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  countChunks(header, header.room + <usize>room * header.roomBytes, begin, end);
  leaveRoom(header, room);
}

/** Halves the range, because V8 replaces its baseline code only between two calls. */
function countChunks(header: SpgemmHeader, bits: usize, begin: u32, end: u32): void {
  // A part may be empty.
  if (begin === end) return;
  if (end - begin > 1) {
    const middle = begin + ((end - begin) >> 1);
    countChunks(header, bits, begin, middle);
    countChunks(header, bits, middle, end);
    return;
  }
  const last = min(end * CHUNK, header.rows);
  const list = touchedOf(bits, header.cols);
  let count: u32 = 0;
  let at = word(header.aColIdx, load<u32>(word(header.aRowPtr, begin * CHUNK)));
  for (let row = begin * CHUNK; row < last; row++) {
    const rowEnd = word(header.aColIdx, load<u32>(word(header.aRowPtr, row), 4));
    let touched = list;
    for (; at < rowEnd; at += 4) {
      const other = load<u32>(at);
      const first = load<u32>(word(header.bRowPtr, other));
      let place = word(header.words, first);
      let mask = header.masks + ((<usize>first) << 3);
      for (const end = place + ((<usize>load<u32>(word(header.pairs, other))) << 2); place < end; place += 4) {
        const offset = load<u32>(place);
        const before = load<u64>(bits + offset);
        const added = load<u64>(mask);
        store<u64>(bits + offset, before | added);
        count += <u32>popcnt(added & ~before);
        store<u32>(touched, offset);
        touched += (<usize>(before === 0)) << 2;
        mask += 8;
      }
    }
    for (let some = list; some < touched; some += 4) store<u64>(bits + load<u32>(some), 0);
  }
  store<u32>(word(header.chunkPtr, begin), count, 4);
}

export function spgemm_fill_f64(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  fill<f64>(header, begin, end);
}

export function spgemm_fill_f32(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  fill<f32>(header, begin, end);
}

@inline
function fill<V>(header: SpgemmHeader, begin: u32, end: u32): void {
  const room = takeRoom(header);
  fillChunks<V>(header, header.room + <usize>room * header.roomBytes, begin, end);
  leaveRoom(header, room);
}

/** Halves the range, as `countChunks`. */
function fillChunks<V>(header: SpgemmHeader, bits: usize, begin: u32, end: u32): void {
  if (begin === end) return;
  if (end - begin > 1) {
    const middle = begin + ((end - begin) >> 1);
    fillChunks<V>(header, bits, begin, middle);
    fillChunks<V>(header, bits, middle, end);
    return;
  }
  const last = min(end * CHUNK, header.rows);
  const sums = sumsOf(bits, header.cols);
  const list = touchedOf(bits, header.cols);
  let write = load<u32>(word(header.chunkPtr, begin));
  let k = load<u32>(word(header.aRowPtr, begin * CHUNK));
  for (let row = begin * CHUNK; row < last; row++) {
    const rowEnd = load<u32>(word(header.aRowPtr, row), 4);
    let touched = list;
    for (; k < rowEnd; k++) {
      const other = load<u32>(word(header.aColIdx, k));
      touched = unite(header, bits, other, touched);
      addRow<V>(header, sums, other, <f64>load<V>(header.aValues + ((<usize>k) << alignof<V>())));
    }
    write = drain(header, bits, list, touched, write);
    store<u32>(word(header.rowPtr, row), write, 4);
  }
}

/** Adds the columns of a row of B to the union. Returns the end of `touched`. */
@inline
function unite(header: SpgemmHeader, bits: usize, row: u32, touched: usize): usize {
  const first = load<u32>(word(header.bRowPtr, row));
  let place = word(header.words, first);
  let mask = header.masks + ((<usize>first) << 3);
  for (const end = place + ((<usize>load<u32>(word(header.pairs, row))) << 2); place < end; place += 4) {
    const offset = load<u32>(place);
    const before = load<u64>(bits + offset);
    store<u64>(bits + offset, before | load<u64>(mask));
    store<u32>(touched, offset);
    touched += (<usize>(before === 0)) << 2;
    mask += 8;
  }
  return touched;
}

/** Adds a row of B, times a factor, to the sums. */
@inline
function addRow<V>(header: SpgemmHeader, sums: usize, row: u32, factor: f64): void {
  const first = load<u32>(word(header.bRowPtr, row));
  let col = word(header.bColIdx, first);
  let value = header.bValues + ((<usize>first) << alignof<V>());
  for (const end = word(header.bColIdx, load<u32>(word(header.bRowPtr, row), 4)); col < end; col += 4) {
    const at = sums + ((<usize>load<u32>(col)) << 3);
    store<f64>(at, load<f64>(at) + factor * <f64>load<V>(value));
    value += sizeof<V>();
  }
}

/** Writes the columns of the union in order, with their sums, from `write` on, and cleans the room. Returns the place after them. */
@inline
function drain(header: SpgemmHeader, bits: usize, list: usize, touched: usize, write: u32): u32 {
  const cols = header.cols;
  const tops = topsOf(bits, cols);
  const roofs = roofsOf(bits, cols);
  const sums = sumsOf(bits, cols);
  for (; list < touched; list += 4) {
    const place = load<u32>(list) >> 3;
    const top = tops + ((place >> 6) << 3);
    const roof = roofs + ((place >> 12) << 3);
    store<u64>(top, load<u64>(top) | ((<u64>1) << (place & 63)));
    store<u64>(roof, load<u64>(roof) | ((<u64>1) << ((place >> 6) & 63)));
  }
  let col = word(header.colIdx, write);
  let value = header.values + ((<usize>write) << 3);
  for (let high: u32 = 0; (<usize>high) << 18 < cols; high++) {
    const roof = roofs + ((<usize>high) << 3);
    for (let some = load<u64>(roof); some !== 0; some &= some - 1) {
      const middle = (high << 6) | <u32>ctz(some);
      const top = tops + ((<usize>middle) << 3);
      for (let words = load<u64>(top); words !== 0; words &= words - 1) {
        const low = (middle << 6) | <u32>ctz(words);
        const place = bits + ((<usize>low) << 3);
        for (let mask = load<u64>(place); mask !== 0; mask &= mask - 1) {
          const found = (low << 6) | <u32>ctz(mask);
          const sum = sums + ((<usize>found) << 3);
          store<u32>(col, found);
          store<f64>(value, load<f64>(sum));
          store<f64>(sum, -0.0);
          col += 4;
          value += 8;
        }
        store<u64>(place, 0);
      }
      store<u64>(top, 0);
    }
    store<u64>(roof, 0);
  }
  return <u32>((col - header.colIdx) >> 2);
}
