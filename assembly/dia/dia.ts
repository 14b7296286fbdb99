/**
 * DIA: y ← α A x + β y over the chunks [begin, end). Layout: `src/formats/dia/dia.ts`.
 *
 * A chunk is 64 bytes of y: 8 rows of f64, 16 of f32, four vectors of sums. A diagonal adds a run of its values times a run
 * of x to these sums: there is no gather and no sum across lanes. Each row adds its diagonals from left to right. Where a
 * diagonal enters or leaves the matrix within a chunk, x is loaded lane by lane; the chunks between two such places have the
 * same diagonals, and are computed in one loop.
 *
 * Two chunks in one loop over the diagonals are slower: 5-point Laplacian, 10 000 rows, f64: 0.6 ×; two in turn, from two
 * places, as the rows of CSR: 0.95 × (from memory 1.0 to 1.2 ×). A loop for each number of diagonals, 3, 5, 7 and 9, whose x have registers: 0.4 to
 * 0.9 × in caches, 0.8 to 1.0 × from memory. (AMD EPYC Zen 4, one thread, November 2026.)
 */
import { DiaHeader } from '../../build/headers';
import { madd32, madd64, put, putVector, values64 } from '../lanes';
import { Operands } from '../operands';

export function dia_spmv<V, X>(header: DiaHeader, operands: Operands, begin: u32, end: u32): void {
  chunks<V, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

function chunks<V, X>(header: DiaHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  for (let chunk = begin; chunk < end; ) {
    const first = firstOf<X>(header, chunk);
    const last = lastOf<X>(header, chunk);
    const alike = min(end, insideUntil<X>(header, chunk, first, last));
    if (alike > chunk) {
      insideChunks<V, X>(header, x, y, chunk, alike, first, last, alpha, beta);
      chunk = alike;
    } else {
      edgeChunk<V, X>(header, x, y, chunk++, first, last, alpha, beta);
    }
  }
}

/** The first diagonal that passes through a chunk, and through the next ones until another one enters. */
@inline
export function firstOf<X>(header: DiaHeader, chunk: u32): u32 {
  return offsetsBelow(header.offsets, header.diagonals, 1 - ((<i32>(chunk + 1)) << (<i32>heightShift<X>())));
}

/** After the last diagonal that passes through a chunk. */
@inline
export function lastOf<X>(header: DiaHeader, chunk: u32): u32 {
  return offsetsBelow(header.offsets, header.diagonals, <i32>header.cols - ((<i32>chunk) << (<i32>heightShift<X>())));
}

/**
 * The end of the chunks from `chunk` on that are complete, and in all whose rows the diagonals [first, last), and no others, lie inside the
 * matrix; at most `chunk` if it is not one itself.
 */
export function insideUntil<X>(header: DiaHeader, chunk: u32, first: u32, last: u32): u32 {
  const offsets = header.offsets;
  let row = <i32>header.rows;
  if (first > 0) row = min(row, -load<i32>(offsets + ((<usize>first) << 2) - 4));
  if (first < last) {
    if (load<i32>(offsets + ((<usize>first) << 2)) < -((<i32>chunk) << (<i32>heightShift<X>()))) return chunk;
    row = min(row, <i32>header.cols - load<i32>(offsets + ((<usize>last) << 2) - 4));
  }
  return <u32>row >> <u32>heightShift<X>();
}

/** log2 of the rows of a chunk. */
@inline
export function heightShift<X>(): usize {
  return 6 - alignof<X>();
}

/** The values of a chunk. */
@inline
function dataOf<V, X>(header: DiaHeader, chunk: u32): usize {
  return header.data + ((<usize>load<u32>(header.chunkPtr + ((<usize>chunk) << 2))) << (heightShift<X>() + alignof<V>()));
}

/** The chunks [begin, end), in all whose rows the diagonals [first, last) lie inside the matrix. */
function insideChunks<V, X>(header: DiaHeader, x: usize, y: usize, begin: u32, end: u32, first: u32, last: u32, alpha: X, beta: X): void {
  const offsets = header.offsets + ((<usize>first) << 2);
  const lastOffset = header.offsets + ((<usize>last) << 2);
  const stored = header.data;
  let ptr = header.chunkPtr + ((<usize>begin) << 2);
  let xs = x + ((<usize>begin) << 6);
  const lastAt = y + ((<usize>end) << 6);
  for (let at = y + ((<usize>begin) << 6); at < lastAt; at += 64) {
    let data = stored + ((<usize>load<u32>(ptr)) << (heightShift<X>() + alignof<V>()));
    ptr += 4;
    let sum0 = f64x2.splat(0);
    let sum1 = f64x2.splat(0);
    let sum2 = f64x2.splat(0);
    let sum3 = f64x2.splat(0);
    for (let offset = offsets; offset < lastOffset; offset += 4) {
      const run = xs + ((<usize>load<u32>(offset)) << alignof<X>());
      sum0 = term<V, X>(sum0, data, 0, v128.load(run));
      sum1 = term<V, X>(sum1, data, 1, v128.load(run, 16));
      sum2 = term<V, X>(sum2, data, 2, v128.load(run, 32));
      sum3 = term<V, X>(sum3, data, 3, v128.load(run, 48));
      data += 1 << (heightShift<X>() + alignof<V>());
    }
    putVector<X>(at, sum0, alpha, beta);
    putVector<X>(at + 16, sum1, alpha, beta);
    putVector<X>(at + 32, sum2, alpha, beta);
    putVector<X>(at + 48, sum3, alpha, beta);
    xs += 64;
  }
}

/** The chunk of the diagonals [first, last) of which one enters or leaves the matrix in it, or the last, incomplete chunk. */
function edgeChunk<V, X>(header: DiaHeader, x: usize, y: usize, chunk: u32, first: u32, last: u32, alpha: X, beta: X): void {
  const cols = header.cols;
  const height: i32 = 1 << (<i32>heightShift<X>());
  const row = <i32>chunk * height;
  const inside = offsetsBelow(header.offsets, header.diagonals, -row);
  const insideEnd = max(inside, offsetsBelow(header.offsets, header.diagonals, <i32>cols - row - height + 1));
  let data = dataOf<V, X>(header, chunk);
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  let sum2 = f64x2.splat(0);
  let sum3 = f64x2.splat(0);
  for (let d = first; d < last; d++) {
    const col = row + load<i32>(header.offsets + ((<usize>d) << 2));
    const run = x + ((<usize>col) << alignof<X>());
    if (d >= inside && d < insideEnd) {
      sum0 = term<V, X>(sum0, data, 0, v128.load(run));
      sum1 = term<V, X>(sum1, data, 1, v128.load(run, 16));
      sum2 = term<V, X>(sum2, data, 2, v128.load(run, 32));
      sum3 = term<V, X>(sum3, data, 3, v128.load(run, 48));
    } else {
      sum0 = term<V, X>(sum0, data, 0, loadWithin<X>(x, col, cols));
      sum1 = term<V, X>(sum1, data, 1, loadWithin<X>(x, col + height / 4, cols));
      sum2 = term<V, X>(sum2, data, 2, loadWithin<X>(x, col + height / 2, cols));
      sum3 = term<V, X>(sum3, data, 3, loadWithin<X>(x, col + (height / 4) * 3, cols));
    }
    data += (<usize>height) << alignof<V>();
  }
  const at = y + ((<usize>row) << alignof<X>());
  const last64 = y + ((<usize>header.rows) << alignof<X>());
  putLanesBefore<X>(last64, at, sum0, alpha, beta);
  putLanesBefore<X>(last64, at + 16, sum1, alpha, beta);
  putLanesBefore<X>(last64, at + 32, sum2, alpha, beta);
  putLanesBefore<X>(last64, at + 48, sum3, alpha, beta);
}

/** The number of offsets below a bound. */
export function offsetsBelow(offsets: usize, diagonals: u32, bound: i32): u32 {
  let low: u32 = 0;
  let high = diagonals;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<i32>(offsets + ((<usize>middle) << 2)) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** acc + values · xs, for the n-th vector of rows of a chunk. */
@inline
function term<V, X>(acc: v128, data: usize, n: usize, xs: v128): v128 {
  if (sizeof<X>() === 4) return madd32(acc, v128.load(data + (n << 4)), xs);
  return madd64(acc, values64<V>(data, 0, n << 1), xs);
}

/** x from column `col` on, zeros for columns outside the matrix. Negative columns, as u32, are beyond the last column. */
@inline
function loadWithin<X>(x: usize, col: u32, cols: u32): v128 {
  let lanes = i64x2.splat(0);
  const at = x + ((<usize>col) << alignof<X>());
  if (sizeof<X>() === 4) {
    if (col < cols) lanes = v128.load32_lane(at, lanes, 0);
    if (col + 1 < cols) lanes = v128.load32_lane(at + 4, lanes, 1);
    if (col + 2 < cols) lanes = v128.load32_lane(at + 8, lanes, 2);
    if (col + 3 < cols) lanes = v128.load32_lane(at + 12, lanes, 3);
  } else {
    if (col < cols) lanes = v128.load64_lane(at, lanes, 0);
    if (col + 1 < cols) lanes = v128.load64_lane(at + 8, lanes, 1);
  }
  return lanes;
}

/** `putVector` for those of its lanes that lie before the end of y. */
@inline
function putLanesBefore<X>(end: usize, at: usize, sums: v128, alpha: X, beta: X): void {
  if (at < end) put<X>(at, v128.extract_lane<X>(sums, 0), alpha, beta);
  if (at + sizeof<X>() < end) put<X>(at + sizeof<X>(), v128.extract_lane<X>(sums, 1), alpha, beta);
  if (sizeof<X>() === 8) return;
  if (at + 8 < end) put<X>(at + 8, v128.extract_lane<X>(sums, 2), alpha, beta);
  if (at + 12 < end) put<X>(at + 12, v128.extract_lane<X>(sums, 3), alpha, beta);
}
