/**
 * COO: y ← α A x + β y over the cache lines [begin, end) of entries, sorted by row. Layout: `src/formats/coo.ts`.
 *
 * The row ends in a line of 16 entries are found at once, and each run of entries with the same row is summed by CSR's own
 * loop: a row costs as much as in CSR, plus 4 bytes per entry. The row that continues beyond the range goes to the carry
 * slot: no sum is ever shared, and nothing is added atomically.
 */
import { leaveCarry, NO_ROW } from './carry';
import { BranchFree, Branching, Coded, Ones, put, putEmpty, rowSum, valueShift } from './lanes';
import { Operands } from './operands';

@unmanaged
export class CooHeader {
  rows!: u32;
  cols!: u32;
  nnz!: u32;
  /** 1 if most rows are as long as the row before. */
  steady!: u32;
  /** Readable to the end of the last line and for 4 more entries; past the last entry it holds `rows`, which is not a row. */
  rowIdx!: usize;
  /** Readable, and valid columns, for 4 entries past the last. */
  colIdx!: usize;
  /** Readable for 4 entries past the last. 0 if all values are 1 and none is stored. */
  values!: usize;
  /** If values are codes: the value of each code, in the type of the sums; else 0. */
  table!: usize;
  /** 1 if the entries are added to a product: rows without entries are then not written. */
  adds!: u32;
}

/** log2 of the entries in a unit: one cache line of rows, one of columns, two of f64 values. */
export const LINE_SHIFT: u32 = 4;

export function coo_spmv_f64(header: CooHeader, operands: Operands, begin: u32, end: u32): void {
  lines<f64, f64>(header, operands.x, operands.y, begin, end, operands.carry, operands.alpha, operands.beta);
}

export function coo_spmv_mixed(header: CooHeader, operands: Operands, begin: u32, end: u32): void {
  lines<f32, f64>(header, operands.x, operands.y, begin, end, operands.carry, operands.alpha, operands.beta);
}

export function coo_spmv_f32(header: CooHeader, operands: Operands, begin: u32, end: u32): void {
  lines<f32, f32>(header, operands.x, operands.y, begin, end, operands.carry, <f32>operands.alpha, <f32>operands.beta);
}

export function coo_table_spmv_f64(header: CooHeader, operands: Operands, begin: u32, end: u32): void {
  lines<Coded, f64>(header, operands.x, operands.y, begin, end, operands.carry, operands.alpha, operands.beta);
}

export function coo_table_spmv_f32(header: CooHeader, operands: Operands, begin: u32, end: u32): void {
  lines<Coded, f32>(header, operands.x, operands.y, begin, end, operands.carry, <f32>operands.alpha, <f32>operands.beta);
}

export function coo_pattern_spmv_f64(header: CooHeader, operands: Operands, begin: u32, end: u32): void {
  lines<Ones, f64>(header, operands.x, operands.y, begin, end, operands.carry, operands.alpha, operands.beta);
}

export function coo_pattern_spmv_f32(header: CooHeader, operands: Operands, begin: u32, end: u32): void {
  lines<Ones, f32>(header, operands.x, operands.y, begin, end, operands.carry, <f32>operands.alpha, <f32>operands.beta);
}

function lines<V, X>(header: CooHeader, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: X, beta: X): void {
  leaveCarry(carry, NO_ROW, 0);
  if (begin === end) return;
  const first = begin << LINE_SHIFT;
  const last = min(end << LINE_SHIFT, header.nnz);
  if (header.steady) runs<V, X, Branching>(header, x, y, first, last, carry, alpha, beta);
  else runs<V, X, BranchFree>(header, x, y, first, last, carry, alpha, beta);
}

/** Computes the entries [k, end). Writes the rows from the row of entry k up to, but excluding, the row of entry `end`. */
function runs<V, X, Tail>(header: CooHeader, x: usize, y: usize, k: u32, end: u32, carry: usize, alpha: X, beta: X): void {
  const rowIdx = header.rowIdx;
  const openRow = load<u32>(rowIdx + ((<usize>end) << 2));
  let row: u32 = k === 0 ? 0 : load<u32>(rowIdx + ((<usize>k) << 2));
  for (let line = k; line < end; line += 1 << LINE_SHIFT) {
    for (let ends = endsOfRuns(rowIdx + ((<usize>line) << 2)); ends !== 0; ends &= ends - 1) {
      const next = line + ctz(ends) + 1;
      const at = load<u32>(rowIdx + ((<usize>k) << 2));
      if (row < at) withoutEntries<X>(header, y, row, at, beta);
      put<X>(y + ((<usize>at) << alignof<X>()), run<V, X, Tail>(header, x, k, next), alpha, beta);
      row = at + 1;
      k = next;
    }
  }
  withoutEntries<X>(header, y, row, openRow, beta);
  if (k < end) leaveCarry(carry, openRow, <f64>(alpha * run<V, X, Tail>(header, x, k, end)));
}

/**
 * Bit e: entry e of a cache line of 16 is the last one of its row. All 16 are compared before the first row is summed: the
 * start of a row does not depend on the sum of the row before.
 */
@inline
function endsOfRuns(rows: usize): u32 {
  const ends0 = i32x4.ne(v128.load(rows), v128.load(rows, 4));
  const ends1 = i32x4.ne(v128.load(rows, 16), v128.load(rows, 20));
  const ends2 = i32x4.ne(v128.load(rows, 32), v128.load(rows, 36));
  const ends3 = i32x4.ne(v128.load(rows, 48), v128.load(rows, 52));
  return i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(ends0, ends1), i16x8.narrow_i32x4_s(ends2, ends3)));
}

/** The sum of the entries [k, next), which are in one row. */
@inline
function run<V, X, Tail>(header: CooHeader, x: usize, k: u32, next: u32): X {
  const values = header.values + ((<usize>k) << valueShift<V>());
  return rowSum<V, u32, X, Tail>(x, header.colIdx + ((<usize>k) << 2), values, header.table, next - k);
}

/** Writes rows without entries, unless a previous stage does. */
function withoutEntries<X>(header: CooHeader, y: usize, begin: u32, end: u32, beta: X): void {
  if (!header.adds) putEmpty<X>(y, begin, end, beta);
}
