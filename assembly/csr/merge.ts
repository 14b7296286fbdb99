/**
 * CSR by the merge path: y ← α A x + β y over the steps [begin, end) of the path that merges the row ends with the entries
 * (Merrill & Garland 2016). A step consumes an entry or ends a row: parts of equal length have equal work, for any row
 * lengths, and one full row among a million is shared by all parts. A part writes the rows that end in it; the row that
 * continues beyond it goes to its carry slot. Whole rows are summed by CSR's own loops.
 *
 *     rowPtr   0        2  2     3           6     of [10 0 20; 0 0 0; 0 0 30; 40 50 60]
 *     path     10 20 |  |  30 |  40 50 60 |        a row's end is drawn as |
 *     step     0  1  2  3  4  5  6  7  8  9        step = entries + row ends before it
 */
import { CsrHeader, NO_ROW } from '../../build/headers';
import { leaveCarry } from '../carry';
import { BranchFree, put, rowSum, valueShift } from '../lanes';
import { Operands } from '../operands';
import { hasBranches, rowsOfTwo } from './csr';

export function csr_merge_spmv<V, X>(header: CsrHeader, operands: Operands, begin: u32, end: u32): void {
  path<V, X>(header, operands.x, operands.y, begin, end, operands.carry, <X>operands.alpha, <X>operands.beta);
}

function path<V, X>(header: CsrHeader, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: X, beta: X): void {
  const rowPtr = header.rowPtr;
  let row = rowAt(header, begin);
  const lastRow = rowAt(header, end);
  const firstEntry = begin - row;
  const lastEntry = end - lastRow;
  let open = firstEntry;
  if (row < lastRow && firstEntry > load<u32>(rowPtr + ((<usize>row) << 2))) {
    // The row that an earlier part left incomplete ends here.
    open = load<u32>(rowPtr + ((<usize>row) << 2), 4);
    put<X>(y + ((<usize>row) << alignof<X>()), entries<V, X>(header, x, firstEntry, open), alpha, beta);
    row++;
  }
  if (row < lastRow) {
    const middle = row + ((lastRow - row) >> 1);
    rowsOfTwo<V, u32, X>(header, hasBranches(header, row, lastRow, lastRow - row), x, x, y, row, middle, middle, lastRow, alpha, beta);
    open = load<u32>(rowPtr + ((<usize>lastRow) << 2));
  }
  if (open < lastEntry) leaveCarry(carry, lastRow, <f64>(alpha * entries<V, X>(header, x, open, lastEntry)));
  else leaveCarry(carry, NO_ROW, 0);
}

/** The number of rows that end before a step of the path: the first row i whose end is not before it, rowPtr[i + 1] + i ≥ step. */
function rowAt(header: CsrHeader, step: u32): u32 {
  let low: u32 = 0;
  let high = header.rows;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<u32>(header.rowPtr + ((<usize>middle) << 2), 4) + middle < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The sum of the entries [begin, end) of one row. */
function entries<V, X>(header: CsrHeader, x: usize, begin: u32, end: u32): X {
  const colIdx = header.colIdx + ((<usize>begin) << 2);
  const values = header.values + ((<usize>begin) << valueShift<V>());
  return rowSum<V, u32, X, BranchFree>(x, colIdx, values, header.table, end - begin);
}
