/**
 * Divides rows into coarse and fine ones: PMIS. The weight of a row is the number of rows that depend on it; among equal ones a hash of the
 * row decides. A row whose weight is the greatest among its neighbours that are undecided is coarse, and the rows that depend on it are fine.
 * Rows that depend on nothing are fine, and none interpolates from them. One unit, on the caller's thread.
 *
 * Source: De Sterck, Yang & Heys 2006, "Reducing complexity in parallel algebraic multigrid preconditioners", algorithm 3.
 * Differs: a hash in place of a random number; rows that nothing depends on are decided as the others, so each fine row that depends on
 *   something depends on a coarse one; a decision is seen at once, which yields the same rows in fewer rounds.
 */
import { SplittingHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** A fine row; one that depends on nothing; while rows are being decided, a coarse one and one that is undecided. A coarse row has its number in the end. */
export const FINE: u32 = 0xffffffff;
export const ALONE: u32 = 0xfffffffe;
const COARSE: u32 = 0xfffffffd;
const UNDECIDED: u32 = 0xfffffffc;

export function splitting_decide(header: SplittingHeader, operands: Operands, begin: u32, end: u32): void {
  const rows = header.rows;
  const owner = header.coarse;
  const list = header.list;
  transpose(header);
  let left: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const isAlone = load<u32>(word(header.ptr, row), 4) === load<u32>(word(header.ptr, row));
    store<u32>(word(owner, row), isAlone ? ALONE : UNDECIDED);
    if (isAlone) continue;
    store<u32>(word(list, left), row);
    left++;
  }
  while (left > 0) left = round(header, left);
  let count: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if (load<u32>(word(owner, row)) === COARSE) store<u32>(word(owner, row), count++);
  }
  store<u32>(header.count, count);
}

/** Lists, for each row i, the rows that depend on it: from idxT[ptrT[i]] to idxT[ptrT[i + 1] − 1]. */
function transpose(header: SplittingHeader): void {
  const rows = header.rows;
  const ptrT = header.ptrT;
  memory.fill(ptrT, 0, (<usize>rows + 2) << 2);
  const entries = load<u32>(word(header.ptr, rows));
  for (let k: u32 = 0; k < entries; k++) {
    const at = word(ptrT, load<u32>(word(header.idx, k)));
    store<u32>(at, load<u32>(at, 8) + 1, 8);
  }
  for (let row: u32 = 0; row < rows; row++) {
    const at = word(ptrT, row);
    store<u32>(at, load<u32>(at, 4) + load<u32>(at, 8), 8);
  }
  // ptrT[i + 1] is the first place of i; it ends as that of i + 1.
  for (let row: u32 = 0; row < rows; row++) {
    const end = load<u32>(word(header.ptr, row), 4);
    for (let k = load<u32>(word(header.ptr, row)); k < end; k++) {
      const at = word(ptrT, load<u32>(word(header.idx, k)));
      const place = load<u32>(at, 4);
      store<u32>(word(header.idxT, place), row);
      store<u32>(at, place + 1, 4);
    }
  }
}

/** Decides what can be decided of the first rows of the list. @returns the number of rows that are left in it */
function round(header: SplittingHeader, length: u32): u32 {
  const owner = header.coarse;
  const list = header.list;
  let left: u32 = 0;
  for (let place: u32 = 0; place < length; place++) {
    const row = load<u32>(word(list, place));
    if (load<u32>(word(owner, row)) !== UNDECIDED) continue;
    if (isGreatest(header, row, header.ptr, header.idx) && isGreatest(header, row, header.ptrT, header.idxT)) {
      store<u32>(word(owner, row), COARSE);
      decideDependent(header, row);
    } else {
      store<u32>(word(list, left), row);
      left++;
    }
  }
  return left;
}

/** Whether no undecided neighbour in a graph has a greater weight. */
@inline
function isGreatest(header: SplittingHeader, row: u32, ptr: usize, idx: usize): bool {
  const owner = header.coarse;
  const weight = weightOf(header, row);
  const end = load<u32>(word(ptr, row), 4);
  for (let k = load<u32>(word(ptr, row)); k < end; k++) {
    const other = load<u32>(word(idx, k));
    if (load<u32>(word(owner, other)) === UNDECIDED && weightOf(header, other) > weight) return false;
  }
  return true;
}

/** The number of rows that depend on a row, and a hash, which no two rows have in common. */
@inline
function weightOf(header: SplittingHeader, row: u32): u64 {
  const at = word(header.ptrT, row);
  const count = load<u32>(at, 4) - load<u32>(at);
  return ((<u64>count) << 32) | <u64>hash(row);
}

/** Murmur3's mixture of 32 bits, which is one to one. */
@inline
function hash(row: u32): u32 {
  let bits = row + 0x9e3779b9;
  bits = (bits ^ (bits >> 16)) * 0x85ebca6b;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35;
  return bits ^ (bits >> 16);
}

@inline
function decideDependent(header: SplittingHeader, row: u32): void {
  const owner = header.coarse;
  const end = load<u32>(word(header.ptrT, row), 4);
  for (let k = load<u32>(word(header.ptrT, row)); k < end; k++) {
    const other = word(owner, load<u32>(word(header.idxT, k)));
    if (load<u32>(other) === UNDECIDED) store<u32>(other, FINE);
  }
}
