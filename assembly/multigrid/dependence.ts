/**
 * What a row depends on: the columns with −a_ij ≥ α max_k −a_ik, over k ≠ i. Steps over chunks of 16 rows, run by
 * `src/preconditioners/amg/classical/dependence.ts`:
 *
 *     dependence_count    chunkPtr[chunk + 1] ← such entries (the caller adds up chunkPtr)
 *     dependence_fill     their columns
 *
 * A row depends on nothing if no entry beside its diagonal is negative, or if the diagonal is so much larger than the others that a sweep of a
 * smoother solves it.
 *
 * Source: Ruge & Stüben 1987, "Algebraic multigrid", section 4.2; rows with a large diagonal: hypre's `max_row_sum`.
 * Cost: 12 bytes per entry of A in each step, read twice from a cache.
 */
import { CHUNK_ROWS, DependenceHeader } from '../../build/headers';
import { Operands } from '../operands';
import { wide, word } from '../word';

/** A row whose sum is more than this share of its diagonal depends on nothing. As PETSc gives it to hypre. */
const MOST_SUM: f64 = 0.9;

export function dependence_count(header: DependenceHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let count: u32 = 0;
    for (let row = chunk * CHUNK_ROWS; row < last; row++) count += countRow(header, row, leastOf(header, row, operands.alpha));
    store<u32>(word(header.chunkPtr, chunk), count, 4);
  }
}

export function dependence_fill(header: DependenceHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let write = load<u32>(word(header.chunkPtr, chunk));
    for (let row = chunk * CHUNK_ROWS; row < last; row++) {
      write = fillRow(header, row, leastOf(header, row, operands.alpha), write);
      store<u32>(word(header.strongPtr, row), write, 4);
    }
  }
}

/** The least −a_ij of a strong coupling; infinity if the row depends on nothing. */
function leastOf(header: DependenceHeader, row: u32, theta: f64): f64 {
  const end = load<u32>(word(header.rowPtr, row), 4);
  let largest: f64 = 0;
  let sum: f64 = 0;
  let diagonal: f64 = 0;
  for (let k = load<u32>(word(header.rowPtr, row)); k < end; k++) {
    const value = load<f64>(wide(header.values, k));
    sum += value;
    if (load<u32>(word(header.colIdx, k)) === row) diagonal = value;
    else largest = max(largest, -value);
  }
  return largest > 0 && abs(sum) <= MOST_SUM * abs(diagonal) ? theta * largest : Infinity;
}

/** Of a threshold of 0, too, the entries that are not negative are weak. */
@inline
function isStrong(header: DependenceHeader, row: u32, k: u32, least: f64): bool {
  const size = -load<f64>(wide(header.values, k));
  return size >= least && size > 0 && load<u32>(word(header.colIdx, k)) !== row;
}

@inline
function countRow(header: DependenceHeader, row: u32, least: f64): u32 {
  const end = load<u32>(word(header.rowPtr, row), 4);
  let count: u32 = 0;
  for (let k = load<u32>(word(header.rowPtr, row)); k < end; k++) count += <u32>isStrong(header, row, k, least);
  return count;
}

@inline
function fillRow(header: DependenceHeader, row: u32, least: f64, write: u32): u32 {
  const end = load<u32>(word(header.rowPtr, row), 4);
  for (let k = load<u32>(word(header.rowPtr, row)); k < end; k++) {
    if (!isStrong(header, row, k, least)) continue;
    store<u32>(word(header.strongIdx, write), load<u32>(word(header.colIdx, k)));
    write++;
  }
  return write;
}
