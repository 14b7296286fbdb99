/**
 * Interpolation from coarse rows: a coarse row has its own number, and a fine row those of coarse rows that it depends on (`direct`), and those
 * that its fine ones depend on, too (`extended`). Steps over chunks of 16 rows, run by `src/preconditioners/amg/classical/interpolation.ts`:
 *
 *     interpolation_count    chunkPtr[chunk + 1] ← entries of the rows (the caller adds up chunkPtr)
 *     interpolation_fill     the rows
 *
 * With C_i the coarse rows of a fine row i, F_i the fine ones that it depends on, and ā negative entries:
 *
 *     direct      w_ij = −(Σ_k ā_ik / Σ_{k ∈ C_i} ā_ik) a_ij / (a_ii + the positive entries)
 *     extended    w_ij = −(a_ij + Σ_{k ∈ F_i} a_ik ā_kj / b_ik) / (a_ii + Σ_{k ∈ F_i} a_ik ā_ki / b_ik + the weak entries)
 *                 b_ik = Σ ā_kl over l = i and l ∈ C_i
 *
 * Columns of rows that depend on nothing are left out, since a smoother solves these rows. Rows are truncated (`truncation.ts`).
 *
 * Source: `direct`: Stüben 2001, "A review of algebraic multigrid", section 4.2; `extended`: De Sterck, Falgout, Nolting & Yang 2008,
 *   "Distance-two interpolation for parallel algebraic multigrid", section 4.5 ("extended+i").
 * Cost: `extended`: the strong couplings of F_i are read in both steps, its rows in the second one, mostly from a cache; 20 bytes per row of A for each thread.
 */
import { CHUNK_ROWS, InterpolationHeader } from '../../build/headers';
import { leaveRoom, takeRoom } from '../algebra/union';
import { Operands } from '../operands';
import { wide, word } from '../word';
import { extended, extendedLength } from './extended';
import { colsOf, isCoarse, weightsOf } from './fine-row';
import { ALONE } from './splitting';
import { truncate } from './truncation';

export function interpolation_count(header: InterpolationHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let count: u32 = 0;
    for (let row = chunk * CHUNK_ROWS; row < last; row++) count += lengthOf(header, room, row);
    store<u32>(word(header.chunkPtr, chunk), count, 4);
  }
  leaveRoom(header, room);
}

export function interpolation_fill(header: InterpolationHeader, operands: Operands, begin: u32, end: u32): void {
  const room = takeRoom(header);
  for (let chunk = begin; chunk < end; chunk++) {
    const last = min((chunk + 1) * CHUNK_ROWS, header.rows);
    let write = load<u32>(word(header.chunkPtr, chunk));
    for (let row = chunk * CHUNK_ROWS; row < last; row++) {
      write = fillRow(header, room, row, write);
      store<u32>(word(header.outRowPtr, row), write, 4);
    }
  }
  leaveRoom(header, room);
}

@inline
function lengthOf(header: InterpolationHeader, room: usize, row: u32): u32 {
  if (isCoarse(header, row)) return 1;
  return header.isExtended ? extendedLength(header, room, row) : interpolate(header, room, row);
}

@inline
function fillRow(header: InterpolationHeader, room: usize, row: u32, write: u32): u32 {
  if (isCoarse(header, row)) {
    store<u32>(word(header.outColIdx, write), load<u32>(word(header.coarse, row)));
    store<f64>(wide(header.outValues, write), 1);
    return write + 1;
  }
  const count = interpolate(header, room, row);
  const cols = colsOf(header, room);
  const weights = weightsOf(header, room);
  for (let place: u32 = 0; place < count; place++) {
    store<u32>(word(header.outColIdx, write), load<u32>(word(header.coarse, load<u32>(word(cols, place)))));
    store<f64>(wide(header.outValues, write), load<f64>(wide(weights, place)));
    write++;
  }
  return write;
}

/** Writes a fine row to the lists. @returns its length */
function interpolate(header: InterpolationHeader, room: usize, row: u32): u32 {
  const count = header.isExtended ? extended(header, room, row) : direct(header, room, row);
  return truncate(colsOf(header, room), weightsOf(header, room), count, header.entries);
}

function direct(header: InterpolationHeader, room: usize, row: u32): u32 {
  const cols = colsOf(header, room);
  const weights = weightsOf(header, room);
  let strong = load<u32>(word(header.strongPtr, row));
  const last = load<u32>(word(header.strongPtr, row), 4);
  const end = load<u32>(word(header.rowPtr, row), 4);
  let count: u32 = 0;
  let diagonal: f64 = 0;
  let negative: f64 = 0;
  let coarse: f64 = 0;
  for (let k = load<u32>(word(header.rowPtr, row)); k < end; k++) {
    const col = load<u32>(word(header.colIdx, k));
    const value = load<f64>(wide(header.values, k));
    while (strong < last && load<u32>(word(header.strongIdx, strong)) < col) strong++;
    if (col === row || value > 0) {
      diagonal += value;
    } else if (load<u32>(word(header.coarse, col)) !== ALONE) {
      negative += value;
      if (strong === last || load<u32>(word(header.strongIdx, strong)) !== col || !isCoarse(header, col)) continue;
      coarse += value;
      store<u32>(word(cols, count), col);
      store<f64>(wide(weights, count), value);
      count++;
    }
  }
  if (!(diagonal > 0)) return 0;
  const scale = -negative / coarse / diagonal;
  for (let place: u32 = 0; place < count; place++) store<f64>(wide(weights, place), scale * load<f64>(wide(weights, place)));
  return count;
}
