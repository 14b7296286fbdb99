/**
 * Block products, Y ← α A X + β Y: one row of Y, some vectors of columns at a time. X and Y are row-major, and their rows are
 * padded to whole vectors, so there is no remainder of columns: padding is computed like a column.
 *
 * A pass computes 8, 4, 2 or 1 vectors of columns. An entry is one value in all lanes, times as many vectors of the entry's row of
 * X. Some rows go through all passes before the next ones, so the later passes find the entries in L1.
 *
 * Column j has the bits of the single product. Kernels of single products sum a row in several branches, each of which adds
 * every T-th entry (`assembly/lanes.ts`, `assembly/panel.ts`), and so must the sum of every column: `branches.ts`. All branches of one or two vectors
 * are in registers at once (`branches-at-once.ts`); of long rows, all vectors of one branch after the other, which reads each row of
 * X once (`branch-by-branch.ts`). Rows that are added in order, those of `sell` and `dia`, are in `lane-tile.ts`.
 */

import { MANY_VECTORS } from '../../build/headers';
import { Eight, Four, One, Two } from '../counts';
import { Operands } from '../operands';
import { branchByBranch } from './branch-by-branch';
import { branchesAtOnce } from './branches-at-once';

/** So many units go through all passes before the next ones; with `MANY_VECTORS` vectors of columns or more, each unit goes alone. */
const UNITS_AT_ONCE: u32 = 16;

/** The units [begin, end) of a header H, which computes some of them with `pass`, `W` vectors of columns at a time. */
@inline
export function allPasses<H, V, I, X>(header: H, operands: Operands, begin: u32, end: u32): void {
  const vectors = (operands.columns * <u32>sizeof<X>() + 15) >> 4;
  const atOnce = vectors < MANY_VECTORS ? UNITS_AT_ONCE : 1;
  for (let unit = begin; unit < end; unit += atOnce) {
    const last = min(unit + atOnce, end);
    let offset: usize = 0;
    for (let left = vectors; left >= 8; left -= 8) {
      header.pass<V, I, X, Eight>(operands, offset, unit, last);
      offset += 128;
    }
    if (vectors & 4) {
      header.pass<V, I, X, Four>(operands, offset, unit, last);
      offset += 64;
    }
    if (vectors & 2) {
      header.pass<V, I, X, Two>(operands, offset, unit, last);
      offset += 32;
    }
    if (vectors & 1) header.pass<V, I, X, One>(operands, offset, unit, last);
  }
}

/** Bytes between two rows of X, and of Y. */
@inline
export function xStride<X>(operands: Operands): usize {
  return (<usize>operands.xStride) << alignof<X>();
}

@inline
export function yStride<X>(operands: Operands): usize {
  return (<usize>operands.yStride) << alignof<X>();
}

/**
 * Returns the number of entries from which a row is computed branch by branch. Each row of X is then read once, but only as many sums as the pass has vectors are
 * independent of each other. Two vectors of f64 are read once anyway. Rows of 64, 200, 1,000 and 20,000 entries take 0.89, 0.87, 0.73 and 0.52 of the time of passes of
 * one or two vectors (8 columns, and 16 of f32; Intel Xeon, the mean of Node 20 and 24, November 2026).
 */
@inline
function longRow(vectors: u32): u32 {
  return vectors === 8 ? 24 : vectors === 4 ? 64 : 256;
}

/**
 * One row of Y, at `at`, in `vectors` vectors of columns: `width` entries of a row, whose columns and values follow each other. If the number of vectors is a constant,
 * the code for other ones is removed.
 */
@inline
export function blockRow<V, I, X>(
  vectors: u32,
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
  if (vectors > (sizeof<X>() === 8 ? 2 : 1) && width >= longRow(vectors)) {
    if (vectors === 8) branchByBranch<V, I, X, Eight>(x, stride, at, cols, width, values, table, alpha, beta);
    else if (vectors === 4) branchByBranch<V, I, X, Four>(x, stride, at, cols, width, values, table, alpha, beta);
    else if (sizeof<X>() === 4) branchByBranch<V, I, X, Two>(x, stride, at, cols, width, values, table, alpha, beta);
    return;
  }
  if (vectors === 1) {
    branchesAtOnce<V, I, X, One>(x, stride, at, cols, width, values, table, alpha, beta);
    return;
  }
  const bytes = sizeof<X>() === 8 ? 32 : 16;
  for (const last = at + ((<usize>vectors) << 4); at < last; at += bytes, x += bytes) {
    if (sizeof<X>() === 8) {
      branchesAtOnce<V, I, X, Two>(x, stride, at, cols, width, values, table, alpha, beta);
    } else {
      branchesAtOnce<V, I, X, One>(x, stride, at, cols, width, values, table, alpha, beta);
    }
  }
}
