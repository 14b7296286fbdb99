/**
 * Block products of rows that are added in order, side by side as in a chunk of `sell` or `dia`: R rows times W vectors of columns,
 * in eight registers at most. A value is multiplied by the W vectors of its entry's row of X:
 *
 *     1 row × 8 vectors, 2 rows × 4, 4 rows × 2, 4 rows × 1
 *
 * Rows of a chunk are equally long, so R of them share one loop: its control and its mispredicted end cost 1/R, and few columns, whose
 * few sums would wait for each other, have R times as many.
 *
 * An entry is added in two halves, and the loop ends between them. This is for compilers that move all loads of a basic block to its
 * begin (V8 of Node 20): 8 sums and 8 loaded vectors do not fit into 15 registers, and a sum in memory makes every entry wait for it
 * (5-point Laplacian of 60², f64, 16 columns, shared Intel Xeon, November 2026: 9.1 GFLOP/s, in halves 12.0). A branch after which a sum
 * is not used on one of the paths does not help: the additions move behind it, into the other path.
 */
import { Four, One } from '../counts';
import { valueShift } from '../lanes';
import { splatValue, term } from './terms';

/** In place of the type of columns: one i32 offset for all rows, from the row of X that has the number of the row. */
export type Offsets = bool;

/**
 * The R rows of Y at `at0` … `at3`, the first R of them used. Entry j of row r has its column at `cols` + j `colStep`, r columns further
 * on, and its value at `values` + j `valueStep`, r values further on. `width`: entries of each row.
 */
@inline
export function laneTile<V, I, X, R, W>(
  x: usize,
  stride: usize,
  at0: usize,
  at1: usize,
  at2: usize,
  at3: usize,
  cols: usize,
  colStep: usize,
  values: usize,
  valueStep: usize,
  table: usize,
  width: u32,
  alpha: X,
  beta: X,
): void {
  const zero = v128.splat<X>(0);
  if (width === 0) {
    putSums<X, W, One>(at0, at0, zero, zero, zero, zero, alpha, beta);
    if (sizeof<W>() === 8) putSums<X, W, One>(at0 + 64, at0, zero, zero, zero, zero, alpha, beta);
    if (sizeof<R>() > 1) putSums<X, W, One>(at1, at1, zero, zero, zero, zero, alpha, beta);
    if (sizeof<R>() > 2) putSums<X, W, Four>(at2, at3, zero, zero, zero, zero, alpha, beta);
    return;
  }
  let s0 = zero;
  let s1 = zero;
  let s2 = zero;
  let s3 = zero;
  let s4 = zero;
  let s5 = zero;
  let s6 = zero;
  let s7 = zero;
  for (;;) {
    const x0 = rowOfX<I>(x, stride, cols, 0);
    const a0 = splatOf<V, X>(values, table, 0);
    s0 = term<V, X>(s0, a0, v128.load(x0));
    if (sizeof<W>() > 1) s1 = term<V, X>(s1, a0, v128.load(x0, 16));
    if (sizeof<W>() > 2) s2 = term<V, X>(s2, a0, v128.load(x0, 32));
    if (sizeof<W>() > 2) s3 = term<V, X>(s3, a0, v128.load(x0, 48));
    if (sizeof<R>() === 4) {
      const x1 = rowOfX<I>(x, stride, cols, 1);
      const a1 = splatOf<V, X>(values, table, 1);
      s2 = term<V, X>(s2, a1, v128.load(x1));
      if (sizeof<W>() > 1) s3 = term<V, X>(s3, a1, v128.load(x1, 16));
    }
    if (--width === 0) break;
    if (sizeof<W>() === 8) {
      s4 = term<V, X>(s4, a0, v128.load(x0, 64));
      s5 = term<V, X>(s5, a0, v128.load(x0, 80));
      s6 = term<V, X>(s6, a0, v128.load(x0, 96));
      s7 = term<V, X>(s7, a0, v128.load(x0, 112));
    }
    if (sizeof<R>() === 2) {
      const x1 = rowOfX<I>(x, stride, cols, 1);
      const a1 = splatOf<V, X>(values, table, 1);
      s4 = term<V, X>(s4, a1, v128.load(x1));
      s5 = term<V, X>(s5, a1, v128.load(x1, 16));
      s6 = term<V, X>(s6, a1, v128.load(x1, 32));
      s7 = term<V, X>(s7, a1, v128.load(x1, 48));
    }
    if (sizeof<R>() === 4) {
      const x2 = rowOfX<I>(x, stride, cols, 2);
      const a2 = splatOf<V, X>(values, table, 2);
      s4 = term<V, X>(s4, a2, v128.load(x2));
      if (sizeof<W>() > 1) s5 = term<V, X>(s5, a2, v128.load(x2, 16));
      const x3 = rowOfX<I>(x, stride, cols, 3);
      const a3 = splatOf<V, X>(values, table, 3);
      s6 = term<V, X>(s6, a3, v128.load(x3));
      if (sizeof<W>() > 1) s7 = term<V, X>(s7, a3, v128.load(x3, 16));
    }
    cols += colStep;
    if (!isBoolean<V>()) values += valueStep;
  }
  // The other half of the last entry, written again: a function returns one vector, so it could not give back the sums.
  if (sizeof<W>() === 8) {
    const x0 = rowOfX<I>(x, stride, cols, 0);
    const a0 = splatOf<V, X>(values, table, 0);
    s4 = term<V, X>(s4, a0, v128.load(x0, 64));
    s5 = term<V, X>(s5, a0, v128.load(x0, 80));
    s6 = term<V, X>(s6, a0, v128.load(x0, 96));
    s7 = term<V, X>(s7, a0, v128.load(x0, 112));
  }
  if (sizeof<R>() === 2) {
    const x1 = rowOfX<I>(x, stride, cols, 1);
    const a1 = splatOf<V, X>(values, table, 1);
    s4 = term<V, X>(s4, a1, v128.load(x1));
    s5 = term<V, X>(s5, a1, v128.load(x1, 16));
    s6 = term<V, X>(s6, a1, v128.load(x1, 32));
    s7 = term<V, X>(s7, a1, v128.load(x1, 48));
  }
  if (sizeof<R>() === 4) {
    const x2 = rowOfX<I>(x, stride, cols, 2);
    const a2 = splatOf<V, X>(values, table, 2);
    s4 = term<V, X>(s4, a2, v128.load(x2));
    if (sizeof<W>() > 1) s5 = term<V, X>(s5, a2, v128.load(x2, 16));
    const x3 = rowOfX<I>(x, stride, cols, 3);
    const a3 = splatOf<V, X>(values, table, 3);
    s6 = term<V, X>(s6, a3, v128.load(x3));
    if (sizeof<W>() > 1) s7 = term<V, X>(s7, a3, v128.load(x3, 16));
  }
  putSums<X, W, R>(at0, at1, s0, s1, s2, s3, alpha, beta);
  if (sizeof<W>() === 8) putSums<X, W, R>(at0 + 64, at0, s4, s5, s6, s7, alpha, beta);
  else if (sizeof<R>() === 2) putSums<X, W, R>(at1, at1, s4, s5, s6, s7, alpha, beta);
  else if (sizeof<R>() === 4) putSums<X, W, R>(at2, at3, s4, s5, s6, s7, alpha, beta);
}

