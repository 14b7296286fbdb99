/**
 * SELL-C-σ: y ← α A x + β y over the chunks [begin, end). Layout: `src/formats/sell/stored-chunks.ts`, of `sell`, `ell` and `hyb`.
 *
 * C rows side by side, one column of C entries after the other. Each lane sums one row from left to right: the sum of a row
 * depends only on the row, there is no tail, and one branch ends C rows.
 */
import { SellHeader } from '../../build/headers';
import { Eight, Four } from '../counts';
import { gather32, gather64, madd32, madd64, put, putVector, valueShift, values32, values64 } from '../lanes';
import { Operands } from '../operands';

export function sell_spmv<V, I, X>(header: SellHeader, operands: Operands, begin: u32, end: u32): void {
  chunks<V, I, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function chunks<V, I, X>(header: SellHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  if (header.chunkHeight === 8) chunksOf<V, I, X, Eight>(header, x, y, begin, end, alpha, beta);
  else chunksOf<V, I, X, Four>(header, x, y, begin, end, alpha, beta);
}

/** Inlined: for V8 the kernel is one function for both heights, and a warm-up with one height warms it up for the other. */
@inline
function chunksOf<V, I, X, C>(header: SellHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  for (let at = begin; at < end; at++) chunk<V, I, X, C>(header, x, y, at, alpha, beta);
}

@inline
function chunk<V, I, X, C>(header: SellHeader, x: usize, y: usize, chunk: u32, alpha: X, beta: X): void {
  const k = load<u32>(header.chunkPtr + ((<usize>chunk) << 2));
  const next = load<u32>(header.chunkPtr + ((<usize>chunk) << 2), 4);
  const cols = header.colIdx + ((<usize>k) << alignof<I>());
  const colsEnd = header.colIdx + ((<usize>next) << alignof<I>());
  const vals = header.values + ((<usize>k) << valueShift<V>());
  const base = baseOf<I, X>(header, x, chunk);
  if (sizeof<X>() === 4) chunk32<V, I, C>(header, base, y, chunk, cols, colsEnd, vals, header.table, <f32>alpha, <f32>beta);
  else chunk64<V, I, C>(header, base, y, chunk, cols, colsEnd, vals, header.table, <f64>alpha, <f64>beta);
}

/** The address of the element of x at the base column of a chunk. */
@inline
function baseOf<I, X>(header: SellHeader, x: usize, chunk: u32): usize {
  if (sizeof<I>() === 4) return x;
  return x + ((<usize>load<u32>(header.chunkBase + ((<usize>chunk) << 2))) << alignof<X>());
}

/** One chunk, two rows to a vector. */
@inline
function chunk64<V, I, C>(
  header: SellHeader,
  x: usize,
  y: usize,
  chunk: u32,
  cols: usize,
  colsEnd: usize,
  vals: usize,
  table: usize,
  alpha: f64,
  beta: f64,
): void {
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  let sum2 = f64x2.splat(0);
  let sum3 = f64x2.splat(0);
  while (cols < colsEnd) {
    sum0 = madd64(sum0, values64<V>(vals, table, 0), gather64<I>(x, cols, 0));
    sum1 = madd64(sum1, values64<V>(vals, table, 2), gather64<I>(x, cols, 2));
    if (sizeof<C>() === 8) {
      sum2 = madd64(sum2, values64<V>(vals, table, 4), gather64<I>(x, cols, 4));
      sum3 = madd64(sum3, values64<V>(vals, table, 6), gather64<I>(x, cols, 6));
    }
    cols += sizeof<C>() << alignof<I>();
    vals += sizeof<C>() << valueShift<V>();
  }
  const place = chunk * sizeof<C>();
  if (header.rowOf === 0 && place + sizeof<C>() <= header.rows) {
    const at = y + ((<usize>place) << 3);
    putVector<f64>(at, sum0, alpha, beta);
    putVector<f64>(at + 16, sum1, alpha, beta);
    if (sizeof<C>() === 8) {
      putVector<f64>(at + 32, sum2, alpha, beta);
      putVector<f64>(at + 48, sum3, alpha, beta);
    }
  } else {
    putPair(header, y, place, sum0, alpha, beta);
    putPair(header, y, place + 2, sum1, alpha, beta);
    if (sizeof<C>() === 8) {
      putPair(header, y, place + 4, sum2, alpha, beta);
      putPair(header, y, place + 6, sum3, alpha, beta);
    }
  }
}

/** One chunk, four rows to a vector. */
@inline
function chunk32<V, I, C>(
  header: SellHeader,
  x: usize,
  y: usize,
  chunk: u32,
  cols: usize,
  colsEnd: usize,
  vals: usize,
  table: usize,
  alpha: f32,
  beta: f32,
): void {
  let sum0 = f32x4.splat(0);
  let sum1 = f32x4.splat(0);
  while (cols < colsEnd) {
    sum0 = madd32(sum0, values32<V>(vals, table, 0), gather32<I>(x, cols, 0));
    if (sizeof<C>() === 8) sum1 = madd32(sum1, values32<V>(vals, table, 4), gather32<I>(x, cols, 4));
    cols += sizeof<C>() << alignof<I>();
    vals += sizeof<C>() << valueShift<V>();
  }
  const place = chunk * sizeof<C>();
  if (header.rowOf === 0 && place + sizeof<C>() <= header.rows) {
    const at = y + ((<usize>place) << 2);
    putVector<f32>(at, sum0, alpha, beta);
    if (sizeof<C>() === 8) putVector<f32>(at + 16, sum1, alpha, beta);
  } else {
    putFour(header, y, place, sum0, alpha, beta);
    if (sizeof<C>() === 8) putFour(header, y, place + 4, sum1, alpha, beta);
  }
}

/** Writes the rows at two places, which may lie anywhere in y. */
function putPair(header: SellHeader, y: usize, place: u32, sums: v128, alpha: f64, beta: f64): void {
  putLane<f64>(header, y, place, f64x2.extract_lane(sums, 0), alpha, beta);
  putLane<f64>(header, y, place + 1, f64x2.extract_lane(sums, 1), alpha, beta);
}

function putFour(header: SellHeader, y: usize, place: u32, sums: v128, alpha: f32, beta: f32): void {
  putLane<f32>(header, y, place, f32x4.extract_lane(sums, 0), alpha, beta);
  putLane<f32>(header, y, place + 1, f32x4.extract_lane(sums, 1), alpha, beta);
  putLane<f32>(header, y, place + 2, f32x4.extract_lane(sums, 2), alpha, beta);
  putLane<f32>(header, y, place + 3, f32x4.extract_lane(sums, 3), alpha, beta);
}

/** The last chunk may have lanes without a row. */
@inline
function putLane<X>(header: SellHeader, y: usize, place: u32, sum: X, alpha: X, beta: X): void {
  if (place >= header.rows) return;
  const row = header.rowOf === 0 ? place : load<u32>(header.rowOf + ((<usize>place) << 2));
  put<X>(y + ((<usize>row) << alignof<X>()), sum, alpha, beta);
}
