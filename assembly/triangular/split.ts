/**
 * The triangles of P A Pᵀ whose rows are in pieces (`src/preconditioners/triangular/split.ts`), without entries between two pieces of one stage. Steps:
 *
 *     count    pieces     ptr[i + 1] ← entries of the rows of the piece up to row i; the entries on the diagonal
 *     shift    pieces     ptr ← pointers over all pieces; the caller has added up the entries of each
 *     fill     pieces     columns, and for each entry its place in A; columns ascend
 *     turn     entries    of L: their places in A, and their places in L for Lᵀ
 *
 * Without L columns of U are in the order of A.
 */
import { ShiftHeader, SplitHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { sortRow } from './sort-row';

/** Rows of a call: V8 replaces its baseline code only between two calls of a function. */
const SLAB: u32 = 1024;

export function split_count(header: SplitHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) {
    const last = load<u32>(word(header.piecePtr, piece), 4);
    for (let row = load<u32>(word(header.piecePtr, piece)); row < last; row += SLAB) countRows(header, piece, row, min(row + SLAB, last));
  }
}

export function split_fill(header: SplitHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) {
    const last = load<u32>(word(header.piecePtr, piece), 4);
    for (let row = load<u32>(word(header.piecePtr, piece)); row < last; row += SLAB) fillRows(header, piece, row, min(row + SLAB, last));
  }
}

@inline
function numberOf(order: usize, index: u32): u32 {
  return order === 0 ? index : load<u32>(word(order, index));
}

/** Whether a column is in another piece of the stage. */
@inline
function isBetween(header: SplitHeader, piece: u32, column: u32): bool {
  if (column < load<u32>(word(header.stageBegin, piece)) || column >= load<u32>(word(header.stageEnd, piece))) return false;
  return column < load<u32>(word(header.piecePtr, piece)) || column >= load<u32>(word(header.piecePtr, piece), 4);
}

function countRows(header: SplitHeader, piece: u32, begin: u32, end: u32): void {
  const hasLower = header.lowerPtr !== 0;
  const isFirst = begin === load<u32>(word(header.piecePtr, piece));
  let lower: u32 = isFirst || !hasLower ? 0 : load<u32>(word(header.lowerPtr, begin));
  let upper: u32 = isFirst ? 0 : load<u32>(word(header.upperPtr, begin));
  let dropped: u32 = 0;
  for (let i = begin; i < end; i++) {
    const row = word(header.rowPtr, numberOf(header.order, i));
    for (let k = load<u32>(row), last = load<u32>(row, 4); k < last; k++) {
      const j = numberOf(header.place, load<u32>(word(header.colIdx, k)));
      if (j === i) store<u32>(word(header.diagonal, i), k);
      else if (j < i && !hasLower) continue;
      else if (isBetween(header, piece, j)) dropped++;
      else if (j < i) lower++;
      else upper++;
    }
    if (hasLower) store<u32>(word(header.lowerPtr, i), lower, 4);
    store<u32>(word(header.upperPtr, i), upper, 4);
  }
  if (dropped > 0) atomic.add<u32>(header.dropped, dropped);
}

function fillRows(header: SplitHeader, piece: u32, begin: u32, end: u32): void {
  const hasLower = header.lowerPtr !== 0;
  const turned = header.turned;
  for (let i = begin; i < end; i++) {
    const firstLower: u32 = hasLower ? load<u32>(word(header.lowerPtr, i)) : 0;
    const firstUpper = load<u32>(word(header.upperPtr, i));
    let lower = firstLower;
    let upper = firstUpper;
    const row = word(header.rowPtr, numberOf(header.order, i));
    for (let k = load<u32>(row), last = load<u32>(row, 4); k < last; k++) {
      const j = numberOf(header.place, load<u32>(word(header.colIdx, k)));
      if (j === i || (j < i && !hasLower) || isBetween(header, piece, j)) continue;
      if (j < i) {
        store<u32>(word(header.lowerIdx, lower), j);
        store<u32>(word(header.lowerFrom, lower++), k);
      } else {
        store<u32>(word(header.upperIdx, upper), j);
        if (turned !== 0) store<u32>(word(turned, upper), upper);
        store<u32>(word(header.upperFrom, upper++), k);
      }
    }
    if (!hasLower) continue;
    sortRow(header.lowerIdx, header.lowerFrom, firstLower, lower);
    sortRow(header.upperIdx, header.upperFrom, firstUpper, upper);
  }
}

/** `lowerFrom` has the entry of U of each entry of L. */
export function split_turn(header: SplitHeader, operands: Operands, begin: u32, end: u32): void {
  for (let k = begin; k < end; k++) {
    const at = word(header.lowerFrom, k);
    const entry = load<u32>(at);
    store<u32>(word(header.turned, entry), k);
    store<u32>(at, load<u32>(word(header.upperFrom, entry)));
  }
}

/** The pointer behind each unit of a piece. */
export function pieces_shift(header: ShiftHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) {
    const before = load<u32>(word(header.before, piece));
    const last = word(header.ptr, load<u32>(word(header.last, piece)));
    for (let at = word(header.ptr, load<u32>(word(header.first, piece))); at < last; at += 4) store<u32>(at, load<u32>(at, 4) + before, 4);
  }
}
