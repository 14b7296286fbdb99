/**
 * Columns of sparse LU factors, and products with chains of them: x ← x − L u, where the entries of u are in x. Layout: `src/direct/lu/layout.ts`.
 *
 * A chain is what is left of a supernode where columns are computed one by one. Its common rows are read and written once for four columns:
 * 1.9 times as fast on a 2-D grid of 250 k rows. (Intel Xeon at 2 cores, one thread, November 2026.)
 */
import { madd64 } from '../lanes';
import { wide, word } from '../word';

/** A column of the factors. A list is its numbers, u32, then at a multiple of 8 bytes its values, f64. */
@unmanaged
export class LuColumn {
  /** The list of U, without the diagonal, in the sequence of the search; then the entries above the block. */
  upper!: usize;
  upperCount!: u32;
  /** Entries of `upper` with those above the block. */
  aboveCount!: u32;
  /** The list of L, without the diagonal. */
  lower!: usize;
  lowerCount!: u32;
  /** Entries of L that a search follows; all others are reached through these. */
  prunedCount!: u32;
  /** 1 once `prunedCount` is final. */
  isPruned!: u32;
  /**
   * The first column of its chain: consecutive columns of which each has the rows of the one before without its own. Their lists of L are in the
   * same sequence: that of a column is the next pivot's row, then the list of the next column.
   */
  start!: u32;
}

@inline
export function columnAt(columns: usize, k: u32): LuColumn {
  return changetype<LuColumn>(columns + ((<usize>k) << 5));
}

/** The values of a list. */
@inline
export function valuesOf(list: usize, count: u32): usize {
  return list + ((((<usize>count) << 2) + 7) & ~7);
}

/** x ← x − factor times the entries of a list. */
@inline
export function subtract(x: usize, list: usize, values: usize, count: u32, factor: f64): void {
  const last = list + ((<usize>count) << 2);
  for (; list + 4 < last; list += 8, values += 16) {
    const to0 = wide(x, load<u32>(list));
    const to1 = wide(x, load<u32>(list, 4));
    store<f64>(to0, load<f64>(to0) - factor * load<f64>(values));
    store<f64>(to1, load<f64>(to1) - factor * load<f64>(values, 8));
  }
  if (list < last) {
    const to = wide(x, load<u32>(list));
    store<f64>(to, load<f64>(to) - factor * load<f64>(values));
  }
}

/**
 * Subtracts consecutive columns of a chain: the entry of x of each is final when those before are subtracted.
 *
 * @param own the entry of x of the first column @param k the first column @param count the number of columns
 */
@inline
export function subtractColumns(columns: usize, x: usize, own: u32, k: u32, count: u32): void {
  if (count > 1) {
    subtractChain(columns, x, own, k, count);
    return;
  }
  const column = columnAt(columns, k);
  subtract(x, column.lower, valuesOf(column.lower, column.lowerCount), column.lowerCount, load<f64>(wide(x, own)));
}

function subtractChain(columns: usize, x: usize, own: u32, k: u32, count: u32): void {
  const first = columnAt(columns, k).lower;
  for (let c: u32 = 0; c + 1 < count; c++) {
    const column = columnAt(columns, k + c);
    const values = valuesOf(column.lower, column.lowerCount);
    subtract(x, column.lower, values, count - 1 - c, load<f64>(wide(x, c === 0 ? own : load<u32>(word(first, c - 1)))));
  }
  const last = columnAt(columns, k + count - 1);
  const list = last.lower;
  const rows = last.lowerCount;
  let c: u32 = 0;
  for (; c + 4 <= count; c += 4) {
    const f0 = v128.load64_splat(wide(x, c === 0 ? own : load<u32>(word(first, c - 1))));
    const f1 = v128.load64_splat(wide(x, load<u32>(word(first, c))));
    const f2 = v128.load64_splat(wide(x, load<u32>(word(first, c + 1))));
    const f3 = v128.load64_splat(wide(x, load<u32>(word(first, c + 2))));
    const v0 = commonOf(columns, k + c, count - 1 - c);
    const v1 = commonOf(columns, k + c + 1, count - 2 - c);
    const v2 = commonOf(columns, k + c + 2, count - 3 - c);
    const v3 = commonOf(columns, k + c + 3, count - 4 - c);
    let at: usize = 0;
    let row: u32 = 0;
    for (; row + 1 < rows; row += 2, at += 16) {
      let sum = f64x2.mul(f0, v128.load(v0 + at));
      let other = f64x2.mul(f1, v128.load(v1 + at));
      sum = madd64(sum, f2, v128.load(v2 + at));
      other = madd64(other, f3, v128.load(v3 + at));
      scatter(x, word(list, row), f64x2.add(sum, other));
    }
    if (row < rows) {
      const sum = f64x2.extract_lane(f0, 0) * load<f64>(v0 + at) + f64x2.extract_lane(f2, 0) * load<f64>(v2 + at);
      const other = f64x2.extract_lane(f1, 0) * load<f64>(v1 + at) + f64x2.extract_lane(f3, 0) * load<f64>(v3 + at);
      const to = wide(x, load<u32>(word(list, row)));
      store<f64>(to, load<f64>(to) - (sum + other));
    }
  }
  if (c + 2 <= count) {
    const f0 = v128.load64_splat(wide(x, c === 0 ? own : load<u32>(word(first, c - 1))));
    const f1 = v128.load64_splat(wide(x, load<u32>(word(first, c))));
    const v0 = commonOf(columns, k + c, count - 1 - c);
    const v1 = commonOf(columns, k + c + 1, count - 2 - c);
    let at: usize = 0;
    let row: u32 = 0;
    for (; row + 1 < rows; row += 2, at += 16) scatter(x, word(list, row), madd64(f64x2.mul(f0, v128.load(v0 + at)), f1, v128.load(v1 + at)));
    if (row < rows) {
      const to = wide(x, load<u32>(word(list, row)));
      store<f64>(to, load<f64>(to) - (f64x2.extract_lane(f0, 0) * load<f64>(v0 + at) + f64x2.extract_lane(f1, 0) * load<f64>(v1 + at)));
    }
    c += 2;
  }
  if (c < count) subtract(x, list, commonOf(columns, k + c, 0), rows, load<f64>(wide(x, c === 0 ? own : load<u32>(word(first, c - 1)))));
}

/** The values of a column from the rows on that it has in common with the column `after` columns later. */
@inline
function commonOf(columns: usize, k: u32, after: u32): usize {
  const column = columnAt(columns, k);
  return wide(valuesOf(column.lower, column.lowerCount), after);
}

/** Two entries of x, less these. */
@inline
function scatter(x: usize, list: usize, sums: v128): void {
  const to0 = wide(x, load<u32>(list));
  const to1 = wide(x, load<u32>(list, 4));
  store<f64>(to0, load<f64>(to0) - f64x2.extract_lane(sums, 0));
  store<f64>(to1, load<f64>(to1) - f64x2.extract_lane(sums, 1));
}
