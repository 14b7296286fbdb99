/**
 * COO: y ← α A x + β y over the cache lines [begin, end) of entries, sorted by row. Layout: `src/formats/coo.ts`.
 *
 * The run of entries with the same row is found four rows at a time, and summed by CSR's own loop while its cache lines are
 * at hand: a row costs what it costs in CSR, and a comparison per four entries. The row that the range breaks off in goes
 * to the carry slot, so no sum is ever shared and nothing is added atomically.
 */
import { leaveCarry, NO_ROW } from './carry';
import { BranchFree, Branching, Coded, Ones, put, rowSum, valueShift } from './lanes';

@unmanaged
export class CooHeader {
  rows!: u32;
  cols!: u32;
  nnz!: u32;
  /** 1 where most rows are as long as the row before. */
  steady!: u32;
  /** Readable for 4 entries past the last, where it holds `rows`: no row. */
  rowIdx!: usize;
  /** Readable, and valid columns, for 4 entries past the last. */
  colIdx!: usize;
  /** Readable for 4 entries past the last. 0 where all are 1 and none is stored. */
  values!: usize;
  /** Where values are codes: what they mean, in the type of the sums; else 0. */
  table!: usize;
  /** 1 where the entries are added to a product: rows without entries are then left alone. */
  adds!: u32;
}

/** Entries in a unit: one cache line of rows, one of columns, two of f64 values. */
export const LINE_SHIFT: u32 = 4;

export function coo_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  lines<f64, f64>(changetype<CooHeader>(header), x, y, begin, end, carry, alpha, beta);
}

export function coo_spmv_mixed(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  lines<f32, f64>(changetype<CooHeader>(header), x, y, begin, end, carry, alpha, beta);
}

export function coo_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  lines<f32, f32>(changetype<CooHeader>(header), x, y, begin, end, carry, <f32>alpha, <f32>beta);
}

export function coo_table_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  lines<Coded, f64>(changetype<CooHeader>(header), x, y, begin, end, carry, alpha, beta);
}

export function coo_table_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  lines<Coded, f32>(changetype<CooHeader>(header), x, y, begin, end, carry, <f32>alpha, <f32>beta);
}

export function coo_pattern_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  lines<Ones, f64>(changetype<CooHeader>(header), x, y, begin, end, carry, alpha, beta);
}

export function coo_pattern_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  lines<Ones, f32>(changetype<CooHeader>(header), x, y, begin, end, carry, <f32>alpha, <f32>beta);
}

function lines<V, X>(header: CooHeader, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: X, beta: X): void {
  leaveCarry(carry, NO_ROW, 0);
  if (begin == end) return;
  const first = begin << LINE_SHIFT;
  const last = min(end << LINE_SHIFT, header.nnz);
  if (header.steady) runs<V, X, Branching>(header, x, y, first, last, carry, alpha, beta);
  else runs<V, X, BranchFree>(header, x, y, first, last, carry, alpha, beta);
}

/** The entries [k, end). Owns the rows from the first one's up to, but not with, that of the entry behind the last. */
function runs<V, X, Tail>(header: CooHeader, x: usize, y: usize, k: u32, end: u32, carry: usize, alpha: X, beta: X): void {
  const rowIdx = header.rowIdx;
  const colIdx = header.colIdx;
  const values = header.values;
  const table = header.table;
  const openRow = load<u32>(rowIdx + (<usize>end << 2));
  let row: u32 = k == 0 ? 0 : load<u32>(rowIdx + (<usize>k << 2));
  while (k < end) {
    const at = load<u32>(rowIdx + (<usize>k << 2));
    if (row < at) withoutEntries<X>(header, y, row, at, beta);
    row = at;
    const next = min(endOfRun(rowIdx, k, row), end);
    const sum = rowSum<V, u32, X, Tail>(x, colIdx + (<usize>k << 2), values + (<usize>k << valueShift<V>()), table, next - k);
    if (row == openRow) {
      leaveCarry(carry, row, <f64>(alpha * sum));
      return;
    }
    put<X>(y + (<usize>row << alignof<X>()), sum, alpha, beta);
    row++;
    k = next;
  }
  withoutEntries<X>(header, y, row, openRow, beta);
}

/** The first entry behind k whose index is another; `indices` are readable to 4 behind the last, which are no such index. */
export function endOfRun(indices: usize, k: u32, index: u32): u32 {
  const same = i32x4.splat(index);
  let mask = i32x4.bitmask(i32x4.eq(v128.load(indices + (<usize>k << 2)), same));
  while (mask == 15) {
    k += 4;
    mask = i32x4.bitmask(i32x4.eq(v128.load(indices + (<usize>k << 2)), same));
  }
  return k + ctz(~mask);
}

/** y ← β y for the rows [begin, end). */
function withoutEntries<X>(header: CooHeader, y: usize, begin: u32, end: u32, beta: X): void {
  if (header.adds) return;
  for (let row = begin; row < end; row++) put<X>(y + (<usize>row << alignof<X>()), <X>0, <X>1, beta);
}
