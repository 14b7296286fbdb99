/**
 * The factors of another matrix of the same pattern, with the pivots and patterns of `lu-columns.ts`: no search. It ends at a column whose
 * pivot has become too small.
 */
import { LU_DONE, LuHeader } from '../../build/headers';
import { Operands } from '../operands';
import { wide, word } from '../word';
import { columnAt, subtractColumns, valuesOf } from './lu-chain';
import { NO_PIVOT } from './lu-pivots';

/** Work of a column beside its entries. */
const COLUMN_WORK: u32 = 16;

/** Columns from `begin` on, up to `end`, until the budget is spent or a pivot is refused. The rows of L are named by pivots. */
export function lu_again(header: LuHeader, operands: Operands, begin: u32, end: u32): void {
  const x = header.x;
  const place = header.place;
  let work: u32 = 0;
  let flops: f64 = 0;
  let growth = load<f64>(header.totals, 16);
  const tolerance = load<f64>(header.totals, 24);
  let k = begin;
  header.status = LU_DONE;
  for (; k < end && work < header.budget; k++) {
    const column = columnAt(header.columns, k);
    const first = load<u32>(word(header.firstOf, k));
    const to = load<u32>(word(header.columnPtr, k), 4);
    const upper = column.upper;
    const upperCount = column.upperCount;
    const values = valuesOf(upper, column.aboveCount);
    let next = upperCount;
    let ofA: f64 = 0;
    for (let p = load<u32>(word(header.columnPtr, k)); p < to; p++) {
      const row = load<u32>(word(header.rowIdx, p));
      const value = load<f64>(wide(header.values, load<u32>(word(header.source, p)))) * load<f64>(wide(header.scale, row));
      ofA = max<f64>(ofA, abs<f64>(value));
      if (row < first) store<f64>(wide(values, next++), value);
      else store<f64>(wide(x, load<u32>(word(place, row))), value);
    }
    let products: u32 = 0;
    let ofU: f64 = 0;
    for (let s: u32 = 0; s < upperCount; ) {
      const pivot = load<u32>(word(upper, s));
      const start = columnAt(header.columns, pivot).start;
      let count: u32 = 1;
      while (
        s + count < upperCount &&
        load<u32>(word(upper, s + count)) === pivot + count &&
        columnAt(header.columns, pivot + count).start === start
      )
        count++;
      subtractColumns(header.columns, x, pivot, pivot, count);
      for (let c: u32 = 0; c < count; c++, s++) {
        const at = wide(x, pivot + c);
        const value = load<f64>(at);
        store<f64>(at, 0);
        store<f64>(wide(values, s), value);
        ofU = max<f64>(ofU, abs<f64>(value));
        products += columnAt(header.columns, pivot + c).lowerCount;
      }
    }
    const pivot = load<f64>(wide(x, k));
    store<f64>(wide(x, k), 0);
    store<f64>(wide(header.pivots, k), pivot);
    const lower = column.lower;
    const lowerCount = column.lowerCount;
    const lowerValues = valuesOf(lower, lowerCount);
    let largest: f64 = 0;
    for (let s: u32 = 0; s < lowerCount; s++) {
      const from = wide(x, load<u32>(word(lower, s)));
      const value = load<f64>(from);
      store<f64>(from, 0);
      largest = max<f64>(largest, abs<f64>(value));
      store<f64>(wide(lowerValues, s), value / pivot);
    }
    const size = abs<f64>(pivot);
    // Also if one of them is NaN.
    if (!(size >= tolerance * largest && size > 0 && size < Infinity)) {
      header.status = NO_PIVOT;
      break;
    }
    growth = max<f64>(growth, max<f64>(ofU, max<f64>(size, largest)) / ofA);
    work += products + column.aboveCount + lowerCount + COLUMN_WORK;
    flops += 2 * <f64>products + <f64>lowerCount;
  }
  header.next = k;
  store<f64>(header.totals, load<f64>(header.totals) + flops);
  store<f64>(header.totals, growth, 16);
}
