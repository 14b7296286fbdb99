/**
 * The smoothed prolongation P = (I − ω D⁻¹ F) T: F has the entries of A in strong blocks; the other ones, of the same unknown, are added to its diagonal D.
 * Steps over chunks of 16 rows, run by `src/preconditioners/amg/prolongation.ts`:
 *
 *     count   chunkPtr[chunk + 1] ← entries of the rows of P
 *     fill    the rows of P
 *
 * Source: Vaněk, Mandel & Brezina 1996. Differs from a product of two matrices: I − ω D⁻¹ F, which has as many entries as A, is never in memory.
 * Cost: per entry of A in a strong block, an entry of T. The union is that of a product (`../algebra/union.ts`): 8.2 bytes per column for each thread.
 */
import { CHUNK_ROWS, ProlongationHeader } from '../../build/headers';
import { drain, enter, leaveRoom, sumsOf, takeRoom, touchedOf } from '../algebra/union';
import { Operands } from '../operands';
import { wide, word } from '../word';

/** The diagonal with its weak entries is used if it is at least this share of the diagonal entry, or else that entry alone: a sum near 0 would make P unbounded. Chosen. */
export const LEAST_SHARE: f64 = 0.1;

export function prolongation_count(header: ProlongationHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  const list = touchedOf(room, header.cols);
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let count: u32 = 0;
    for (let row = chunk * CHUNK_ROWS; row < last; row++) {
      const touched = unite(header, room, row);
      for (let some = list; some < touched; some += 4) {
        const at = room + load<u32>(some);
        count += <u32>popcnt(load<u64>(at));
        store<u64>(at, 0);
      }
    }
    store<u32>(word(header.chunkPtr, chunk), count, 4);
  }
  leaveRoom(header, room);
}

/** The strong couplings of a node from `strong` on, less those with columns before `col`. */
@inline
function skipTo(header: ProlongationHeader, strong: u32, last: u32, col: u32): u32 {
  while (strong < last && (load<u32>(word(header.strongIdx, strong)) + 1) * header.block <= col) strong++;
  return strong;
}

@inline
function isStrong(header: ProlongationHeader, strong: u32, last: u32, col: u32): bool {
  return strong < last && load<u32>(word(header.strongIdx, strong)) * header.block <= col;
}

/** Makes the union of the columns of a row of P. Returns the end of its words. */
function unite(header: ProlongationHeader, room: usize, row: u32): usize {
  return addStrong(header, room, row, false, 0, 0);
}

/** Adds the rows of T for the strong entries of a row of A: their columns to the union, and if `hasSums`, times a factor, their numbers to its sums. */
@inline
function addStrong(header: ProlongationHeader, room: usize, row: u32, hasSums: bool, ofDiagonal: f64, ofOthers: f64): usize {
  const sums = sumsOf(room, header.cols);
  const node = row / header.block;
  const last = load<u32>(word(header.strongPtr, node), 4);
  const end = load<u32>(word(header.aRowPtr, row), 4);
  let strong = load<u32>(word(header.strongPtr, node));
  let touched = touchedOf(room, header.cols);
  for (let k = load<u32>(word(header.aRowPtr, row)); k < end; k++) {
    const col = load<u32>(word(header.aColIdx, k));
    strong = skipTo(header, strong, last, col);
    if (!isStrong(header, strong, last, col)) continue;
    const share = !hasSums || col === row ? ofDiagonal : ofOthers * load<f64>(wide(header.aValues, k));
    const rowEnd = load<u32>(word(header.tRowPtr, col), 4);
    for (let t = load<u32>(word(header.tRowPtr, col)); t < rowEnd; t++) {
      const column = load<u32>(word(header.tColIdx, t));
      if (hasSums) {
        const sum = wide(sums, column);
        store<f64>(sum, load<f64>(sum) + share * load<f64>(wide(header.tValues, t)));
      }
      touched = enter(room, column, touched);
    }
  }
  return touched;
}

export function prolongation_fill(header: ProlongationHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let write = load<u32>(word(header.chunkPtr, chunk));
    for (let row = chunk * CHUNK_ROWS; row < last; row++) {
      const touched = smoothRow(header, room, row, operands.alpha);
      write = drain(header, room, touched, header.colIdx, header.values, write);
      store<u32>(word(header.rowPtr, row), write, 4);
    }
  }
  leaveRoom(header, room);
}

/** Makes the sums of a row of P. Returns the end of its words. */
function smoothRow(header: ProlongationHeader, room: usize, row: u32, omega: f64): usize {
  const divisor = divisorOf(header, row);
  return addStrong(header, room, row, true, 1 - omega, divisor === 0 ? 0 : -omega / divisor);
}

/** The entry of D. */
function divisorOf(header: ProlongationHeader, row: u32): f64 {
  const block = header.block;
  const node = row / block;
  const unknown = row - node * block;
  const last = load<u32>(word(header.strongPtr, node), 4);
  const end = load<u32>(word(header.aRowPtr, row), 4);
  let strong = load<u32>(word(header.strongPtr, node));
  let sum: f64 = 0;
  let own: f64 = 0;
  for (let k = load<u32>(word(header.aRowPtr, row)); k < end; k++) {
    const col = load<u32>(word(header.aColIdx, k));
    strong = skipTo(header, strong, last, col);
    if (col === row) own = load<f64>(wide(header.aValues, k));
    else if (!isStrong(header, strong, last, col) && col % block === unknown) sum += load<f64>(wide(header.aValues, k));
  }
  sum += own;
  return sum * own > 0 && abs(sum) > LEAST_SHARE * abs(own) ? sum : own;
}
