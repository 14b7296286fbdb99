/**
 * Pieces of rows in block products, for formats whose single product is summed by `assembly/pieces.ts`: Y ← α A X + Y, where Y begins with the first row of a slice
 * and X with the row that column index 0 means: in a tile, that of its panel's first column.
 */
import { COMPONENTS } from '../../build/headers';
import { Four, One, Two } from '../counts';
import { putVector, valueShift } from '../lanes';
import { blockRow } from './row';
import { splatValue, term } from './terms';

/**
 * Computes the components of a slice or tile, widest first. `ptr` is the address of the first one's pointer into rowIdx.
 *
 * @param hasRuns whether the first component has runs, a constant: each row is followed by the length of its run, in units of 32 entries
 */
@inline
export function blockComponents<V, I, X>(
  hasRuns: bool,
  vectors: u32,
  x: usize,
  stride: usize,
  y: usize,
  toNext: usize,
  colIdx: usize,
  values: usize,
  table: usize,
  rowIdx: usize,
  ptr: usize,
  alpha: X,
): void {
  let row = rowIdx + ((<usize>load<u32>(ptr)) << 1);
  for (let shift: u32 = COMPONENTS; shift-- > 0; ) {
    ptr += 4;
    const isRun = hasRuns && shift === COMPONENTS - 1;
    let width: u32 = 1 << shift;
    for (const end = rowIdx + ((<usize>load<u32>(ptr)) << 1); row < end; row += 2) {
      const at = y + <usize>load<u16>(row) * toNext;
      if (isRun) {
        row += 2;
        width = (<u32>load<u16>(row)) << shift;
      }
      if (shift === 0) shortPiece<V, I, X, One>(vectors, x, stride, at, colIdx, values, table, alpha);
      else if (shift === 1) shortPiece<V, I, X, Two>(vectors, x, stride, at, colIdx, values, table, alpha);
      else if (shift === 2) shortPiece<V, I, X, Four>(vectors, x, stride, at, colIdx, values, table, alpha);
      else blockRow<V, I, X>(vectors, x, stride, at, colIdx, width, values, table, alpha, 1);
      colIdx += (<usize>width) << alignof<I>();
      values += (<usize>width) << valueShift<V>();
    }
  }
}

/**
 * y ← α a + y for a piece a of N entries, in straight-line code: loop control would take longer. Each product is in the lane of the
 * single product's vectors, whose lanes are added last; the sum of the narrowest pieces begins with their product, not with 0.
 */
@inline
function shortPiece<V, I, X, N>(vectors: u32, x: usize, stride: usize, at: usize, colIdx: usize, values: usize, table: usize, alpha: X): void {
  const size = valueShift<V>();
  const a = splatValue<V, X>(values, table);
  const b = sizeof<N>() > 1 ? splatValue<V, X>(values + (1 << size), table) : a;
  const c = sizeof<N>() > 2 ? splatValue<V, X>(values + (2 << size), table) : a;
  const d = sizeof<N>() > 2 ? splatValue<V, X>(values + (3 << size), table) : a;
  let xa = x + <usize>load<I>(colIdx) * stride;
  let xb = sizeof<N>() > 1 ? x + <usize>load<I>(colIdx, 1 << alignof<I>()) * stride : 0;
  let xc = sizeof<N>() > 2 ? x + <usize>load<I>(colIdx, 2 << alignof<I>()) * stride : 0;
  let xd = sizeof<N>() > 2 ? x + <usize>load<I>(colIdx, 3 << alignof<I>()) * stride : 0;
  const zero = v128.splat<X>(sizeof<N>() * sizeof<X>() <= 8 ? -0.0 : 0);
  for (const last = at + ((<usize>vectors) << 4); at < last; at += 16) {
    let sum = term<V, X>(zero, a, v128.load(xa));
    xa += 16;
    if (sizeof<N>() === 2) {
      sum = v128.add<X>(sum, term<V, X>(zero, b, v128.load(xb)));
      xb += 16;
    }
    if (sizeof<N>() === 4) {
      let second = term<V, X>(zero, b, v128.load(xb));
      const third = term<V, X>(zero, c, v128.load(xc));
      const fourth = term<V, X>(zero, d, v128.load(xd));
      xb += 16;
      xc += 16;
      xd += 16;
      if (sizeof<X>() === 8) {
        sum = v128.add<X>(sum, third);
        second = v128.add<X>(second, fourth);
      } else {
        sum = v128.add<X>(sum, second);
        second = v128.add<X>(third, fourth);
      }
      sum = v128.add<X>(sum, second);
    }
    putVector<X>(at, sum, alpha, 1);
  }
}

/** y ← β y in the columns of a pass; β = 0 overwrites, NaN included. */
@inline
export function scaleRows<X>(vectors: u32, y: usize, rows: u32, toNext: usize, beta: X): void {
  if (beta === <X>1) return;
  const bytes = (<usize>vectors) << 4;
  const factor = v128.splat<X>(beta);
  for (; rows > 0; rows--, y += toNext) {
    if (beta === <X>0) clear(vectors, y);
    else for (let at = y; at < y + bytes; at += 16) v128.store(at, v128.mul<X>(factor, v128.load(at)));
  }
}

/** Clears vectors: 1, 2, 4 or 8. `memory.fill` would be a call, which takes longer for so few bytes. */
@inline
function clear(vectors: u32, at: usize): void {
  const zero = i64x2.splat(0);
  v128.store(at, zero);
  if (vectors > 1) v128.store(at, zero, 16);
  if (vectors > 2) {
    v128.store(at, zero, 32);
    v128.store(at, zero, 48);
  }
  if (vectors > 4) {
    v128.store(at, zero, 64);
    v128.store(at, zero, 80);
    v128.store(at, zero, 96);
    v128.store(at, zero, 112);
  }
}
