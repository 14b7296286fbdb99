/**
 * Lines `row column value` of a Matrix Market file → entries: a module of its own, with a memory of its own, which needs no engine.
 * It reads lines of the usual form and stops at any other one.
 */
import { after, digitCount, digitsValue, eightBytes, scanDecimal, shifted } from './decimal';

export { after, scanDecimal } from './decimal';
export { POWERS_OF_FIVE } from './nearest-double';

/** The first address that the caller may use. */
export const FREE: usize = __heap_base;

/** What the values are. */
const PATTERN: u32 = 0;
const INTEGER: u32 = 2;

/** Where the last call stopped: the begin of the first line that is not an entry, or the end. */
export let stop: usize = 0;
/** Triangles in which the last call found entries: 1 is the lower, 2 the upper one. */
export let triangles: u32 = 0;

/** The first byte after an index, and the index; 0 unless it has 1 … 15 digits. */
let next: usize = 0;

@inline
function isBlank(byte: u32): bool {
  return byte === 0x20 || byte === 0x09;
}

@inline
function scanIndex(begin: usize): u64 {
  let at = begin;
  while (isBlank(load<u8>(at))) at++;
  const bytes = eightBytes(at);
  let count = digitCount(bytes);
  next = at + count;
  if (count === 0) return 0;
  let index = digitsValue(bytes, count);
  if (count < 8) return index;
  const more = eightBytes(next);
  count = digitCount(more);
  if (count === 0) return index;
  if (count === 8) return 0;
  next += count;
  index = shifted(index, count) + digitsValue(more, count);
  return index;
}

/**
 * Reads the lines from `begin` to `end`, where the last one ends, until `most` entries are read, and returns their number. Rows and
 * columns, counted from 0, are u32, values f64.
 *
 * @param skew whether entries of the diagonal must be 0
 */
export function readCoordinates(
  begin: usize,
  end: usize,
  rows: u32,
  cols: u32,
  field: u32,
  skew: bool,
  most: u32,
  rowIdx: usize,
  colIdx: usize,
  values: usize,
): u32 {
  let used: u32 = 0;
  let found: u32 = 0;
  let start = begin;
  while (start < end && used < most) {
    const row = scanIndex(start);
    if (row - 1 >= u64(rows)) break;
    const col = scanIndex(next);
    if (col - 1 >= u64(cols)) break;
    let at = next;
    if (field !== PATTERN) {
      if (!isBlank(load<u8>(at))) break;
      while (isBlank(load<u8>(++at))) {}
      const value = scanDecimal(at);
      at = after;
      if (at === 0) break;
      if (field === INTEGER && (trunc(value) !== value || abs(value) === Infinity)) break;
      if (skew && row === col && value !== 0) break;
      store<f64>(values + ((<usize>used) << 3), value);
    }
    let byte: u32 = load<u8>(at);
    while (isBlank(byte) || byte === 0x0d) byte = load<u8>(++at);
    if (byte !== 0x0a) break;
    start = at + 1;
    store<u32>(rowIdx + ((<usize>used) << 2), u32(row) - 1);
    store<u32>(colIdx + ((<usize>used) << 2), u32(col) - 1);
    used++;
    found |= row > col ? 1 : row < col ? 2 : 0;
  }
  stop = start;
  triangles = found;
  return used;
}
