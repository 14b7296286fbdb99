/**
 * Block products of BSR, for every size of blocks: Y ← α A X + β Y over the panels [begin, end).
 *
 * A block of the matrix times its rows of X is a small dense product. Two vectors of columns of up to four rows of a panel stay in
 * eight registers over all blocks of the block row, and a value is multiplied by both vectors. Sums have the order of the single
 * product: its kernels deal the columns of a block to several sums of a row (`sets` of `panel.ts`), so the eight registers are
 *
 *     4 rows × 2 vectors, 2 rows × 2 sums × 2 vectors, or 2 rows × 4 sums × 1 vector
 */
import { allPasses, blockRow, xStride, yStride } from './block-row';
import { ROW_SUM, rowSumBody } from './branches';
import { BsrHeader } from './bsr';
import { putVector } from './lanes';
import { Operands } from './operands';
import { sets } from './panel';
import { splatValue, term } from './terms';

/** Numbers of rows, of sums and of vectors, as type parameters: their sizes in bytes. */
type One = u8;
type Two = u16;
type Four = u32;

/** The size of a block as a type parameter: `Two`, `Four`, three, or any. */
type Three = u64;
type AnySize = u8;

/** Blocks of 1 × 1: the rows of CSR. */
@unmanaged
class SingleBlocks extends BsrHeader {
  pass<V, I, X, W>(operands: Operands, offset: usize, begin: u32, end: u32): void {
    const zero = v128.splat<X>(0);
    const toNext = yStride<X>(operands);
    let at = operands.y + <usize>begin * toNext + offset;
    for (let row = begin; row < end; row++, at += toNext) {
      const k = load<u32>(this.blockRowPtr + ((<usize>row) << 2));
      const width = load<u32>(this.blockRowPtr + ((<usize>row) << 2), 4) - k;
      const cols = this.blockColIdx + ((<usize>k) << 2);
      const values = this.values + ((<usize>k) << alignof<V>());
      blockRow<V, I, X, W>(
        ROW_SUM,
        operands.x + offset,
        xStride<X>(operands),
        at,
        cols,
        4,
        1,
        width,
        rowSumBody<X>(width),
        values,
        0,
        sizeof<V>(),
        zero,
        <X>operands.alpha,
        <X>operands.beta,
      );
    }
  }
}

function panels<V, X>(header: SingleBlocks, operands: Operands, begin: u32, end: u32): void {
  const b = header.blockSize;
  if (b === 1) {
    allPasses<SingleBlocks, V, u32, X>(header, operands, begin, end);
    return;
  }
  const toNext = yStride<X>(operands);
  for (let unit = begin; unit < end; unit++) {
    const place = unit / header.panels;
    const panel = unit % header.panels;
    const top = (panel * b) / header.panels;
    const height = ((panel + 1) * b) / header.panels - top;
    const ptr = header.blockRowPtr + ((<usize>place) << 2);
    const first = load<u32>(ptr);
    const blocks = load<u32>(ptr, 4) - first;
    const cols = header.blockColIdx + ((<usize>first) << 2);
    const row = place * b + top;
    const rows = min(height, header.rows > row ? header.rows - row : 0);
    const values = header.values + ((<usize>(b * (first * b + top * blocks))) << alignof<V>());
    const at = operands.y + <usize>row * toNext;
    const sums = sets<X>(height);
    // Of the four sums of 2 × 2 blocks, two are zero.
    if (b === 2) rowsOf<V, X, Two, Two>(operands, rows, cols, blocks, b, height, values, at);
    else if (b === 3 && sizeof<X>() === 8) rowsOf<V, X, Three, Two>(operands, rows, cols, blocks, b, height, values, at);
    else if (b === 3) rowsOf<V, X, Three, Four>(operands, rows, cols, blocks, b, height, values, at);
    else if (b === 4 && sizeof<X>() === 8) rowsOf<V, X, Four, Two>(operands, rows, cols, blocks, b, height, values, at);
    else if (b === 4) rowsOf<V, X, Four, Four>(operands, rows, cols, blocks, b, height, values, at);
    else if (sums === 1) rowsOf<V, X, AnySize, One>(operands, rows, cols, blocks, b, height, values, at);
    else if (sums === 2) rowsOf<V, X, AnySize, Two>(operands, rows, cols, blocks, b, height, values, at);
    else rowsOf<V, X, AnySize, Four>(operands, rows, cols, blocks, b, height, values, at);
  }
}

