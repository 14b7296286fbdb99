/**
 * Entries in any order → rows, by way of buckets: a bucket has the entries of consecutive rows, few enough to be placed in a cache.
 *
 * Source: the chunks of Axtmann, Witt, Ferizovic, Sanders, "In-place parallel super scalar samplesort", ESA 2017, without its sampling.
 * Layout of the tail of a bucket, its last entries: CHUNK rows and CHUNK columns, u32, then CHUNK values, f64.
 */

/** Entries of a tail. */
export const CHUNK: u32 = 512;
const ENTRY_BYTES: u32 = 16;

/** The bucket whose tail the last call of `distribute` filled; −1 if it filled none. */
export let full: i32 = -1;

@inline
function at32(array: usize, k: u32): usize {
  return array + ((<usize>k) << 2);
}

@inline
function at64(array: usize, k: u32): usize {
  return array + ((<usize>k) << 3);
}

/** Triangles of the entries that the last call of `distribute` mirrored: 1 is the lower, 2 the upper one. */
export let mirrored: u32 = 0;

/** Does what `distribute` does, for constants `hasValues` and `hasMirrors`. */
@inline
function distributeEntries(
  rowIdx: usize,
  colIdx: usize,
  values: usize,
  hasValues: bool,
  from: u32,
  to: u32,
  shift: u32,
  fills: usize,
  tails: usize,
  hasMirrors: bool,
  mirrorSign: f64,
): u32 {
  let lower: u32 = 0;
  let upper: u32 = 0;
  // Entries that follow each other are often of one bucket: how many its tail has is then in no memory, which would be waited for.
  let bucket: u32 = 0;
  let fill = load<u32>(fills);
  let tail = tails;
  let step = from;
  full = -1;
  while (step < to) {
    const k = step >> 1;
    const isMirror = hasMirrors && (step & 1) !== 0;
    step += hasMirrors ? 1 : 2;
    let row = load<u32>(at32(rowIdx, k));
    let col = load<u32>(at32(colIdx, k));
    if (isMirror) {
      if (row === col) continue;
      // The sign bits of differences of numbers below 2³¹.
      lower |= col - row;
      upper |= row - col;
      const given = row;
      row = col;
      col = given;
    }
    if (row >> shift !== bucket) {
      store<u32>(at32(fills, bucket), fill);
      bucket = row >> shift;
      fill = load<u32>(at32(fills, bucket));
      tail = tails + <usize>bucket * (ENTRY_BYTES * CHUNK);
    }
    store<u32>(at32(tail, fill), row);
    store<u32>(at32(tail, fill), col, 4 * CHUNK);
    if (hasValues) {
      const value = load<f64>(at64(values, k));
      store<f64>(at64(tail, fill), isMirror ? mirrorSign * value : value, 8 * CHUNK);
    }
    if (++fill === CHUNK) {
      full = i32(bucket);
      fill = 0;
      break;
    }
  }
  store<u32>(at32(fills, bucket), fill);
  mirrored = (lower >>> 31) | ((upper >>> 31) << 1);
  return step;
}

/**
 * Appends entries to the tails of the buckets of their rows, `row >> shift`, each followed by its mirror image, if there are any and it is
 * not on the diagonal. Stops when a tail is full, which is then empty again. Steps are halves of an entry: 2k is entry k, and 2k + 1 its
 * mirror image. Returns the step after the last one.
 *
 * @param values 0 of a pattern
 * @param fills u32, entries of each tail
 * @param mirrorSign what a mirror image is multiplied by; 0: there are none, and `from` is even
 */
export function distribute(
  rowIdx: usize,
  colIdx: usize,
  values: usize,
  from: u32,
  to: u32,
  shift: u32,
  fills: usize,
  tails: usize,
  mirrorSign: f64,
): u32 {
  if (mirrorSign === 0)
    return values === 0
      ? distributeEntries(rowIdx, colIdx, 0, false, from, to, shift, fills, tails, false, 0)
      : distributeEntries(rowIdx, colIdx, values, true, from, to, shift, fills, tails, false, 0);
  return values === 0
    ? distributeEntries(rowIdx, colIdx, 0, false, from, to, shift, fills, tails, true, mirrorSign)
    : distributeEntries(rowIdx, colIdx, values, true, from, to, shift, fills, tails, true, mirrorSign);
}

