/**
 * Some rows of a block product whose entries are in the same columns: rows of blocks (`bsr`), or of a group (`inode`).
 *
 * A block of the matrix times its rows of X is a small dense product. Two vectors of columns of up to four rows stay in eight
 * registers over all columns of the rows, and a value is multiplied by both vectors. Sums have the order of the single product: its
 * kernels deal the columns to several sums of a row (`sets` of `assembly/panel.ts`), so the eight registers are
 *
 *     4 rows × 2 vectors, 2 rows × 2 sums × 2 vectors, or 2 rows × 4 sums × 1 vector
 */

import { Four, One, Two } from '../counts';
import { putVector } from '../lanes';
import { Operands } from '../operands';
import { xStride, yStride } from './row';
import { splatValue, term } from './terms';

/** The number of columns of a run as a type parameter: `Two`, `Four`, three, or any. */
export type Three = u64;
export type AnySize = u8;

/** In place of the type of columns: those of a block of a block row, which follow each other. */
export type Adjacent = bool;

/**
 * The first `rows` of a panel, at `at`, as many at a time as registers hold. A panel has `height` rows of `blocks` runs of b columns;
 * its values are column by column. With `Adjacent` columns, `cols` points at the first column of each run, else at every column of
 * the only run. The last `rest` columns of a run, of `AnySize`, are all added to the first sum.
 */
@inline
export function rowsOf<V, I, X, B, S>(
  operands: Operands,
  rows: u32,
  cols: usize,
  blocks: u32,
  b: u32,
  rest: u32,
  height: u32,
  values: usize,
  at: usize,
): void {
  const toNext = yStride<X>(operands);
  if (sizeof<S>() === 1) {
    for (; rows > 3; rows -= 4) {
      allColumns<V, I, X, B, S, Four>(operands, cols, blocks, b, rest, height, values, at);
      values += 4 << alignof<V>();
      at += toNext << 2;
    }
  }
  for (; rows > 1; rows -= 2) {
    allColumns<V, I, X, B, S, Two>(operands, cols, blocks, b, rest, height, values, at);
    values += 2 << alignof<V>();
    at += toNext << 1;
  }
  if (rows > 0) allColumns<V, I, X, B, S, One>(operands, cols, blocks, b, rest, height, values, at);
}

/** R adjacent rows of a panel times all columns of X. */
@inline
function allColumns<V, I, X, B, S, R>(
  operands: Operands,
  cols: usize,
  blocks: u32,
  b: u32,
  rest: u32,
  height: u32,
  values: usize,
  at: usize,
): void {
  const bytes = (((<usize>operands.columns) << alignof<X>()) + 15) & ~15;
  let offset: usize = 0;
  if (sizeof<S>() < 4) {
    for (; offset + 32 <= bytes; offset += 32)
      tile<V, I, X, B, S, R, Two>(operands, operands.x + offset, cols, blocks, b, rest, height, values, at + offset);
  }
  for (; offset < bytes; offset += 16)
    tile<V, I, X, B, S, R, One>(operands, operands.x + offset, cols, blocks, b, rest, height, values, at + offset);
}

/**
 * R rows of S sums each times W vectors of columns, at `x` and `at`. Sums are s0 … s3 of two rows, two vectors each, and s4 … s7 of
 * the other two rows, or the second sums; with four sums, of one vector, s0 s1, s4 s5, s2 s3 and s6 s7.
 */