/** The first `rows` of a panel, as many at a time as registers hold. */
@inline
function rowsOf<V, X, B, S>(operands: Operands, rows: u32, cols: usize, blocks: u32, b: u32, height: u32, values: usize, at: usize): void {
  const toNext = yStride<X>(operands);
  if (sizeof<S>() === 1) {
    for (; rows > 3; rows -= 4) {
      allColumns<V, X, B, S, Four>(operands, cols, blocks, b, height, values, at);
      values += 4 << alignof<V>();
      at += toNext << 2;
    }
  }
  for (; rows > 1; rows -= 2) {
    allColumns<V, X, B, S, Two>(operands, cols, blocks, b, height, values, at);
    values += 2 << alignof<V>();
    at += toNext << 1;
  }
  if (rows > 0) allColumns<V, X, B, S, One>(operands, cols, blocks, b, height, values, at);
}

/** R adjacent rows of a panel times all columns of X. */
@inline
function allColumns<V, X, B, S, R>(operands: Operands, cols: usize, blocks: u32, b: u32, height: u32, values: usize, at: usize): void {
  const bytes = (((<usize>operands.columns) << alignof<X>()) + 15) & ~15;
  let offset: usize = 0;
  if (sizeof<S>() < 4) {
    for (; offset + 32 <= bytes; offset += 32)
      tile<V, X, B, S, R, Two>(operands, operands.x + offset, cols, blocks, b, height, values, at + offset);
  }
  for (; offset < bytes; offset += 16) tile<V, X, B, S, R, One>(operands, operands.x + offset, cols, blocks, b, height, values, at + offset);
}

/**
 * R rows of S sums each times W vectors of columns, at `x` and `at`. Sums are s0 … s3 of two rows, two vectors each, and s4 … s7 of
 * the other two rows, or the second sums; with four sums, of one vector, s0 s1, s4 s5, s2 s3 and s6 s7.
 */
function tile<V, X, B, S, R, W>(operands: Operands, x: usize, cols: usize, blocks: u32, b: u32, height: u32, values: usize, at: usize): void {
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
  // The last columns of a large block are all added to the first sum.
  const rest: u32 = b > 8 ? b & 3 : 0;
  for (const last = cols + ((<usize>blocks) << 2); cols < last; cols += 4) {
    let xs = x + <usize>load<u32>(cols) * stride;
    for (let left = b; left > 0; left--) {
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
      xs += stride;
      values += step;
      if (sizeof<S>() === 1 || (sizeof<B>() === 1 && left <= rest)) continue;
      if (sizeof<B>() === 1 && --left === 0) break;
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
      xs += stride;
      values += step;
      if (sizeof<B>() === 2) break;
      if (sizeof<B>() === 1 && sizeof<S>() === 2) continue;
      if (sizeof<B>() === 1 && --left === 0) break;
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
      xs += stride;
      values += step;
      if (sizeof<B>() === 8) break;
      if (sizeof<B>() === 1 && --left === 0) break;
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
      xs += stride;
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

export function bsr_spmm_f64(header: SingleBlocks, operands: Operands, begin: u32, end: u32): void {
  panels<f64, f64>(header, operands, begin, end);
}

export function bsr_spmm_mixed(header: SingleBlocks, operands: Operands, begin: u32, end: u32): void {
  panels<f32, f64>(header, operands, begin, end);
}

export function bsr_spmm_f32(header: SingleBlocks, operands: Operands, begin: u32, end: u32): void {
  panels<f32, f32>(header, operands, begin, end);
}