/** @param counts u32, by row from `firstRow` on */
export function countRows(rowIdx: usize, entries: u32, firstRow: u32, counts: usize): void {
  for (let k: u32 = 0; k < entries; k++) {
    const count = at32(counts, load<u32>(at32(rowIdx, k)) - firstRow);
    store<u32>(count, load<u32>(count) + 1);
  }
}

/** Counts → the places where rows begin, from 0. */
export function beginRows(counts: usize, rows: u32): void {
  let begin: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const count = load<u32>(at32(counts, row));
    store<u32>(at32(counts, row), begin);
    begin += count;
  }
}

/** Each entry → the next place of its row. @param next u32, by row from `firstRow` on */
export function placeEntries(
  rowIdx: usize,
  colIdx: usize,
  values: usize,
  entries: u32,
  firstRow: u32,
  next: usize,
  placedCols: usize,
  placedValues: usize,
): void {
  for (let k: u32 = 0; k < entries; k++) {
    const nextAt = at32(next, load<u32>(at32(rowIdx, k)) - firstRow);
    const place = load<u32>(nextAt);
    store<u32>(nextAt, place + 1);
    store<u32>(at32(placedCols, place), load<u32>(at32(colIdx, k)));
    if (values !== 0) store<f64>(at64(placedValues, place), load<f64>(at64(values, k)));
  }
}

/** The longest row that is sorted by ranks: comparisons of all pairs, four at a time, but no branch, which random columns mispredict. */
const RANKED: u32 = 32;
/** Columns of a row, and four that are greater. */
const KEYS: usize = memory.data((32 + 4) * 4, 16);
const RANKS: usize = memory.data(32 * 4, 16);
const VALUES: usize = memory.data(32 * 8, 16);

/**
 * Sorts the rows of up to 32 entries that have no column twice. Returns whether the columns of all rows now ascend strictly.
 *
 * @param ends u32, the end of each row; the first one begins at 0
 * @param colIdx below 2³¹
 */
export function sortShortRows(ends: usize, rows: u32, colIdx: usize, values: usize): bool {
  let isStrict = true;
  let begin: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const end = load<u32>(at32(ends, row));
    if (!ascends(at32(colIdx, begin), at32(colIdx, end))) {
      const count = end - begin;
      if (count > RANKED || !sortByRanks(at32(colIdx, begin), values === 0 ? 0 : at64(values, begin), count)) isStrict = false;
    }
    begin = end;
  }
  return isStrict;
}

@inline
function ascends(begin: usize, end: usize): bool {
  for (let at = begin + 4; at < end; at += 4) if (load<u32>(at) <= load<u32>(at - 4)) return false;
  return true;
}

/** The rank of an entry is the number of smaller columns. Returns false, and sorts nothing, if two are equal. */
@inline
function sortByRanks(colIdx: usize, values: usize, count: u32): bool {
  memory.copy(KEYS, colIdx, (<usize>count) << 2);
  v128.store(at32(KEYS, count), i32x4.splat(i32.MAX_VALUE));
  const end = at32(KEYS, count);
  let ranks: u32 = 0;
  for (let k: u32 = 0; k < count; k++) {
    const column = v128.load32_splat(at32(KEYS, k));
    let rank: u32 = 0;
    for (let at = KEYS; at < end; at += 16) rank += popcnt(i32x4.bitmask(i32x4.lt_s(v128.load(at), column)));
    store<u32>(at32(RANKS, k), rank);
    ranks += rank;
  }
  // Of equal columns, neither counts the other one.
  if (ranks !== (count * (count - 1)) >> 1) return false;
  for (let k: u32 = 0; k < count; k++) store<u32>(at32(colIdx, load<u32>(at32(RANKS, k))), load<u32>(at32(KEYS, k)));
  if (values === 0) return true;
  memory.copy(VALUES, values, (<usize>count) << 3);
  for (let k: u32 = 0; k < count; k++) store<f64>(at64(values, load<u32>(at32(RANKS, k))), load<f64>(at64(VALUES, k)));
  return true;
}
