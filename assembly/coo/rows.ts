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

/** Returns the first entry from `line` on that is in `row` or a later one. It must only be called for a line that has rows: otherwise it goes over all the rest of a long row. */
@inline
export function firstEntryFrom(header: CooHeader, line: u32, row: u32): u32 {
  let entry = line << LINE_SHIFT;
  while (entry < header.nnz && rowOfEntry(header, entry) < row) entry++;
  return entry;
}
