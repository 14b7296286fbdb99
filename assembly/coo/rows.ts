/**
 * Kernels that never share a row between parts compute whole rows of COO: a line of entries has the rows whose first entries are in it, and the empty rows
 * before these. Most lines of a long row have none.
 */
import { CooHeader } from '../../build/headers';
import { LINE_SHIFT } from './coo';

/** Returns the row of an entry. After the last entry it is `rows`, which is no row. */
@inline
export function rowOfEntry(header: CooHeader, entry: u32): u32 {
  return load<u32>(header.rowIdx + ((<usize>entry) << 2));
}

/** Returns the first row of the lines from `line` on; `rows` after the last line. */
@inline
export function firstRowFrom(header: CooHeader, line: u32): u32 {
  const entry = line << LINE_SHIFT;
  if (entry >= header.nnz) return line === 0 ? 0 : header.rows;
  return entry === 0 ? 0 : rowOfEntry(header, entry - 1) + 1;
}

/** Returns the first entry from `line` on that is in `row` or a later one; `nnz` if none is. It looks at entries at doubled distances, then halves the last distance. */
export function firstEntryFrom(header: CooHeader, line: u32, row: u32): u32 {
  let low = min(line << LINE_SHIFT, header.nnz);
  let step: u32 = 1;
  while (step <= header.nnz - low && rowOfEntry(header, low + step - 1) < row) {
    low += step;
    step <<= 1;
  }
  let high = low + min(step, header.nnz - low);
  while (low < high) {
    const middle = low + ((high - low) >>> 1);
    if (rowOfEntry(header, middle) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the end of the entries of `row`, which begin at `entry`. Only the last row of a part may be long; its end, `stop`, is known. */
@inline
export function endOfRow(header: CooHeader, entry: u32, row: u32, last: u32, stop: u32): u32 {
  if (row + 1 === last) return stop;
  let end = entry;
  while (rowOfEntry(header, end) === row) end++;
  return end;
}
