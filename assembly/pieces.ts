/**
 * Pieces of rows: sums of a fixed number of entries, 32, 16, 8, 4, 2 or 1, in straight-line code, added to y piece by piece. Formats:
 * `assembly/components/components.ts`, `assembly/panels/panels.ts`.
 */
import { gather32, gather32pair, gather64, term32, term64, valueAt, valueShift, values32pair } from './lanes';

/**
 * Computes `count` components, a constant, one after the other: the last one has pieces of one entry, each other one twice the width of the
 * next. `ptr` is the address of the first one's pointer into rowIdx.
 */
@inline
export function components<V, I, X>(
  count: u32,
  x: usize,
  y: usize,
  colIdx: usize,
  values: usize,
  table: usize,
  rowIdx: usize,
  ptr: usize,
  alpha: X,
): void {
  let row = rowIdx + ((<usize>load<u32>(ptr)) << 1);
  for (let shift = count; shift-- > 0; ) {
    ptr += 4;
    const end = rowIdx + ((<usize>load<u32>(ptr)) << 1);
    switch (shift) {
      case 5:
        if (count > 5) pieces<V, I, X>(x, y, colIdx, values, table, row, end, alpha, 32);
        break;
      case 4:
        pieces<V, I, X>(x, y, colIdx, values, table, row, end, alpha, 16);
        break;
      case 3:
        pieces<V, I, X>(x, y, colIdx, values, table, row, end, alpha, 8);
        break;
      case 2:
        pieces<V, I, X>(x, y, colIdx, values, table, row, end, alpha, 4);
        break;
      case 1:
        pieces<V, I, X>(x, y, colIdx, values, table, row, end, alpha, 2);
        break;
      default:
        pieces<V, I, X>(x, y, colIdx, values, table, row, end, alpha, 1);
    }
    const entries = ((end - row) >> 1) << shift;
    colIdx += entries << alignof<I>();
    values += entries << valueShift<V>();
    row = end;
  }
}

/** Computes the pieces of one component: `row` … `end` is its part of rowIdx. */
@inline
function pieces<V, I, X>(x: usize, y: usize, colIdx: usize, values: usize, table: usize, row: usize, end: usize, alpha: X, width: u32): void {
  for (; row < end; row += 2) {
    const at = y + ((<usize>load<u16>(row)) << alignof<X>());
    store<X>(at, load<X>(at) + alpha * pieceSum<V, I, X>(x, colIdx, values, table, width));
    colIdx += (<usize>width) << alignof<I>();
    values += (<usize>width) << valueShift<V>();
  }
}

/** Σ values[k] · x[colIdx[k]] over one piece; `width` is a constant, and the code for other widths is removed. */
@inline
function pieceSum<V, I, X>(x: usize, colIdx: usize, values: usize, table: usize, width: u32): X {
  if (width === 1) return valueAt<V, X>(values, table) * load<X>(x + ((<usize>load<I>(colIdx)) << alignof<X>()));
  if (sizeof<X>() === 4) return <X>pieceSum32<V, I>(x, colIdx, values, table, width);
  return <X>pieceSum64<V, I>(x, colIdx, values, table, width);
}

/** sum0 adds entries 0 1 mod 4, sum1 entries 2 3 mod 4. */
@inline
function pieceSum64<V, I>(x: usize, colIdx: usize, values: usize, table: usize, width: u32): f64 {
  let sum0 = term64<V>(f64x2.splat(0), gather64<I>(x, colIdx, 0), values, table, 0);
  if (width > 2) {
    let sum1 = term64<V>(f64x2.splat(0), gather64<I>(x, colIdx, 2), values, table, 2);
    if (width > 4) {
      sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 4), values, table, 4);
      sum1 = term64<V>(sum1, gather64<I>(x, colIdx, 6), values, table, 6);
    }
    if (width > 8) {
      sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 8), values, table, 8);
      sum1 = term64<V>(sum1, gather64<I>(x, colIdx, 10), values, table, 10);
      sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 12), values, table, 12);
      sum1 = term64<V>(sum1, gather64<I>(x, colIdx, 14), values, table, 14);
    }
    if (width > 16) {
      sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 16), values, table, 16);
      sum1 = term64<V>(sum1, gather64<I>(x, colIdx, 18), values, table, 18);
      sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 20), values, table, 20);
      sum1 = term64<V>(sum1, gather64<I>(x, colIdx, 22), values, table, 22);
      sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 24), values, table, 24);
      sum1 = term64<V>(sum1, gather64<I>(x, colIdx, 26), values, table, 26);
      sum0 = term64<V>(sum0, gather64<I>(x, colIdx, 28), values, table, 28);
      sum1 = term64<V>(sum1, gather64<I>(x, colIdx, 30), values, table, 30);
    }
    sum0 = f64x2.add(sum0, sum1);
  }
  return f64x2.extract_lane(sum0, 0) + f64x2.extract_lane(sum0, 1);
}

/** sum0 adds entries 0 … 3 mod 8, sum1 entries 4 … 7 mod 8. */
@inline
function pieceSum32<V, I>(x: usize, colIdx: usize, values: usize, table: usize, width: u32): f32 {
  if (width === 2) {
    const pair = gather32pair<I>(x, colIdx);
    const terms = isBoolean<V>() ? pair : f32x4.mul(values32pair<V>(values, table), pair);
    return f32x4.extract_lane(terms, 0) + f32x4.extract_lane(terms, 1);
  }
  let sum0 = term32<V>(f32x4.splat(0), gather32<I>(x, colIdx, 0), values, table, 0);
  if (width > 4) {
    let sum1 = term32<V>(f32x4.splat(0), gather32<I>(x, colIdx, 4), values, table, 4);
    if (width > 8) {
      sum0 = term32<V>(sum0, gather32<I>(x, colIdx, 8), values, table, 8);
      sum1 = term32<V>(sum1, gather32<I>(x, colIdx, 12), values, table, 12);
    }
    if (width > 16) {
      sum0 = term32<V>(sum0, gather32<I>(x, colIdx, 16), values, table, 16);
      sum1 = term32<V>(sum1, gather32<I>(x, colIdx, 20), values, table, 20);
      sum0 = term32<V>(sum0, gather32<I>(x, colIdx, 24), values, table, 24);
      sum1 = term32<V>(sum1, gather32<I>(x, colIdx, 28), values, table, 28);
    }
    sum0 = f32x4.add(sum0, sum1);
  }
  const low = f32x4.extract_lane(sum0, 0) + f32x4.extract_lane(sum0, 1);
  const high = f32x4.extract_lane(sum0, 2) + f32x4.extract_lane(sum0, 3);
  return low + high;
}
