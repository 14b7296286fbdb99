/**
 * Sparse LU factors of the diagonal blocks of a block triangular matrix, column by column, with partial pivoting. Layout and cost:
 * `src/direct/lu/layout.ts`.
 *
 * Source: Gilbert & Peierls, "Sparse partial pivoting in time proportional to arithmetic operations", SIAM J. Sci. Stat. Comput. 9, 1988;
 *   Eisenstat & Liu, "Exploiting structural symmetry in a sparse partial pivoting code", 1993 (pruning); Davis & Palamadai Natarajan,
 *   "Algorithm 907: KLU", ACM TOMS 37, 2010 (blocks, preference of the diagonal).
 *
 * Column k of L and U is the solution of L x = aₖ with the columns before k. Its pattern is what a depth-first search reaches from the
 * entries of aₖ in the columns of L; in the sequence of the search each entry of x is final when its column of L is subtracted.
 * A row is named by its place in the arranged matrix until all columns are done; then `lu_settle` names it by its pivot.
 */
import { LU_DONE, LU_OPEN, LU_ROOM, LuHeader } from '../../build/headers';
import { Operands } from '../operands';
import { wide, word } from '../word';
import { columnAt, subtractColumns, valuesOf } from './lu-chain';
import { choose, continues, NO_PIVOT, prune } from './lu-pivots';

/** Work of a column beside its entries. */
const COLUMN_WORK: u32 = 16;

/** Bytes of a list. */
@inline
function bytesOf(count: u32): usize {
  return ((((<usize>count) << 2) + 7) & ~7) + ((<usize>count) << 3);
}

/** Factors columns from `begin` on, up to `end`, until the budget is spent or something is in the way. */
export function lu_columns(header: LuHeader, operands: Operands, begin: u32, end: u32): void {
  const x = header.x;
  const place = header.place;
  let work: u32 = 0;
  let flops: f64 = 0;
  let entries: f64 = 0;
  let growth = load<f64>(header.totals, 16);
  let k = begin;
  header.status = LU_DONE;
  for (; k < end && work < header.budget; k++) {
    const first = load<u32>(word(header.firstOf, k));
    const from = load<u32>(word(header.columnPtr, k));
    const to = load<u32>(word(header.columnPtr, k), 4);
    // The patterns of U, in the stack from `top` on, and of L.
    let top = header.size;
    let lowerCount: u32 = 0;
    let above: u32 = 0;
    for (let p = from; p < to; p++) {
      const row = load<u32>(word(header.rowIdx, p));
      if (row < first) above++;
      else if (load<u32>(word(header.mark, row)) !== k + 1) {
        if (load<u32>(word(place, row)) < LU_OPEN) {
          const found = search(header, row, k + 1, top, lowerCount);
          top = <u32>found;
          lowerCount = <u32>(found >> 32);
        } else {
          store<u32>(word(header.mark, row), k + 1);
          store<u32>(word(header.pattern, lowerCount++), row);
        }
      }
    }
    if (lowerCount === 0) {
      header.status = NO_PIVOT;
      break;
    }
    const upperCount = header.size - top;
    const need = bytesOf(upperCount + above) + bytesOf(lowerCount - 1);
    if (header.end - header.at < need) {
      for (let s = top; s < header.size; s++) store<u32>(word(header.mark, load<u32>(word(header.stack, s))), 0);
      for (let s: u32 = 0; s < lowerCount; s++) store<u32>(word(header.mark, load<u32>(word(header.pattern, s))), 0);
      header.status = LU_ROOM;
      header.need = <u32>need;
      break;
    }
    const column = columnAt(header.columns, k);
    const upper = header.at;
    const lower = upper + bytesOf(upperCount + above);
    column.upper = upper;
    column.upperCount = upperCount;
    column.aboveCount = upperCount + above;
    column.lower = lower;
    column.lowerCount = lowerCount - 1;
    column.prunedCount = lowerCount - 1;
    column.isPruned = 0;
    // x ← aₖ
    let values = valuesOf(upper, upperCount + above);
    let next = upperCount;
    let ofA: f64 = 0;
    for (let p = from; p < to; p++) {
      const row = load<u32>(word(header.rowIdx, p));
      const value = load<f64>(wide(header.values, load<u32>(word(header.source, p)))) * load<f64>(wide(header.scale, row));
      ofA = max<f64>(ofA, abs<f64>(value));
      if (row < first) {
        store<u32>(word(upper, next), load<u32>(word(place, row)));
        store<f64>(wide(values, next++), value);
      } else store<f64>(wide(x, row), value);
    }
    // x ← L⁻¹ x
    let products: u32 = 0;
    let ofU: f64 = 0;
    for (let s: u32 = 0; s < upperCount; ) {
      const pivot = load<u32>(word(place, load<u32>(word(header.stack, top + s))));
      const start = columnAt(header.columns, pivot).start;
      let count: u32 = 1;
      for (; s + count < upperCount; count++) {
        const next = load<u32>(word(place, load<u32>(word(header.stack, top + s + count))));
        if (next !== pivot + count || columnAt(header.columns, next).start !== start) break;
      }
      subtractColumns(header.columns, x, load<u32>(word(header.stack, top + s)), pivot, count);
      for (let c: u32 = 0; c < count; c++, s++) {
        const at = wide(x, load<u32>(word(header.stack, top + s)));
        const value = load<f64>(at);
        store<f64>(at, 0);
        store<u32>(word(upper, s), pivot + c);
        store<f64>(wide(values, s), value);
        ofU = max<f64>(ofU, abs<f64>(value));
        products += columnAt(header.columns, pivot + c).lowerCount;
      }
    }
    const pivotRow = choose(header, k, lowerCount);
    growth = max<f64>(growth, max<f64>(ofU, load<f64>(header.totals, 32)) / ofA);
    if (pivotRow === LU_OPEN) {
      header.status = NO_PIVOT;
      break;
    }
    const pivot = load<f64>(wide(x, pivotRow));
    store<f64>(wide(header.pivots, k), pivot);
    prune(header, upper, upperCount, pivotRow);
    // The column of L, in the sequence of the column before where it continues a chain.
    let sequence = header.pattern;
    column.start = k;
    if (k > first && continues(header, k, pivotRow, lowerCount)) {
      const before = columnAt(header.columns, k - 1);
      sequence = before.lower;
      column.start = before.start;
    }
    values = valuesOf(lower, lowerCount - 1);
    next = 0;
    for (let s: u32 = 0; s < lowerCount; s++) {
      const row = load<u32>(word(sequence, s));
      const value = load<f64>(wide(x, row));
      store<f64>(wide(x, row), 0);
      if (row === pivotRow) continue;
      store<u32>(word(lower, next), row);
      store<f64>(wide(values, next++), value / pivot);
    }
    header.at = upper + need;
    work += products + upperCount + lowerCount + (to - from) + COLUMN_WORK;
    flops += 2 * <f64>products + <f64>(lowerCount - 1);
    entries += <f64>(upperCount + above + lowerCount);
  }
  header.next = k;
  store<f64>(header.totals, load<f64>(header.totals) + flops);
  store<f64>(header.totals, load<f64>(header.totals, 8) + entries, 8);
  store<f64>(header.totals, growth, 16);
}

