/**
 * A panel: up to eight rows side by side, their values column by column without gaps. A vector holds a part of one column,
 * two rows in f64 and four in f32, and is multiplied by one element of x in all its lanes: only that element is gathered,
 * and no sum crosses lanes.
 *
 *     h = 3, f64       a0 a1 a2 b0 b1 b2 c0 c1 c2      three columns of three rows
 *     first vector     [a0 a1]  [b0 b1]  [c0 c1]       times x of their columns: rows 0 1
 *     second vector       [a2 ──][b2 ──][c2 ──]        row 2; the other lane belongs to the next column and is never stored
 *
 * The sums of a panel are four vectors, s0 … s3, for four (or three) independent chains of additions. If the rows fill fewer
 * vectors, the columns are distributed over several sums of the same rows (`sets`). `h` and `w` are constants wherever these
 * functions are inlined: every condition on them is resolved at compile time.
 */
import { madd32, madd64, put, putVector, values64 } from './lanes';

/** Rows in a vector. */
@inline
function lanes<X>(): u32 {
  return 16 / sizeof<X>();
}

/** The number of sums per row: 4, 2 or 1. */
@inline
export function sets<X>(h: u32): u32 {
  return h <= lanes<X>() ? 4 : h <= 2 * lanes<X>() ? 2 : 1;
}

@inline
function term<V, X>(sum: v128, values: usize, offset: usize, x: v128): v128 {
  if (sizeof<X>() === 4) return madd32(sum, v128.load(values + (offset << 2)), x);
  return madd64(sum, values64<V>(values, 0, offset), x);
}

/**
 * Sum s`part` plus w ≤ 4 columns of h rows: x0 … x(w − 1), each in all lanes, times the values from `offset` on. Reads up to 3
 * values past the last column.
 */
@inline
export function columns<V, X>(
  sum: v128,
  part: u32,
  h: u32,
  w: u32,
  values: usize,
  offset: usize,
  x0: v128,
  x1: v128,
  x2: v128,
  x3: v128,
): v128 {
  const first = (part / sets<X>(h)) * lanes<X>();
  const set = part % sets<X>(h);
  if (first < h) {
    offset += first;
    if (set === 0) sum = term<V, X>(sum, values, offset, x0);
    if (w > 1 && set === 1 % sets<X>(h)) sum = term<V, X>(sum, values, offset + h, x1);
    if (w > 2 && set === 2 % sets<X>(h)) sum = term<V, X>(sum, values, offset + 2 * h, x2);
    if (w > 3 && set === 3 % sets<X>(h)) sum = term<V, X>(sum, values, offset + 3 * h, x3);
  }
  return sum;
}

/** y ← α · sums + β · y for the rows of a panel, or for the first `left` of them if the matrix ends inside it. */
@inline
export function putPanel<X>(at: usize, h: u32, left: u32, s0: v128, s1: v128, s2: v128, s3: v128, alpha: X, beta: X): void {
  if (sets<X>(h) === 4) {
    s0 = add<X>(add<X>(s0, s1), add<X>(s2, s3));
  } else if (sets<X>(h) === 2) {
    s0 = add<X>(s0, s1);
    s1 = add<X>(s2, s3);
  }
  if (left < h) {
    putFirst<X>(at, left, s0, s1, s2, s3, alpha, beta);
    return;
  }
  putRows<X>(at, h, s0, alpha, beta);
  if (h > lanes<X>()) putRows<X>(at + 16, h - lanes<X>(), s1, alpha, beta);
  if (h > 2 * lanes<X>()) putRows<X>(at + 32, h - 2 * lanes<X>(), s2, alpha, beta);
  if (h > 3 * lanes<X>()) putRows<X>(at + 48, h - 3 * lanes<X>(), s3, alpha, beta);
}

@inline
function add<X>(a: v128, b: v128): v128 {
  return sizeof<X>() === 4 ? f32x4.add(a, b) : f64x2.add(a, b);
}

/** Writes the first `count` lanes, or all if there are more rows than lanes. */
@inline
function putRows<X>(at: usize, count: u32, sum: v128, alpha: X, beta: X): void {
  if (count >= lanes<X>()) {
    putVector<X>(at, sum, alpha, beta);
    return;
  }
  put<X>(at, v128.extract_lane<X>(sum, 0), alpha, beta);
  if (sizeof<X>() === 4) {
    if (count > 1) put<X>(at + 4, v128.extract_lane<X>(sum, 1), alpha, beta);
    if (count > 2) put<X>(at + 8, v128.extract_lane<X>(sum, 2), alpha, beta);
  }
}

/** Writes row by row; each row is moved to lane 0 first. */
function putFirst<X>(at: usize, rows: u32, s0: v128, s1: v128, s2: v128, s3: v128, alpha: X, beta: X): void {
  for (; rows > 0; rows--) {
    put<X>(at, v128.extract_lane<X>(s0, 0), alpha, beta);
    at += sizeof<X>();
    s0 = oneLaneDown<X>(s0, s1);
    s1 = oneLaneDown<X>(s1, s2);
    s2 = oneLaneDown<X>(s2, s3);
    s3 = oneLaneDown<X>(s3, s3);
  }
}

@inline
function oneLaneDown<X>(low: v128, high: v128): v128 {
  return sizeof<X>() === 4 ? v128.shuffle<f32>(low, high, 1, 2, 3, 4) : v128.shuffle<f64>(low, high, 1, 2);
}