function tile<V, I, X, B, S, R, W>(
  operands: Operands,
  x: usize,
  cols: usize,
  blocks: u32,
  b: u32,
  rest: u32,
  height: u32,
  values: usize,
  at: usize,
): void {
  const stride = xStride<X>(operands);
  const step = (<usize>height) << alignof<V>();
  const zero = v128.splat<X>(0);
  let s0 = zero;
  let s1 = zero;
  let s2 = zero;
  let s3 = zero;
  let s4 = zero;
  let s5 = zero;
  let s6 = zero;
  let s7 = zero;
  for (; blocks > 0; blocks--) {
    let xs: usize = 0;
    if (isBoolean<I>()) {
      xs = x + <usize>load<u32>(cols) * stride - stride;
      cols += 4;
    }
    for (let left = b; left > 0; left--) {
      xs = isBoolean<I>() ? xs + stride : x + <usize>load<I>(cols) * stride;
      if (!isBoolean<I>()) cols += 4;
      const x0 = v128.load(xs);
      const y0 = sizeof<W>() > 1 ? v128.load(xs, 16) : x0;
      const v0 = splatValue<V, X>(values, 0);
      const w0 = sizeof<R>() > 1 ? splatValue<V, X>(values + sizeof<V>(), 0) : v0;
      if (sizeof<S>() === 4) {
        s0 = term<V, X>(s0, v0, x0);
        if (sizeof<R>() > 1) s1 = term<V, X>(s1, w0, x0);
      } else {
        s0 = term<V, X>(s0, v0, x0);
        if (sizeof<W>() > 1) s1 = term<V, X>(s1, v0, y0);
        if (sizeof<R>() > 1) s2 = term<V, X>(s2, w0, x0);
        if (sizeof<R>() > 1 && sizeof<W>() > 1) s3 = term<V, X>(s3, w0, y0);
      }
      if (sizeof<R>() === 4) {
        const v4 = splatValue<V, X>(values + 2 * sizeof<V>(), 0);
        const w4 = splatValue<V, X>(values + 3 * sizeof<V>(), 0);
        s4 = term<V, X>(s4, v4, x0);
        if (sizeof<W>() > 1) s5 = term<V, X>(s5, v4, y0);
        s6 = term<V, X>(s6, w4, x0);
        if (sizeof<W>() > 1) s7 = term<V, X>(s7, w4, y0);
      }
      values += step;
      if (sizeof<S>() === 1 || (sizeof<B>() === 1 && left <= rest)) continue;
      if (sizeof<B>() === 1 && --left === 0) break;
      xs = isBoolean<I>() ? xs + stride : x + <usize>load<I>(cols) * stride;
      if (!isBoolean<I>()) cols += 4;
      const x1 = v128.load(xs);
      const y1 = sizeof<W>() > 1 ? v128.load(xs, 16) : x1;
      const v1 = splatValue<V, X>(values, 0);
      const w1 = sizeof<R>() > 1 ? splatValue<V, X>(values + sizeof<V>(), 0) : v1;
      if (sizeof<S>() === 4) {
        s4 = term<V, X>(s4, v1, x1);
        if (sizeof<R>() > 1) s5 = term<V, X>(s5, w1, x1);
      } else {
        s4 = term<V, X>(s4, v1, x1);
        if (sizeof<W>() > 1) s5 = term<V, X>(s5, v1, y1);
        if (sizeof<R>() > 1) s6 = term<V, X>(s6, w1, x1);
        if (sizeof<R>() > 1 && sizeof<W>() > 1) s7 = term<V, X>(s7, w1, y1);
      }
      values += step;
      if (sizeof<B>() === 2) break;
      if (sizeof<B>() === 1 && sizeof<S>() === 2) continue;
      if (sizeof<B>() === 1 && --left === 0) break;
      xs = isBoolean<I>() ? xs + stride : x + <usize>load<I>(cols) * stride;
      if (!isBoolean<I>()) cols += 4;
      const x2 = v128.load(xs);
      const y2 = sizeof<W>() > 1 ? v128.load(xs, 16) : x2;
      const v2 = splatValue<V, X>(values, 0);
      const w2 = sizeof<R>() > 1 ? splatValue<V, X>(values + sizeof<V>(), 0) : v2;
      if (sizeof<S>() === 4) {
        s2 = term<V, X>(s2, v2, x2);
        if (sizeof<R>() > 1) s3 = term<V, X>(s3, w2, x2);
      } else {
        s0 = term<V, X>(s0, v2, x2);
        if (sizeof<W>() > 1) s1 = term<V, X>(s1, v2, y2);
        if (sizeof<R>() > 1) s2 = term<V, X>(s2, w2, x2);
        if (sizeof<R>() > 1 && sizeof<W>() > 1) s3 = term<V, X>(s3, w2, y2);
      }
      values += step;
      if (sizeof<B>() === 8) break;
      if (sizeof<B>() === 1 && --left === 0) break;
      xs = isBoolean<I>() ? xs + stride : x + <usize>load<I>(cols) * stride;
      if (!isBoolean<I>()) cols += 4;
      const x3 = v128.load(xs);
      const y3 = sizeof<W>() > 1 ? v128.load(xs, 16) : x3;
      const v3 = splatValue<V, X>(values, 0);
      const w3 = sizeof<R>() > 1 ? splatValue<V, X>(values + sizeof<V>(), 0) : v3;
      if (sizeof<S>() === 4) {
        s6 = term<V, X>(s6, v3, x3);
        if (sizeof<R>() > 1) s7 = term<V, X>(s7, w3, x3);
      } else {
        s4 = term<V, X>(s4, v3, x3);
        if (sizeof<W>() > 1) s5 = term<V, X>(s5, v3, y3);
        if (sizeof<R>() > 1) s6 = term<V, X>(s6, w3, x3);
        if (sizeof<R>() > 1 && sizeof<W>() > 1) s7 = term<V, X>(s7, w3, y3);
      }
      values += step;
      if (sizeof<B>() === 4) break;
    }
  }
  if (sizeof<S>() > 1) {
    s0 = v128.add<X>(s0, s4);
    s1 = v128.add<X>(s1, s5);
    s2 = v128.add<X>(s2, s6);
    s3 = v128.add<X>(s3, s7);
  }
  if (sizeof<S>() === 4) {
    s0 = v128.add<X>(s0, s2);
    s2 = v128.add<X>(s1, s3);
  }
  if (sizeof<B>() === 2) {
    s0 = v128.add<X>(s0, zero);
    s1 = v128.add<X>(s1, zero);
    s2 = v128.add<X>(s2, zero);
    s3 = v128.add<X>(s3, zero);
  }
  const toNext = yStride<X>(operands);
  const alpha = <X>operands.alpha;
  const beta = <X>operands.beta;
  putRow<X, W>(at, s0, s1, alpha, beta);
  if (sizeof<R>() > 1) putRow<X, W>(at + toNext, s2, s3, alpha, beta);
  if (sizeof<R>() === 4) {
    putRow<X, W>(at + 2 * toNext, s4, s5, alpha, beta);
    putRow<X, W>(at + 3 * toNext, s6, s7, alpha, beta);
  }
}

@inline
function putRow<X, W>(at: usize, low: v128, high: v128, alpha: X, beta: X): void {
  putVector<X>(at, low, alpha, beta);
  if (sizeof<W>() > 1) putVector<X>(at + 16, high, alpha, beta);
}
