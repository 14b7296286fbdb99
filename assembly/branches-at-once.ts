/**
 * One row of a block product, for short rows and few columns: all branches of the sum at once, in registers, which leaves room
 * for two vectors of f64 and one of f32.
 */
import { branchShift, ROW_SUM } from './branches';
import { putVector } from './lanes';
import { splatValue, term } from './terms';

/** The row of `blockRow`, W vectors at a time: one, or two of f64. */
@inline
export function branchesAtOnce<V, I, X, W>(
  tree: u32,
  x: usize,
  stride: usize,
  at: usize,
  cols: usize,
  colStep: usize,
  blocks: u32,
  width: u32,
  body: u32,
  values: usize,
  table: usize,
  valueStep: usize,
  zero: v128,
  alpha: X,
  beta: X,
): void {
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
  const shift = branchShift<X>(tree);
  const branches: u32 = 1 << shift;
  const step = isBoolean<I>() ? stride : colStep;
  let value = values;
  for (let block: u32 = 0; block < blocks; block++) {
    const first = isBoolean<I>() ? x + <usize>load<u32>(cols + ((<usize>block) << 2)) * stride : x;
    let col = isBoolean<I>() ? first : cols;
    for (let left = body >> shift; left > 0; left--) {
      const v0 = splatValue<V, X>(value, table);
      const x0 = rowOfX<I>(first, col, stride);
      a = term<V, X>(a, v0, v128.load(x0));
      if (sizeof<W>() > 1) a1 = term<V, X>(a1, v0, v128.load(x0, 16));
      const v1 = splatValue<V, X>(value + 1 * valueStep, table);
      const x1 = rowOfX<I>(first, col + 1 * step, stride);
      b = term<V, X>(b, v1, v128.load(x1));
      if (sizeof<W>() > 1) b1 = term<V, X>(b1, v1, v128.load(x1, 16));
      if (branches > 2) {
        const v2 = splatValue<V, X>(value + 2 * valueStep, table);
        const x2 = rowOfX<I>(first, col + 2 * step, stride);
        c = term<V, X>(c, v2, v128.load(x2));
        if (sizeof<W>() > 1) c1 = term<V, X>(c1, v2, v128.load(x2, 16));
        const v3 = splatValue<V, X>(value + 3 * valueStep, table);
        const x3 = rowOfX<I>(first, col + 3 * step, stride);
        d = term<V, X>(d, v3, v128.load(x3));
        if (sizeof<W>() > 1) d1 = term<V, X>(d1, v3, v128.load(x3, 16));
      }
      if (sizeof<X>() === 4 && branches > 4) {
        const v4 = splatValue<V, X>(value + 4 * valueStep, table);
        const x4 = rowOfX<I>(first, col + 4 * step, stride);
        e = term<V, X>(e, v4, v128.load(x4));
        const v5 = splatValue<V, X>(value + 5 * valueStep, table);
        const x5 = rowOfX<I>(first, col + 5 * step, stride);
        f = term<V, X>(f, v5, v128.load(x5));
        const v6 = splatValue<V, X>(value + 6 * valueStep, table);
        const x6 = rowOfX<I>(first, col + 6 * step, stride);
        g = term<V, X>(g, v6, v128.load(x6));
        const v7 = splatValue<V, X>(value + 7 * valueStep, table);
        const x7 = rowOfX<I>(first, col + 7 * step, stride);
        h = term<V, X>(h, v7, v128.load(x7));
      }
      value += <usize>branches * valueStep;
      col += <usize>branches * step;
    }
    const left = body & (branches - 1);
    if (left > 0) {
      const v0 = splatValue<V, X>(value, table);
      const x0 = rowOfX<I>(first, col, stride);
      a = term<V, X>(a, v0, v128.load(x0));
      if (sizeof<W>() > 1) a1 = term<V, X>(a1, v0, v128.load(x0, 16));
      if (left > 1) {
        const v1 = splatValue<V, X>(value + 1 * valueStep, table);
        const x1 = rowOfX<I>(first, col + 1 * step, stride);
        b = term<V, X>(b, v1, v128.load(x1));
        if (sizeof<W>() > 1) b1 = term<V, X>(b1, v1, v128.load(x1, 16));
      }
      if (left > 2) {
        const v2 = splatValue<V, X>(value + 2 * valueStep, table);
        const x2 = rowOfX<I>(first, col + 2 * step, stride);
        c = term<V, X>(c, v2, v128.load(x2));
        if (sizeof<W>() > 1) c1 = term<V, X>(c1, v2, v128.load(x2, 16));
      }
      if (left > 3) {
        const v3 = splatValue<V, X>(value + 3 * valueStep, table);
        const x3 = rowOfX<I>(first, col + 3 * step, stride);
        d = term<V, X>(d, v3, v128.load(x3));
        if (sizeof<W>() > 1) d1 = term<V, X>(d1, v3, v128.load(x3, 16));
      }
      value += <usize>left * valueStep;
      col += <usize>left * step;
    }
    if (tree === ROW_SUM) {
      if (sizeof<X>() === 4 && width & 2) {
        const v0 = splatValue<V, X>(value, table);
        const x0 = rowOfX<I>(first, col, stride);
        e = term<V, X>(e, v0, v128.load(x0));
        const v1 = splatValue<V, X>(value + 1 * valueStep, table);
        const x1 = rowOfX<I>(first, col + 1 * step, stride);
        f = term<V, X>(f, v1, v128.load(x1));
        value += 2 * valueStep;
        col += 2 * step;
      }
      if (width & 1) {
        const v0 = splatValue<V, X>(value, table);
        const x0 = rowOfX<I>(first, col, stride);
        if (sizeof<X>() === 4) a = term<V, X>(a, v0, v128.load(x0));
        else {
          c = term<V, X>(c, v0, v128.load(x0));
          if (sizeof<W>() > 1) c1 = term<V, X>(c1, v0, v128.load(x0, 16));
        }
      }
    } else {
      for (let rest = width - body; rest > 0; rest--) {
        const v0 = splatValue<V, X>(value, table);
        const x0 = rowOfX<I>(first, col, stride);
        a = term<V, X>(a, v0, v128.load(x0));
        if (sizeof<W>() > 1) a1 = term<V, X>(a1, v0, v128.load(x0, 16));
        value += valueStep;
        col += step;
      }
    }
  }
  putVector<X>(at, total<X>(tree, branches, a, b, c, d, e, f, g, h), alpha, beta);
  if (sizeof<W>() > 1) putVector<X>(at + 16, total<X>(tree, branches, a1, b1, c1, d1, e, f, g, h), alpha, beta);
}

/** The sum of all branches, in the order of `rowSum`, or of `putPanel`. */
@inline
function total<X>(tree: u32, branches: u32, a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128): v128 {
  if (tree === ROW_SUM) {
    if (sizeof<X>() === 8) return v128.add<X>(v128.add<X>(a, c), v128.add<X>(b, d));
    const low = v128.add<X>(v128.add<X>(a, e), v128.add<X>(b, f));
    return v128.add<X>(low, v128.add<X>(v128.add<X>(c, g), v128.add<X>(d, h)));
  }
  const sum = v128.add<X>(a, b);
  return branches > 2 ? v128.add<X>(sum, v128.add<X>(c, d)) : sum;
}

/** The row of X of an entry. */
@inline
function rowOfX<I>(first: usize, col: usize, stride: usize): usize {
  return isBoolean<I>() ? col : first + <usize>load<I>(col) * stride;
}
