/**
 * One row of a block product, for short rows or few columns: all branches of the sum at once, in registers, which leaves room
 * for two vectors of f64 and one of f32. Steps are written out: a function returns one vector, so it could not give back the sums.
 */

import { putVector, valueShift } from '../lanes';
import { bodyOf, branchShift } from './branches';
import { splatValue, term } from './terms';

/** The row of `blockRow`, W vectors at a time: one, or two of f64. */
@inline
export function branchesAtOnce<V, I, X, W>(
  x: usize,
  stride: usize,
  at: usize,
  cols: usize,
  width: u32,
  values: usize,
  table: usize,
  alpha: X,
  beta: X,
): void {
  const zero = v128.splat<X>(0);
  let a = zero;
  let a1 = zero;
  let b = zero;
  let b1 = zero;
  let c = zero;
  let c1 = zero;
  let d = zero;
  let d1 = zero;
  let e = zero;
  let f = zero;
  let g = zero;
  let h = zero;
  const shift = branchShift<X>();
  const branches: usize = 1 << shift;
  const body = bodyOf<X>(width);
  const colStep = sizeof<I>();
  const valueStep: usize = 1 << valueShift<V>();
  let value = values;
  let col = cols;
  for (let left = body >> shift; left > 0; left--) {
    const v0 = splatValue<V, X>(value, table);
    const x0 = rowOfX<I>(x, col, stride);
    a = term<V, X>(a, v0, v128.load(x0));
    if (sizeof<W>() > 1) a1 = term<V, X>(a1, v0, v128.load(x0, 16));
    const v1 = splatValue<V, X>(value + valueStep, table);
    const x1 = rowOfX<I>(x, col + colStep, stride);
    b = term<V, X>(b, v1, v128.load(x1));
    if (sizeof<W>() > 1) b1 = term<V, X>(b1, v1, v128.load(x1, 16));
    const v2 = splatValue<V, X>(value + 2 * valueStep, table);
    const x2 = rowOfX<I>(x, col + 2 * colStep, stride);
    c = term<V, X>(c, v2, v128.load(x2));
    if (sizeof<W>() > 1) c1 = term<V, X>(c1, v2, v128.load(x2, 16));
    const v3 = splatValue<V, X>(value + 3 * valueStep, table);
    const x3 = rowOfX<I>(x, col + 3 * colStep, stride);
    d = term<V, X>(d, v3, v128.load(x3));
    if (sizeof<W>() > 1) d1 = term<V, X>(d1, v3, v128.load(x3, 16));
    if (sizeof<X>() === 4) {
      const v4 = splatValue<V, X>(value + 4 * valueStep, table);
      const x4 = rowOfX<I>(x, col + 4 * colStep, stride);
      e = term<V, X>(e, v4, v128.load(x4));
      const v5 = splatValue<V, X>(value + 5 * valueStep, table);
      const x5 = rowOfX<I>(x, col + 5 * colStep, stride);
      f = term<V, X>(f, v5, v128.load(x5));
      const v6 = splatValue<V, X>(value + 6 * valueStep, table);
      const x6 = rowOfX<I>(x, col + 6 * colStep, stride);
      g = term<V, X>(g, v6, v128.load(x6));
      const v7 = splatValue<V, X>(value + 7 * valueStep, table);
      const x7 = rowOfX<I>(x, col + 7 * colStep, stride);
      h = term<V, X>(h, v7, v128.load(x7));
    }
    value += branches * valueStep;
    col += branches * colStep;
  }
  // The body has half as many entries more, or not.
  if (body & (<u32>branches - 1)) {
    const v0 = splatValue<V, X>(value, table);
    const x0 = rowOfX<I>(x, col, stride);
    a = term<V, X>(a, v0, v128.load(x0));
    if (sizeof<W>() > 1) a1 = term<V, X>(a1, v0, v128.load(x0, 16));
    const v1 = splatValue<V, X>(value + valueStep, table);
    const x1 = rowOfX<I>(x, col + colStep, stride);
    b = term<V, X>(b, v1, v128.load(x1));
    if (sizeof<W>() > 1) b1 = term<V, X>(b1, v1, v128.load(x1, 16));
    if (sizeof<X>() === 4) {
      const v2 = splatValue<V, X>(value + 2 * valueStep, table);
      const x2 = rowOfX<I>(x, col + 2 * colStep, stride);
      c = term<V, X>(c, v2, v128.load(x2));
      const v3 = splatValue<V, X>(value + 3 * valueStep, table);
      const x3 = rowOfX<I>(x, col + 3 * colStep, stride);
      d = term<V, X>(d, v3, v128.load(x3));
    }
    value += (branches >> 1) * valueStep;
    col += (branches >> 1) * colStep;
  }
  if (sizeof<X>() === 4 && width & 2) {
    const v0 = splatValue<V, X>(value, table);
    const x0 = rowOfX<I>(x, col, stride);
    e = term<V, X>(e, v0, v128.load(x0));
    const v1 = splatValue<V, X>(value + valueStep, table);
    const x1 = rowOfX<I>(x, col + colStep, stride);
    f = term<V, X>(f, v1, v128.load(x1));
    value += 2 * valueStep;
    col += 2 * colStep;
  }
  if (width & 1) {
    const v0 = splatValue<V, X>(value, table);
    const x0 = rowOfX<I>(x, col, stride);
    if (sizeof<X>() === 4) a = term<V, X>(a, v0, v128.load(x0));
    else {
      c = term<V, X>(c, v0, v128.load(x0));
      if (sizeof<W>() > 1) c1 = term<V, X>(c1, v0, v128.load(x0, 16));
    }
  }
  putVector<X>(at, total<X>(a, b, c, d, e, f, g, h), alpha, beta);
  if (sizeof<W>() > 1) putVector<X>(at + 16, total<X>(a1, b1, c1, d1, e, f, g, h), alpha, beta);
}

/** The sum of all branches, in the order of `rowSum`. */
@inline
function total<X>(a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128): v128 {
  if (sizeof<X>() === 8) return v128.add<X>(v128.add<X>(a, c), v128.add<X>(b, d));
  const low = v128.add<X>(v128.add<X>(a, e), v128.add<X>(b, f));
  return v128.add<X>(low, v128.add<X>(v128.add<X>(c, g), v128.add<X>(d, h)));
}

/** The row of X of an entry. */
@inline
function rowOfX<I>(x: usize, col: usize, stride: usize): usize {
  return x + <usize>load<I>(col) * stride;
}
