/** The pivot of a column of sparse LU factors, and what it means for the columns before: pruning and chains (`lu-columns.ts`, `lu-chain.ts`). */
import { LU_OPEN, LuHeader } from '../../build/headers';
import { wide, word } from '../word';
import { columnAt, valuesOf } from './lu-chain';

/** A factorization has this status if no row is a pivot of the next column. */
export const NO_PIVOT: u32 = 2;

/** Makes a row of the pattern the pivot of column k. Returns it, or `LU_OPEN` if all entries are zero or one is not finite. */
export function choose(header: LuHeader, k: u32, lowerCount: u32): u32 {
  const x = header.x;
  const place = header.place;
  const diagonal = header.diagonal;
  const pattern = header.pattern;
  const own = load<u32>(word(diagonal, k));
  let ofOwn: f64 = -1;
  let largest: f64 = 0;
  let pivotRow = LU_OPEN;
  for (let s: u32 = 0; s < lowerCount; s++) {
    const row = load<u32>(word(pattern, s));
    const size = abs<f64>(load<f64>(wide(x, row)));
    if (!(size < Infinity)) {
      store<f64>(header.totals, Infinity, 32);
      return LU_OPEN;
    }
    if (row === own) ofOwn = size;
    if (size > largest) {
      largest = size;
      pivotRow = row;
    }
  }
  store<f64>(header.totals, largest, 32);
  if (pivotRow === LU_OPEN) return LU_OPEN;
  if (ofOwn >= load<f64>(header.totals, 24) * largest) pivotRow = own;
  if (pivotRow !== own) {
    header.offDiagonal++;
    // The diagonal that this column does not use is that of the column whose diagonal it takes.
    if (load<u32>(word(place, own)) >= LU_OPEN) {
      const open = load<u32>(word(place, pivotRow));
      store<u32>(word(diagonal, open - LU_OPEN), own);
      store<u32>(word(place, own), open);
    }
  }
  store<u32>(word(diagonal, k), pivotRow);
  store<u32>(word(place, pivotRow), k);
  return pivotRow;
}

/**
 * Where both U and L have an entry that joins column j and the new pivot, rows of column j that are no pivots yet are in the new column of L,
 * too: a search need not follow them from j. They move behind the others.
 */
export function prune(header: LuHeader, upper: usize, upperCount: u32, pivotRow: u32): void {
  const place = header.place;
  for (let s: u32 = 0; s < upperCount; s++) {
    const pivot = load<u32>(word(upper, s));
    const column = columnAt(header.columns, pivot);
    if (column.isPruned !== 0) continue;
    const list = column.lower;
    const count = column.lowerCount;
    let p: u32 = 0;
    while (p < count && load<u32>(word(list, p)) !== pivotRow) p++;
    if (p === count) continue;
    let head: u32 = 0;
    let tail = count;
    for (;;) {
      while (head < tail && load<u32>(word(place, load<u32>(word(list, head)))) < LU_OPEN) head++;
      while (head < tail && load<u32>(word(place, load<u32>(word(list, tail - 1)))) >= LU_OPEN) tail--;
      if (head === tail) break;
      exchange(header, pivot, head, tail - 1);
    }
    column.prunedCount = tail;
    column.isPruned = 1;
  }
}

/** Exchanges two entries of the last column of a chain, and the same rows in the columns before. */
function exchange(header: LuHeader, last: u32, a: u32, b: u32): void {
  for (let k = columnAt(header.columns, last).start; k <= last; k++) {
    const column = columnAt(header.columns, k);
    const from = word(column.lower, a + (last - k));
    const to = word(column.lower, b + (last - k));
    const row = load<u32>(from);
    store<u32>(from, load<u32>(to));
    store<u32>(to, row);
    const values = valuesOf(column.lower, column.lowerCount);
    const source = wide(values, a + (last - k));
    const target = wide(values, b + (last - k));
    const value = load<f64>(source);
    store<f64>(source, load<f64>(target));
    store<f64>(target, value);
  }
}

/** Whether column k has the rows of the column before, which was pruned by its pivot. `lowerCount` counts the pivot. */
export function continues(header: LuHeader, k: u32, pivotRow: u32, lowerCount: u32): bool {
  const before = columnAt(header.columns, k - 1);
  if (before.isPruned === 0 || before.lowerCount !== lowerCount || load<u32>(before.lower) !== pivotRow) return false;
  for (let s: u32 = 1; s < lowerCount; s++) if (load<u32>(word(header.mark, load<u32>(word(before.lower, s)))) !== k + 1) return false;
  return true;
}
