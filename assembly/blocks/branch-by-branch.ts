/**
 * One row of a block product, for long rows and two, four or eight vectors of columns. All branches at once would need T registers for each
 * vector: the branches are computed one after the other, over the whole row, in such an order that their sums form a tree.
 */

import { putVector, valueShift } from '../lanes';
import { bodyOf, branchOf, branchShift, restBegin, restOf } from './branches';
import { splatValue, term } from './terms';

/**
 * The row of `blockRow`: W vectors, of which only the sums of one branch are in registers; the sums of vectors that are not there stay 0. It is not inlined, so that
 * kernels share its code.
 */
export function branchByBranch<V, I, X, W>(
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
  let s0 = zero;
  let s1 = zero;
  let s2 = zero;
  let s3 = zero;
  let s4 = zero;
  let s5 = zero;
  let s6 = zero;
  let s7 = zero;
  // The sums of one branch, of two and of four, that wait for as many others.
  let u0 = zero;
  let u1 = zero;
  let u2 = zero;
  let u3 = zero;
  let u4 = zero;
  let u5 = zero;
  let u6 = zero;
  let u7 = zero;
  let v0 = zero;
  let v1 = zero;
  let v2 = zero;
  let v3 = zero;
  let v4 = zero;
  let v5 = zero;
  let v6 = zero;
  let v7 = zero;
  let w0 = zero;
  let w1 = zero;
  let w2 = zero;
  let w3 = zero;
  let w4 = zero;
  let w5 = zero;
  let w6 = zero;
  let w7 = zero;
  const shift = branchShift<X>();
  const branches: u32 = 1 << shift;
  const body = bodyOf<X>(width);
  for (let step: u32 = 0; step < branches; step++) {
    const branch = branchOf<X>(step);
    if (step > 0) {
      s0 = zero;
      s1 = zero;
      s2 = zero;
      s3 = zero;
      s4 = zero;
      s5 = zero;
      s6 = zero;
      s7 = zero;
    }
    let entry = branch;
    let count = (body + branches - 1 - branch) >> shift;
    let distance = branches;
    let rest = restOf<X>(branch, width);
    for (;;) {
      let value = values + ((<usize>entry) << valueShift<V>());
      let col = cols + <usize>entry * sizeof<I>();
      for (; count > 0; count--) {
        const a = splatValue<V, X>(value, table);
        const xs = x + <usize>load<I>(col) * stride;
        s0 = term<V, X>(s0, a, v128.load(xs));
        s1 = term<V, X>(s1, a, v128.load(xs, 16));
        if (sizeof<W>() > 2) {
          s2 = term<V, X>(s2, a, v128.load(xs, 32));
          s3 = term<V, X>(s3, a, v128.load(xs, 48));
        }
        if (sizeof<W>() > 4) {
          s4 = term<V, X>(s4, a, v128.load(xs, 64));
          s5 = term<V, X>(s5, a, v128.load(xs, 80));
          s6 = term<V, X>(s6, a, v128.load(xs, 96));
          s7 = term<V, X>(s7, a, v128.load(xs, 112));
        }
        value += (<usize>distance) << valueShift<V>();
        col += <usize>distance * sizeof<I>();
      }
      if (rest === 0) break;
      entry = restBegin<X>(branch, width);
      distance = 1;
      count = rest;
      rest = 0;
    }
    if (!(step & 1)) {
      u0 = s0;
      u1 = s1;
      u2 = s2;
      u3 = s3;
      u4 = s4;
      u5 = s5;
      u6 = s6;
      u7 = s7;
      continue;
    }
    s0 = v128.add<X>(u0, s0);
    s1 = v128.add<X>(u1, s1);
    s2 = v128.add<X>(u2, s2);
    s3 = v128.add<X>(u3, s3);
    s4 = v128.add<X>(u4, s4);
    s5 = v128.add<X>(u5, s5);
    s6 = v128.add<X>(u6, s6);
    s7 = v128.add<X>(u7, s7);
    if (!(step & 2)) {
      v0 = s0;
      v1 = s1;
      v2 = s2;
      v3 = s3;
      v4 = s4;
      v5 = s5;
      v6 = s6;
      v7 = s7;
      continue;
    }
    s0 = v128.add<X>(v0, s0);
    s1 = v128.add<X>(v1, s1);
    s2 = v128.add<X>(v2, s2);
    s3 = v128.add<X>(v3, s3);
    s4 = v128.add<X>(v4, s4);
    s5 = v128.add<X>(v5, s5);
    s6 = v128.add<X>(v6, s6);
    s7 = v128.add<X>(v7, s7);
    if (shift < 3) break;
    if (!(step & 4)) {
      w0 = s0;
      w1 = s1;
      w2 = s2;
      w3 = s3;
      w4 = s4;
      w5 = s5;
      w6 = s6;
      w7 = s7;
      continue;
    }
    s0 = v128.add<X>(w0, s0);
    s1 = v128.add<X>(w1, s1);
    s2 = v128.add<X>(w2, s2);
    s3 = v128.add<X>(w3, s3);
    s4 = v128.add<X>(w4, s4);
    s5 = v128.add<X>(w5, s5);
    s6 = v128.add<X>(w6, s6);
    s7 = v128.add<X>(w7, s7);
  }
  putVector<X>(at, s0, alpha, beta);
  putVector<X>(at + 16, s1, alpha, beta);
  if (sizeof<W>() > 2) {
    putVector<X>(at + 32, s2, alpha, beta);
    putVector<X>(at + 48, s3, alpha, beta);
  }
  if (sizeof<W>() > 4) {
    putVector<X>(at + 64, s4, alpha, beta);
    putVector<X>(at + 80, s5, alpha, beta);
    putVector<X>(at + 96, s6, alpha, beta);
    putVector<X>(at + 112, s7, alpha, beta);
  }
}