/**
 * Puts the pivots that are reached from `start` on the stack, below `top`, and other rows into the pattern of L.
 *
 * @returns the new top, and shifted by 32 bits the new length of the pattern
 */
function search(header: LuHeader, start: u32, stamp: u32, top: u32, count: u32): u64 {
  const place = header.place;
  const mark = header.mark;
  const path = header.path;
  const position = header.position;
  const pattern = header.pattern;
  let depth: i32 = 0;
  store<u32>(path, start);
  store<u32>(word(mark, start), stamp);
  store<u32>(position, columnAt(header.columns, load<u32>(word(place, start))).prunedCount);
  while (depth >= 0) {
    const row = load<u32>(word(path, depth));
    const list = columnAt(header.columns, load<u32>(word(place, row))).lower;
    let p = load<u32>(word(position, depth));
    let deeper = false;
    while (p > 0) {
      const other = load<u32>(word(list, --p));
      if (load<u32>(word(mark, other)) === stamp) continue;
      store<u32>(word(mark, other), stamp);
      const pivot = load<u32>(word(place, other));
      if (pivot < LU_OPEN) {
        store<u32>(word(position, depth), p);
        store<u32>(word(path, ++depth), other);
        store<u32>(word(position, depth), columnAt(header.columns, pivot).prunedCount);
        deeper = true;
        break;
      }
      store<u32>(word(pattern, count++), other);
    }
    if (deeper) continue;
    store<u32>(word(header.stack, --top), row);
    depth--;
  }
  return ((<u64>count) << 32) | <u64>top;
}

/** Names the rows of L by their pivots. */
export function lu_settle(header: LuHeader, operands: Operands, begin: u32, end: u32): void {
  for (let k = begin; k < end; k++) {
    const column = columnAt(header.columns, k);
    const last = word(column.lower, column.lowerCount);
    for (let at = column.lower; at < last; at += 4) store<u32>(at, load<u32>(word(header.place, load<u32>(at))));
  }
}
