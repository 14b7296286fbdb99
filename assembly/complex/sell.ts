/** Complex SELL-C-σ: y ← α A x + β y over the chunks [begin, end). Layout: `src/formats/sell/stored-chunks.ts`. Two rows side by side: of four, V8 keeps sums in memory, which takes 1.3 times as long (AMD EPYC, Node 20, November 2026). */
import { ComplexHeader, SellHeader } from '../../build/headers';
import { Operands } from '../operands';
import { addImaginary, addReal, exchangedSignsOf, pairAt, pairShift, putPair, signsOf } from './pairs';

/** So many rows are computed at a time. */
const LANES: u32 = 2;

export function complex_sell_spmv<V, I, X>(header: ComplexHeader, operands: Operands, begin: u32, end: u32): void {
  chunks<V, I, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function chunks<V, I, X>(header: ComplexHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const matrix = changetype<SellHeader>(header.matrix);
  const height = matrix.chunkHeight;
  for (let chunk = begin; chunk < end; chunk++) {
    const ptr = matrix.chunkPtr + ((<usize>chunk) << 2);
    const first = load<u32>(ptr);
    const last = matrix.colIdx + ((<usize>load<u32>(ptr, 4)) << alignof<I>());
    const elements = x + elementsFrom<I, X>(matrix, chunk);
    for (let lane: u32 = 0; lane < height; lane += LANES)
      twoRows<V, I, X>(header, matrix, elements, y, chunk * height + lane, first + lane, last, alpha, beta);
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

/** The rows of the lanes from `place` on, whose first entries are those from `k` on. */
@inline
function twoRows<V, I, X>(
  header: ComplexHeader,
  matrix: SellHeader,
  x: usize,
  y: usize,
  place: u32,
  k: u32,
  last: usize,
  alpha: X,
  beta: X,
): void {
  let colIdx = matrix.colIdx + ((<usize>k) << alignof<I>());
  let values = header.values + ((<usize>k) << pairShift<V>());
  const colStep = (<usize>matrix.chunkHeight) << alignof<I>();
  const valueStep = (<usize>matrix.chunkHeight) << pairShift<V>();
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let t0 = f64x2.splat(0);
  let t1 = f64x2.splat(0);
  for (; colIdx < last; colIdx += colStep, values += valueStep) {
    const a0 = pairAt<V>(values, 0);
    const x0 = x + ((<usize>load<I>(colIdx)) << pairShift<X>());
    s0 = addReal<X>(s0, a0, x0, 0);
    t0 = addImaginary<X>(t0, a0, x0, 0);
    const a1 = pairAt<V>(values, 1);
    const x1 = x + ((<usize>load<I>(colIdx, sizeof<I>())) << pairShift<X>());
    s1 = addReal<X>(s1, a1, x1, 0);
    t1 = addImaginary<X>(t1, a1, x1, 0);
  }
  putLane<X>(header, matrix, y, place, s0, t0, alpha, beta);
  putLane<X>(header, matrix, y, place + 1, s1, t1, alpha, beta);
}

/** Writes the row of a lane. Lanes behind the last row have none. */
@inline
function putLane<X>(header: ComplexHeader, matrix: SellHeader, y: usize, place: u32, s: v128, t: v128, alpha: X, beta: X): void {
  if (place >= matrix.rows) return;
  const at = y + ((<usize>rowAt(matrix, place)) << pairShift<X>());
  putPair<X>(at, s, t, signsOf(header), exchangedSignsOf(header), <f64>alpha, <f64>beta);
}