@inline
function rowOfX<I>(x: usize, stride: usize, cols: usize, row: u32): usize {
  if (isBoolean<I>()) return x + <usize>load<u32>(cols) * stride + <usize>row * stride;
  return x + <usize>load<I>(cols + <usize>row * sizeof<I>()) * stride;
}

@inline
function splatOf<V, X>(values: usize, table: usize, row: u32): v128 {
  return splatValue<V, X>(values + ((<usize>row) << valueShift<V>()), table);
}

/** y ← α s + β y for a half of the sums: up to four vectors of the row at `at0`, or, with four rows, up to two each at `at0` and `at1`. */
@inline
function putSums<X, W, R>(at0: usize, at1: usize, s0: v128, s1: v128, s2: v128, s3: v128, alpha: X, beta: X): void {
  const factor = v128.splat<X>(alpha);
  s0 = v128.mul<X>(factor, s0);
  s1 = v128.mul<X>(factor, s1);
  s2 = v128.mul<X>(factor, s2);
  s3 = v128.mul<X>(factor, s3);
  if (beta !== <X>0) {
    const other = v128.splat<X>(beta);
    s0 = v128.add<X>(s0, v128.mul<X>(other, v128.load(at0)));
    if (sizeof<W>() > 1) s1 = v128.add<X>(s1, v128.mul<X>(other, v128.load(at0, 16)));
    if (sizeof<W>() > 2) s2 = v128.add<X>(s2, v128.mul<X>(other, v128.load(at0, 32)));
    if (sizeof<W>() > 2) s3 = v128.add<X>(s3, v128.mul<X>(other, v128.load(at0, 48)));
    if (sizeof<R>() > 2) s2 = v128.add<X>(s2, v128.mul<X>(other, v128.load(at1)));
    if (sizeof<R>() > 2 && sizeof<W>() > 1) s3 = v128.add<X>(s3, v128.mul<X>(other, v128.load(at1, 16)));
  }
  v128.store(at0, s0);
  if (sizeof<W>() > 1) v128.store(at0, s1, 16);
  if (sizeof<W>() > 2) v128.store(at0, s2, 32);
  if (sizeof<W>() > 2) v128.store(at0, s3, 48);
  if (sizeof<R>() > 2) v128.store(at1, s2);
  if (sizeof<R>() > 2 && sizeof<W>() > 1) v128.store(at1, s3, 16);
}
