/**
 * C = A B by rows: row i of C is the sum of the rows of B, times the entries of row i of A. Steps over chunks of 16 rows, run by
 * `src/matrices/multiplication.ts`:
 *
 *     weigh    chunks of A    weights[chunk] ← products of the chunk
 *     pack     chunks of B    the columns of a row as pairs of a word and a mask: bit b of word w is column 64 w + b
 *     count    chunks of A    chunkPtr[chunk + 1] ← entries of the rows of C (the caller adds up chunkPtr)
 *     fill     chunks of A    the rows of C
 *
 * Source: Gustavson 1978, "Two Fast Algorithms for Sparse Matrices". Packed rows: Deveci, Trott & Rajamanickam 2018, "Multithreaded
 *   sparse matrix-matrix multiplication for many-core and GPU architectures", for the count.
 * Differs: the union of rows of B is a bitmap (`union.ts`), which yields the columns in order, so no row is sorted, short or long.
 * Cost: per product a load, an addition and a store in the sums: the bound of long rows; per pair a union in each of two passes; per entry
 *   of C 12 bytes written: the bound of short rows. Neighbouring columns share a pair.
 *
 * The sum of an entry is in the order of the entries of A, so nothing depends on threads or parts.
 */
import { CHUNK_ROWS, SpgemmHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { drain, leaveRoom, sumsOf, takeRoom, touchedOf } from './union';

export function spgemm_weigh(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  const rowPtr = header.bRowPtr;
  for (let chunk = begin; chunk < end; chunk++) {
    const last = word(header.aColIdx, load<u32>(word(header.aRowPtr, min((chunk + 1) * CHUNK_ROWS, header.rows))));
    let products: u64 = 0;
    for (let at = word(header.aColIdx, load<u32>(word(header.aRowPtr, chunk * CHUNK_ROWS))); at < last; at += 4) {
      const row = word(rowPtr, load<u32>(at));
      products += load<u32>(row, 4) - load<u32>(row);
    }
    store<f64>(header.weights + ((<usize>chunk) << 3), <f64>products);
  }
}

export function spgemm_pack(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  const last = min(end * CHUNK_ROWS, header.bRows);
  for (let row = begin * CHUNK_ROWS; row < last; row++) {
    const first = load<u32>(word(header.bRowPtr, row));
    const rowEnd = word(header.bColIdx, load<u32>(word(header.bRowPtr, row), 4));
    let pair = first;
    for (let at = word(header.bColIdx, first); at < rowEnd; pair++) {
      const place = load<u32>(at) >> 6;
      let mask: u64 = 0;
      for (; at < rowEnd && load<u32>(at) >> 6 === place; at += 4) mask |= (<u64>1) << (load<u32>(at) & 63);
      store<u32>(word(header.words, pair), place << 3);
      store<u64>(header.masks + ((<usize>pair) << 3), mask);
    }
    store<u32>(word(header.pairs, row), pair - first);
  }
}

export function spgemm_count(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  countChunks(header, room, begin, end);
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
  const last = min(end * CHUNK_ROWS, header.rows);
  const list = touchedOf(bits, header.cols);
  let count: u32 = 0;
  let at = word(header.aColIdx, load<u32>(word(header.aRowPtr, begin * CHUNK_ROWS)));
  for (let row = begin * CHUNK_ROWS; row < last; row++) {
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

@inline
export function spgemm_fill<V>(header: SpgemmHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  fillChunks<V>(header, room, begin, end);
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
  const last = min(end * CHUNK_ROWS, header.rows);
  const sums = sumsOf(bits, header.cols);
  const list = touchedOf(bits, header.cols);
  let write = load<u32>(word(header.chunkPtr, begin));
  let k = load<u32>(word(header.aRowPtr, begin * CHUNK_ROWS));
  for (let row = begin * CHUNK_ROWS; row < last; row++) {
    const rowEnd = load<u32>(word(header.aRowPtr, row), 4);
    let touched = list;
    for (; k < rowEnd; k++) {
      const other = load<u32>(word(header.aColIdx, k));
      touched = unite(header, bits, other, touched);
      addRow<V>(header, sums, other, <f64>load<V>(header.aValues + ((<usize>k) << alignof<V>())));
    }
    write = drain(header, bits, touched, header.colIdx, header.values, write);
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
