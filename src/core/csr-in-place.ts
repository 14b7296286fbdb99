/**
 * Entries in any order → canonical CSR, in the arrays of the entries: for readers, whose entries are nobody else's.
 *
 * A stable counting sort of the rows gives each entry its place. Columns move to a new array. Values move within their own, in two halves:
 * those of the lower places into the memory that the columns have left, while the others close up; then these move to the upper places.
 * Entries that come by rows stay where they are.
 *
 * Memory: 20 bytes an entry, 5/3 of the CSR arrays, where `csrFromEntries` has 7/3; of a pattern 12 or 16, no more than the CSR arrays and
 * a third. One triangle has 5/3 there, and is left to it. Time, on the 2-core AMD EPYC, 22 November 2026, 1.8 million entries: as `csrFromEntries` for a band by columns (25 ms) and in random
 * order (74 ms; entries that are exchanged until each is at its place, in 16 bytes: 105 ms).
 */
import { sortColumns, sortRows, summed } from './canonical.js';
import type { CsrMatrix } from './csr.js';
import { csrFromEntries, type EntryChunk } from './entries.js';
import { discard } from './scratch.js';
import { trust } from './trusted.js';

/** Rows and places below it are read as signed integers, which JavaScript computes with fastest. */
const SIGNED_END = 2 ** 31;

/** Arrays of which duplicates leave at least so much are kept as they are. */
const KEPT_SHARE = 7 / 8;

/**
 * The matrix of checked entries, fewer than 2³². Their arrays are used up.
 *
 * @param symmetry if not `general`, each entry off the diagonal also represents its mirror image
 * @throws SparlaneError `structure` for more than 2³² − 1 entries
 */
export function csrInPlace(
  shape: Pick<CsrMatrix, 'rows' | 'cols' | 'field' | 'symmetry'>,
  entries: EntryChunk,
): CsrMatrix {
  const { rows, cols, field, symmetry } = shape;
  const { used: nnz } = entries;
  if (symmetry !== 'general' || Math.max(rows, nnz) >= SIGNED_END) return csrFromEntries(shape, [entries]);
  if (entries.values === undefined) return patternInPlace(shape, entries);
  const rowPtr = new Uint32Array(rows + 1);
  const next = signed(rowPtr);
  const places = signed(entries.rowIdx.subarray(0, nnz));
  const values = entries.values.subarray(0, nnz);
  let colIdx = entries.colIdx.subarray(0, nnz);
  const isByRows = countRows(places, next);
  beginRows(next);
  if (!isByRows) {
    const moved = new Uint32Array(nnz);
    moveColumns(places, next, signed(colIdx), signed(moved));
    beginAgain(rowPtr);
    moveValues(places, values, new Float64Array(colIdx.buffer, colIdx.byteOffset, nnz >> 1));
    colIdx = moved;
  }
  discard(entries.rowIdx.buffer);
  const matrix: CsrMatrix = { rows, cols, nnz, rowPtr, colIdx, values, field, symmetry };
  return trust(sortRows(rowPtr, colIdx, values) ? matrix : summed(matrix, KEPT_SHARE));
}

/** As `csrInPlace`. Once columns have moved, the values, which are ones, take the room of rows and columns. */
function patternInPlace(
  shape: Pick<CsrMatrix, 'rows' | 'cols' | 'field' | 'symmetry'>,
  { rowIdx, colIdx: given, used: nnz }: EntryChunk,
): CsrMatrix {
  const { rows, cols, field, symmetry } = shape;
  const rowPtr = new Uint32Array(rows + 1);
  const next = signed(rowPtr);
  const places = signed(rowIdx.subarray(0, nnz));
  let colIdx = given.subarray(0, nnz);
  const isByRows = countRows(places, next);
  beginRows(next);
  let values: Float64Array;
  if (isByRows) {
    values = new Float64Array(nnz);
  } else {
    const moved = new Uint32Array(nnz);
    placeColumns(places, next, signed(colIdx), signed(moved));
    beginAgain(rowPtr);
    colIdx = moved;
    // `entryChunk` gives both one buffer; other lists may not.
    const hasRoom = rowIdx.buffer === given.buffer && rowIdx.byteOffset === 0 && rowIdx.buffer.byteLength >= 8 * nnz;
    values = hasRoom ? new Float64Array(rowIdx.buffer, 0, nnz) : new Float64Array(nnz);
  }
  values.fill(1);
  const matrix: CsrMatrix = { rows, cols, nnz, rowPtr, colIdx, values, field, symmetry };
  return trust(sortColumns(rowPtr, colIdx) ? matrix : summed(matrix, KEPT_SHARE));
}

/** Each pointer has come to the end of its row, the begin of the next one. */
function beginAgain(rowPtr: Uint32Array): void {
  rowPtr.copyWithin(1, 0, rowPtr.length - 1);
  rowPtr[0] = 0;
}

function signed({ buffer, byteOffset, length }: Uint32Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length);
}

/** The number of entries of each row. Returns whether the rows ascend. */
function countRows(rowIdx: Int32Array, counts: Int32Array): boolean {
  let isAscending = true;
  let previous = 0;
  for (let k = 0; k < rowIdx.length; k++) {
    const row = rowIdx[k]!;
    counts[row]!++;
    if (row < previous) isAscending = false;
    previous = row;
  }
  return isAscending;
}

/** Counts → the begins of rows, and the end. */
function beginRows(counts: Int32Array): void {
  let begin = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    counts[i] = begin;
    begin += count;
  }
}

function placeColumns(rowIdx: Int32Array, next: Int32Array, colIdx: Int32Array, placed: Int32Array): void {
  for (let k = 0; k < rowIdx.length; k++) placed[next[rowIdx[k]!]!++] = colIdx[k]!;
}

/** As `placeColumns`, and rows → places. */
function moveColumns(rowIdx: Int32Array, next: Int32Array, colIdx: Int32Array, moved: Int32Array): void {
  for (let k = 0; k < rowIdx.length; k++) {
    const place = next[rowIdx[k]!]!++;
    moved[place] = colIdx[k]!;
    rowIdx[k] = place;
  }
}

/** @param lower room for the values of half of the places */
function moveValues(places: Int32Array, values: Float64Array, lower: Float64Array): void {
  const half = lower.length;
  let upper = 0;
  for (let k = 0; k < values.length; k++) {
    const place = places[k]!;
    const value = values[k]!;
    if (place < half) {
      lower[place] = value;
    } else {
      places[upper] = place;
      values[upper++] = value;
    }
  }
  if (upper === 0) return;
  // Of an odd number, the upper half is longer by one: the first of its places is where its last value lies.
  const lastPlace = places[--upper]!;
  const lastValue = values[upper]!;
  for (let k = 0; k < upper; k++) values[places[k]!] = values[k]!;
  values[lastPlace] = lastValue;
  values.set(lower);
}
