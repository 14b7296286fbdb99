/**
 * DIA: y ← α A x + β y over the chunks [begin, end) of eight rows. Layout: `src/formats/dia.ts`.
 *
 * Within a diagonal neighbouring rows use neighbouring elements of x, so nothing is gathered: a chunk takes, from each
 * diagonal, eight values and eight elements of x in whole vectors. Diagonals that leave the matrix within a chunk are added
 * entry by entry afterwards; nothing outside of x is read.
 */
import { madd32, madd64, put, values64 } from './lanes';

@unmanaged
class DiaHeader {
  rows!: u32;
  cols!: u32;
  /** Number of diagonals. */
  diagonals!: u32;
  /** i32, ascending: column − row. */
  offsets!: usize;
  /** Eight values of each diagonal, then those of the next; then the next chunk. */
  values!: usize;
}

const CHUNK_SHIFT: u32 = 3;
const CHUNK: u32 = 8;

export function dia_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  chunks<f64, f64>(changetype<DiaHeader>(header), x, y, begin, end, alpha, beta);
}

export function dia_spmv_mixed(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  chunks<f32, f64>(changetype<DiaHeader>(header), x, y, begin, end, alpha, beta);
}

export function dia_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  chunks<f32, f32>(changetype<DiaHeader>(header), x, y, begin, end, <f32>alpha, <f32>beta);
}

function chunks<V, X>(header: DiaHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const rows = <i32>header.rows;
  const cols = <i32>header.cols;
  const offsets = header.offsets;
  const diagonals = header.diagonals;
  const chunkBytes = <usize>diagonals << (CHUNK_SHIFT + alignof<V>());
  let values = header.values + <usize>begin * chunkBytes;
  // The diagonals [first, last) lie in the matrix for all rows of the chunk. As rows ascend, both only go down.
  let first = diagonals;
  let last = diagonals;
  for (let chunk = begin; chunk < end; chunk++) {
    const row = <i32>(chunk << CHUNK_SHIFT);
    const beyond = cols - row - <i32>CHUNK;
    while (first > 0 && offsetAt(offsets, first - 1) + row >= 0) first--;
    while (last > 0 && offsetAt(offsets, last - 1) > beyond) last--;
    if (row + <i32>CHUNK > rows) {
      shortChunk<V, X>(header, values, x, y, row, alpha, beta);
    } else {
      if (sizeof<X>() == 4) wholes32(offsets, values, x, y, row, first, last, <f32>alpha, <f32>beta);
      else wholes64<V>(offsets, values, x, y, row, first, last, <f64>alpha, <f64>beta);
      if (first > 0) edges<V, X>(header, values, x, y, row, rows, 0, min(first, diagonals), alpha);
      if (max(first, last) < diagonals) edges<V, X>(header, values, x, y, row, rows, max(first, last), diagonals, alpha);
    }
    values += chunkBytes;
  }
}

function offsetAt(offsets: usize, diagonal: u32): i32 {
  return load<i32>(offsets + (<usize>diagonal << 2));
}

/** Eight rows of the diagonals [first, last), none of which leaves the matrix there; y is overwritten or scaled. */
function wholes64<V>(offsets: usize, values: usize, x: usize, y: usize, row: i32, first: u32, last: u32, alpha: f64, beta: f64): void {
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  let sum2 = f64x2.splat(0);
  let sum3 = f64x2.splat(0);
  const xRow = x + (<usize>row << 3);
  let at = values + (<usize>first << (CHUNK_SHIFT + alignof<V>()));
  const end = offsets + (<usize>last << 2);
  for (let offset = offsets + (<usize>first << 2); offset < end; offset += 4) {
    const from = xRow + (<usize>load<i32>(offset) << 3);
    sum0 = madd64(sum0, values64<V>(at, 0, 0), v128.load(from));
    sum1 = madd64(sum1, values64<V>(at, 0, 2), v128.load(from, 16));
    sum2 = madd64(sum2, values64<V>(at, 0, 4), v128.load(from, 32));
    sum3 = madd64(sum3, values64<V>(at, 0, 6), v128.load(from, 48));
    at += CHUNK << alignof<V>();
  }
  const to = y + (<usize>row << 3);
  put64(to, sum0, alpha, beta);
  put64(to + 16, sum1, alpha, beta);
  put64(to + 32, sum2, alpha, beta);
  put64(to + 48, sum3, alpha, beta);
}

/** The same in f32. */
function wholes32(offsets: usize, values: usize, x: usize, y: usize, row: i32, first: u32, last: u32, alpha: f32, beta: f32): void {
  let sum0 = f32x4.splat(0);
  let sum1 = f32x4.splat(0);
  const xRow = x + (<usize>row << 2);
  let at = values + (<usize>first << (CHUNK_SHIFT + 2));
  const end = offsets + (<usize>last << 2);
  for (let offset = offsets + (<usize>first << 2); offset < end; offset += 4) {
    const from = xRow + (<usize>load<i32>(offset) << 2);
    sum0 = madd32(sum0, v128.load(at), v128.load(from));
    sum1 = madd32(sum1, v128.load(at, 16), v128.load(from, 16));
    at += CHUNK << 2;
  }
  const to = y + (<usize>row << 2);
  put32(to, sum0, alpha, beta);
  put32(to + 16, sum1, alpha, beta);
}

/** `put` for two rows at once. */
function put64(at: usize, sum: v128, alpha: f64, beta: f64): void {
  const scaled = f64x2.mul(f64x2.splat(alpha), sum);
  v128.store(at, beta == 0 ? scaled : f64x2.add(scaled, f64x2.mul(f64x2.splat(beta), v128.load(at))));
}

/** `put` for four rows at once. */
function put32(at: usize, sum: v128, alpha: f32, beta: f32): void {
  const scaled = f32x4.mul(f32x4.splat(alpha), sum);
  v128.store(at, beta == 0 ? scaled : f32x4.add(scaled, f32x4.mul(f32x4.splat(beta), v128.load(at))));
}

/** The last rows, where they are fewer than eight. */
function shortChunk<V, X>(header: DiaHeader, values: usize, x: usize, y: usize, row: i32, alpha: X, beta: X): void {
  const rows = <i32>header.rows;
  for (let i = row; i < rows; i++) put<X>(y + (<usize>i << alignof<X>()), <X>0, alpha, beta);
  edges<V, X>(header, values, x, y, row, rows, 0, header.diagonals, alpha);
}

/** Adds what the diagonals [first, last) have in the matrix, entry by entry. */
function edges<V, X>(header: DiaHeader, values: usize, x: usize, y: usize, row: i32, rows: i32, first: u32, last: u32, alpha: X): void {
  for (let diagonal = first; diagonal < last; diagonal++) {
    const offset = offsetAt(header.offsets, diagonal);
    const begin = max(row, -offset);
    const end = min(min(row + <i32>CHUNK, rows), <i32>header.cols - offset);
    const at = values + (<usize>diagonal << (CHUNK_SHIFT + alignof<V>()));
    for (let i = begin; i < end; i++) {
      const value = <X>load<V>(at + (<usize>(i - row) << alignof<V>()));
      const to = y + (<usize>i << alignof<X>());
      store<X>(to, load<X>(to) + alpha * (value * load<X>(x + (<usize>(i + offset) << alignof<X>()))));
    }
  }
}
