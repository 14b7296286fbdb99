/**
 * Complex SELL-C-σ: y ← α A x + β y over the chunks [begin, end). Layout: `src/formats/sell/stored-chunks.ts`.
 *
 * Three rows at a time: of two, an entry takes 1.05 times as long; of four, V8 keeps sums in memory. The rows are three places apart, so that the first pass over a
 * chunk of 8 rows, which has 128 bytes of c128 for each entry of a row, reads all its cache lines in order: of two adjacent rows, 27 points on 50³ took 1.2 times as long,
 * 5 points on 900² 1.4 times. (AMD EPYC, one thread, Node 20, 2026-11-26.)
 */
import { ComplexHeader, SellHeader } from '../../build/headers';
import { madd64 } from '../lanes';
import { Operands } from '../operands';
import { exchanged, pairAt, pairShift, putPair, signsOf } from './pairs';

export function complex_sell_spmv<V, I, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  chunks<V, I, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function chunks<V, I, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const matrix = changetype<SellHeader>(header.matrix);
  const height = matrix.chunkHeight;
  const signs = signsOf(header);
  for (let chunk = begin; chunk < end; chunk++) {
    const ptr = matrix.chunkPtr + ((<usize>chunk) << 2);
    const first = load<u32>(ptr);
    const last = matrix.colIdx + ((<usize>load<u32>(ptr, 4)) << alignof<I>());
    const elements = x + elementsFrom<I, X>(matrix, chunk);
    const place = chunk * height;
    if (height === 8) {
      rowsOf<V, I, X>(3, 3, header, matrix, elements, y, place, first, last, signs, alpha, beta);
      rowsOf<V, I, X>(3, 3, header, matrix, elements, y, place + 1, first + 1, last, signs, alpha, beta);
      rowsOf<V, I, X>(2, 3, header, matrix, elements, y, place + 2, first + 2, last, signs, alpha, beta);
    } else {
      rowsOf<V, I, X>(2, 1, header, matrix, elements, y, place, first, last, signs, alpha, beta);
      rowsOf<V, I, X>(2, 1, header, matrix, elements, y, place + 2, first + 2, last, signs, alpha, beta);
    }
  }
}

/** Bytes before the element of x at the base column of a chunk. */
@inline
export function elementsFrom<I, X>(matrix: SellHeader, chunk: u32): usize {
  if (sizeof<I>() === 4) return 0;
  return (<usize>load<u32>(matrix.chunkBase + ((<usize>chunk) << 2))) << pairShift<X>();
}

/** The row of a lane. */
@inline
export function rowAt(matrix: SellHeader, place: u32): u32 {
  return matrix.rowOf === 0 ? place : load<u32>(matrix.rowOf + ((<usize>place) << 2));
}

/** Computes the rows of `count` lanes, two or three, which begin at `place` and are `apart` places apart. Their first entries begin at `k`. */
@inline
function rowsOf<V, I, X>(
  count: u32,
  apart: u32,
  header: ComplexHeader,
  matrix: SellHeader,
  x: usize,
  y: usize,
  place: u32,
  k: u32,
  last: usize,
  signs: v128,
  alpha: X,
  beta: X,
): void {
  let colIdx = matrix.colIdx + ((<usize>k) << alignof<I>());
  let values = header.values + ((<usize>k) << pairShift<V>());
  const colStep = (<usize>matrix.chunkHeight) << alignof<I>();
  const valueStep = (<usize>matrix.chunkHeight) << pairShift<V>();
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let t0 = f64x2.splat(0);
  let t1 = f64x2.splat(0);
  let t2 = f64x2.splat(0);
  for (; colIdx < last; colIdx += colStep, values += valueStep) {
    const a0 = pairAt<V>(values, 0);
    const x0 = pairAt<X>(x + ((<usize>load<I>(colIdx)) << pairShift<X>()), 0);
    s0 = madd64(s0, a0, x0);
    t0 = madd64(t0, a0, exchanged(x0));
    const a1 = pairAt<V>(values, apart);
    const x1 = pairAt<X>(x + ((<usize>load<I>(colIdx + ((<usize>apart) << alignof<I>()))) << pairShift<X>()), 0);
    s1 = madd64(s1, a1, x1);
    t1 = madd64(t1, a1, exchanged(x1));
    if (count > 2) {
      const a2 = pairAt<V>(values, 2 * apart);
      const x2 = pairAt<X>(x + ((<usize>load<I>(colIdx + ((<usize>(2 * apart)) << alignof<I>()))) << pairShift<X>()), 0);
      s2 = madd64(s2, a2, x2);
      t2 = madd64(t2, a2, exchanged(x2));
    }
  }
  putLane<X>(matrix, y, place, s0, t0, signs, alpha, beta);
  putLane<X>(matrix, y, place + apart, s1, t1, signs, alpha, beta);
  if (count > 2) putLane<X>(matrix, y, place + 2 * apart, s2, t2, signs, alpha, beta);
}

/** Writes the row of a lane. Lanes behind the last row have none. */
@inline
function putLane<X>(matrix: SellHeader, y: usize, place: u32, s: v128, t: v128, signs: v128, alpha: X, beta: X): void {
  if (place >= matrix.rows) return;
  const at = y + ((<usize>rowAt(matrix, place)) << pairShift<X>());
  putPair<X>(at, s, t, signs, <f64>alpha, <f64>beta);
}
