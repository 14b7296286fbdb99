/**
 * COO: y ← α A x + β y over the cache lines [begin, end) of entries, sorted by row. Layout: `src/formats/coo/coo.ts`.
 *
 * The row ends in a line of 16 entries are found at once, and each run of entries with the same row is summed by CSR's own
 * loop: a row costs as much as in CSR, plus 4 bytes per entry. The row that continues beyond the range goes to the carry
 * slot: no sum is ever shared, and nothing is added atomically.
 */
import { CooHeader, NO_ROW } from '../../build/headers';
import { leaveCarry } from '../carry';
import { BranchFree, Branching, put, putEmpty, rowSum, valueShift } from '../lanes';
import { Operands } from '../operands';

/** log2 of the entries in a unit: one cache line of rows, one of columns, two of f64 values. */
export const LINE_SHIFT: u32 = 4;

export function coo_spmv<V, X>(header: CooHeader, operands: Operands, begin: u32, end: u32): void {
  lines<V, X>(header, operands.x, operands.y, begin, end, operands.carry, <X>operands.alpha, <X>operands.beta);
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
