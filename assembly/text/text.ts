/**
 * Lines `row column value` of a Matrix Market file → entries → rows: a module of its own, with a memory of its own, which needs no engine.
 * It reads lines of the usual form and stops at any other one.
 */
import { after, digitCount, digitsValue, eightBytes, scanDecimal, shifted } from './decimal';
import { patternTriangles, readPatternLines } from './pattern-lines';
import { findEnds, SEGMENT, tokenEnd } from './token-ends';
import { COLS, ROWS, readUsualLines, usualTriangles, VALUES } from './usual-lines';

export { after, scanDecimal } from './decimal';
export { edgeStop, readEdges, sources, targets } from './edge-lines';
export { POWERS_OF_FIVE } from './nearest-double';
export { beginRows, CHUNK, countRows, distribute, full, mirrored, placeEntries, sortShortRows } from './row-buckets';
export { COLS, MOST_ENTRIES, ROWS, VALUES } from './usual-lines';

/** The first address that the caller may use. */
export const FREE: usize = __heap_base;

/** What the values are. */
const PATTERN: u32 = 0;
const INTEGER: u32 = 2;
/** A line with a value has so many tokens, and so have two lines of a pattern together. */
const TOKENS: u32 = 3;
const PAIR_TOKENS: u32 = 4;
/** In a file whose lines are all unusual, so many are read one by one before usual ones are tried again. Chosen. */
const MOST_PLAIN: u32 = 4096;

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

/** The entry of the last line that was read, from 1. */
let row: u64 = 0;
let col: u64 = 0;
let value: f64 = 0;

/** Reads a line of blanks anywhere, and numbers of any form. Returns the begin of the next one, or 0 if this is no entry. */
function readLine(start: usize, rows: u32, cols: u32, field: u32): usize {
  row = scanIndex(start);
  if (row - 1 >= u64(rows)) return 0;
  col = scanIndex(next);
  if (col - 1 >= u64(cols)) return 0;
  let at = next;
  if (field !== PATTERN) {
    if (!isBlank(load<u8>(at))) return 0;
    while (isBlank(load<u8>(++at))) {}
    value = scanDecimal(at);
    at = after;
    if (at === 0) return 0;
    if (field === INTEGER && (trunc(value) !== value || abs(value) === Infinity)) return 0;
  }
  let byte: u32 = load<u8>(at);
  while (isBlank(byte) || byte === 0x0d) byte = load<u8>(++at);
  return byte === 0x0a ? at + 1 : 0;
}

/** The last call of `readPlainLines` leaves here where it stopped, and in which triangles it found entries. */
let plainStop: usize = 0;
let plainTriangles: u32 = 0;

/** Reads up to `lines` lines of blanks anywhere, from `begin` to `end`, and returns their number. @param used entries that were read before */
function readPlainLines(begin: usize, end: usize, lines: u32, used: u32, rows: u32, cols: u32, field: u32, skew: bool): u32 {
  let start = begin;
  let found: u32 = 0;
  let k = used;
  for (const last = used + lines; k < last && start < end; k++) {
    const after = readLine(start, rows, cols, field);
    if (after === 0 || (skew && row === col && value !== 0)) break;
    start = after;
    if (field !== PATTERN) store<f64>((<usize>k) << 3, value, VALUES);
    store<u32>((<usize>k) << 2, u32(row) - 1, ROWS);
    store<u32>((<usize>k) << 2, u32(col) - 1, COLS);
    found |= u32(row > col) | (u32(row < col) << 1);
  }
  plainStop = start;
  plainTriangles = found;
  return k - used;
}

/**
 * Reads the lines from `begin` to `end`, where the last one ends, until `most` entries are read, at most `MOST_ENTRIES`, and returns their
 * number. They are in `ROWS`, `COLS` and `VALUES`. Reads up to 24 bytes before the text, and 63 behind it.
 *
 * @param skew whether entries of the diagonal must be 0
 */
export function readCoordinates(begin: usize, end: usize, rows: u32, cols: u32, field: u32, skew: bool, most: u32): u32 {
  let used: u32 = 0;
  let found: u32 = 0;
  let start = begin;
  let ends: u32 = 0;
  /** The number of the first token of the line. */
  let token: u32 = 0;
  /** After a line that is not usual, so many are read one by one. */
  let plain: u32 = 1;
  while (start < end && used < most) {
    while (token < ends && tokenEnd(token) < start) token++;
    if (token + (field === PATTERN ? PAIR_TOKENS : TOKENS) > ends) {
      ends = findEnds(start, min(end, start + SEGMENT));
      token = 0;
    }
    let lines: u32;
    let usual: u32;
    if (field === PATTERN) {
      lines = min((ends - token) / PAIR_TOKENS, (most - used) >> 1) << 1;
      usual = readPatternLines(start, token, lines, used, rows, cols);
      found |= patternTriangles;
      token += (PAIR_TOKENS >> 1) * usual;
    } else {
      lines = min((ends - token) / TOKENS, most - used);
      usual = readUsualLines(start, token, lines, used, rows, cols, field === INTEGER, skew);
      found |= usualTriangles;
      token += TOKENS * usual;
    }
    if (usual > 0) {
      used += usual;
      start = tokenEnd(token - 1) + 1;
      plain = 1;
    }
    if (lines > 0 && usual === lines) continue;
    lines = min(plain, most - used);
    plain = min(plain << 3, MOST_PLAIN);
    usual = readPlainLines(start, end, lines, used, rows, cols, field, skew);
    found |= plainTriangles;
    used += usual;
    start = plainStop;
    if (usual < lines) break;
  }
  stop = start;
  triangles = found;
  return used;
}
