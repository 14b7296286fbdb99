/** Rows in canonical order: columns ascend strictly, duplicates are summed. */
import type { CsrMatrix } from './csr.js';
import type { FloatArray } from './types.js';

/** Sorts the rows of a matrix whose columns are in range, and sums duplicates. Allocates new arrays. */
export function canonical(matrix: CsrMatrix): CsrMatrix {
  const { rowPtr } = matrix;
  const colIdx = matrix.colIdx.slice();
  const values = matrix.values.slice();
  sortRows(rowPtr, colIdx, values);
  return summed({ ...matrix, rowPtr: rowPtr.slice(), colIdx, values });
}

/**
 * Sums the duplicates of sorted rows in place. In a pattern, duplicates become one entry with the value 1.
 *
 * @param keptShare arrays of which at least so much is used are not copied, which would need twice the memory for a while; default: they are
 */
export function summed(matrix: CsrMatrix, keptShare = 1): CsrMatrix {
  const { rowPtr, colIdx, values, field } = matrix;
  const nnz = sumDuplicates(rowPtr, colIdx, values);
  if (field === 'pattern') values.fill(1);
  if (nnz === matrix.nnz) return matrix;
  if (nnz >= keptShare * matrix.nnz)
    return { ...matrix, nnz, colIdx: colIdx.subarray(0, nnz), values: values.subarray(0, nnz) };
  return { ...matrix, nnz, colIdx: colIdx.slice(0, nnz), values: values.slice(0, nnz) };
}

/** Sorts all rows, and says whether their columns then ascend strictly: whether there are no duplicates. */
export function sortRows(rowPtr: Uint32Array, colIdx: Uint32Array, values: FloatArray): boolean {
  let isStrict = true;
  let begin = 0;
  for (let i = 1; i < rowPtr.length; i++) {
    const end = rowPtr[i]!;
    if (strictEnd(colIdx, begin, end) < end) {
      sortRow(colIdx, values, begin, end);
      if (strictEnd(colIdx, begin, end) < end) isStrict = false;
    }
    begin = end;
  }
  return isStrict;
}

/** As `sortRows`, of a pattern: the columns alone. */
export function sortColumns(rowPtr: Uint32Array, colIdx: Uint32Array): boolean {
  let isStrict = true;
  let begin = 0;
  for (let i = 1; i < rowPtr.length; i++) {
    const end = rowPtr[i]!;
    if (strictEnd(colIdx, begin, end) < end) {
      if (end - begin > RANKED_LENGTH || !sortByRanks(colIdx, begin, end)) colIdx.subarray(begin, end).sort();
      if (strictEnd(colIdx, begin, end) < end) isStrict = false;
    }
    begin = end;
  }
  return isStrict;
}

/** The longest row that is sorted by ranks: comparisons of all pairs, but no branch, which random columns mispredict. */
const RANKED_LENGTH = 16;
const ranked: Int32Array = new Int32Array(RANKED_LENGTH);

/**
 * Sorts a row of up to 16 columns: the place of one is the number of those that come before it. Returns false, and does nothing, if there
 * is a column from 2³¹ on.
 */
function sortByRanks(colIdx: Uint32Array, begin: number, end: number): boolean {
  const length = end - begin;
  let all = 0;
  for (let k = 0; k < length; k++) {
    const column = colIdx[begin + k]! | 0;
    ranked[k] = column;
    all |= column;
  }
  if (all < 0) return false;
  for (let k = 0; k < length; k++) {
    const column = ranked[k]!;
    let place = begin + k;
    // The sign of the difference: 1 for an earlier, greater column, and for a later, smaller one.
    for (let earlier = 0; earlier < k; earlier++) place -= (column - ranked[earlier]!) >>> 31;
    for (let later = k + 1; later < length; later++) place += (ranked[later]! - column) >>> 31;
    colIdx[place] = column;
  }
  return true;
}

/** The end of the strictly ascending columns from `begin` on. */
function strictEnd(colIdx: Uint32Array, begin: number, end: number): number {
  if (begin === end) return end;
  let k = begin + 1;
  for (let last = colIdx[begin]!; k < end; k++) {
    const col = colIdx[k]!;
    if (col <= last) break;
    last = col;
  }
  return k;
}

/** Sorts one row by column, in place and stably. A sorted row costs one comparison per entry. */
export function sortRow(colIdx: Uint32Array, values: FloatArray, begin: number, end: number): void {
  let sorted = begin + 1;
  while (sorted < end && colIdx[sorted - 1]! <= colIdx[sorted]!) sorted++;
  if (sorted >= end) return;
  if (end - begin > INSERTION_SORT_LIMIT) {
    sortLongRow(colIdx, values, begin, end);
    return;
  }
  for (let k = sorted; k < end; k++) {
    const column = colIdx[k]!;
    const value = values[k]!;
    let hole = k;
    for (; hole > begin && colIdx[hole - 1]! > column; hole--) {
      colIdx[hole] = colIdx[hole - 1]!;
      values[hole] = values[hole - 1]!;
    }
    colIdx[hole] = column;
    values[hole] = value;
  }
}

/** The longest row for the quadratic sort. Any value from 16 to 64 works well. */
const INSERTION_SORT_LIMIT = 32;

/** column · 2²¹ does not exceed 2⁵³, so column and position are sorted as one number, in native code. */
const PLACES = 2 ** 21;

function sortLongRow(colIdx: Uint32Array, values: FloatArray, begin: number, end: number): void {
  const length = end - begin;
  const columns = colIdx.slice(begin, end);
  const copy = values.slice(begin, end);
  const emit = (place: number, k: number) => {
    colIdx[begin + k] = columns[place]!;
    values[begin + k] = copy[place]!;
  };
  if (length <= PLACES) {
    const keys = Float64Array.from(columns, (column, place) => column * PLACES + place).sort();
    for (let k = 0; k < length; k++) emit(keys[k]! % PLACES, k);
  } else {
    const places = Uint32Array.from(columns, (_, place) => place);
    places.sort((a, b) => columns[a]! - columns[b]! || a - b);
    for (let k = 0; k < length; k++) emit(places[k]!, k);
  }
}

/**
 * Sums equal columns of sorted rows, in place, from left to right. Returns the number of remaining entries. Entries between two duplicates
 * move together.
 */
function sumDuplicates(rowPtr: Uint32Array, colIdx: Uint32Array, values: FloatArray): number {
  let removed = 0;
  /** Entries from this one on have not moved. */
  let from = 0;
  let begin = 0;
  for (let i = 1; i < rowPtr.length; i++) {
    const end = rowPtr[i]!;
    for (let k = strictEnd(colIdx, begin, end); k < end; k++) {
      if (colIdx[k] !== colIdx[k - 1]) continue;
      moveBack(colIdx, values, from, k, removed);
      values[k - 1 - removed]! += values[k]!;
      removed++;
      from = k + 1;
    }
    begin = end;
    rowPtr[i] = end - removed;
  }
  moveBack(colIdx, values, from, begin, removed);
  return begin - removed;
}

/** A loop moves so many entries at most; for more, calls of `copyWithin` take less. Chosen. */
const LOOPED = 32;

function moveBack(colIdx: Uint32Array, values: FloatArray, begin: number, end: number, places: number): void {
  if (places === 0) return;
  if (end - begin > LOOPED) {
    colIdx.copyWithin(begin - places, begin, end);
    values.copyWithin(begin - places, begin, end);
    return;
  }
  for (let k = begin; k < end; k++) {
    colIdx[k - places] = colIdx[k]!;
    values[k - places] = values[k]!;
  }
}
