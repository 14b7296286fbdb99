/**
 * A row of extended interpolation, of which `interpolation.ts` has the formula. C_i is a union of columns in a room; the numerators of the weights are its
 * sums.
 */
import { InterpolationHeader } from '../../build/headers';
import { drain, sumsOf, touchedOf } from '../algebra/union';
import { wide, word } from '../word';
import { colsOf, isCoarse, weightsOf } from './fine-row';
import { LEAST_SHARE } from './prolongation';
import { ALONE } from './splitting';

/** Writes a fine row to the lists. @returns its length */
export function extended(header: InterpolationHeader, bits: usize, row: u32): u32 {
  const touched = uniteCoarse(header, bits, row);
  const divisor = distribute(header, bits, row);
  const weights = weightsOf(header, bits);
  const count = drain(header, bits, touched, colsOf(header, bits), weights, 0);
  if (divisor === 0) return 0;
  const scale = -1 / divisor;
  for (let place: u32 = 0; place < count; place++) store<f64>(wide(weights, place), scale * load<f64>(wide(weights, place)));
  return count;
}

/** The length of a fine row, without its weights. */
export function extendedLength(header: InterpolationHeader, bits: usize, row: u32): u32 {
  if (!(diagonalOf(header, row) > 0)) return 0;
  const end = uniteCoarse(header, bits, row);
  let count: u32 = 0;
  for (let at = touchedOf(bits, header.cols); at < end; at += 4) {
    const some = bits + load<u32>(at);
    count += <u32>popcnt(load<u64>(some));
    store<u64>(some, 0);
  }
  return min(count, header.entries);
}

@inline
function diagonalOf(header: InterpolationHeader, row: u32): f64 {
  const end = load<u32>(word(header.rowPtr, row), 4);
  for (let k = load<u32>(word(header.rowPtr, row)); k < end; k++) {
    if (load<u32>(word(header.colIdx, k)) === row) return load<f64>(wide(header.values, k));
  }
  return 0;
}

/** C_i. @returns the end of the list of words */
@inline
function uniteCoarse(header: InterpolationHeader, bits: usize, row: u32): usize {
  let touched = touchedOf(bits, header.cols);
  const end = load<u32>(word(header.strongPtr, row), 4);
  for (let k = load<u32>(word(header.strongPtr, row)); k < end; k++) {
    const near = load<u32>(word(header.strongIdx, k));
    if (isCoarse(header, near)) {
      touched = add(bits, near, touched);
      continue;
    }
    const last = load<u32>(word(header.strongPtr, near), 4);
    for (let next = load<u32>(word(header.strongPtr, near)); next < last; next++) {
      const far = load<u32>(word(header.strongIdx, next));
      if (isCoarse(header, far)) touched = add(bits, far, touched);
    }
  }
  return touched;
}

@inline
function add(bits: usize, col: u32, touched: usize): usize {
  const offset = (<usize>(col >> 6)) << 3;
  const before = load<u64>(bits + offset);
  store<u64>(bits + offset, before | ((<u64>1) << (col & 63)));
  store<u32>(touched, <u32>offset);
  return touched + ((<usize>(before === 0)) << 2);
}

@inline
function has(bits: usize, col: u32): bool {
  return ((load<u64>(bits + ((<usize>(col >> 6)) << 3)) >> (col & 63)) & 1) !== 0;
}

/** Adds the numerators of the weights to the sums. @returns the divisor; 0 if there is none */
@inline
function distribute(header: InterpolationHeader, bits: usize, row: u32): f64 {
  const sums = sumsOf(bits, header.cols);
  let strong = load<u32>(word(header.strongPtr, row));
  const last = load<u32>(word(header.strongPtr, row), 4);
  const end = load<u32>(word(header.rowPtr, row), 4);
  let own: f64 = 0;
  let rest: f64 = 0;
  for (let k = load<u32>(word(header.rowPtr, row)); k < end; k++) {
    const col = load<u32>(word(header.colIdx, k));
    const value = load<f64>(wide(header.values, k));
    while (strong < last && load<u32>(word(header.strongIdx, strong)) < col) strong++;
    if (col === row) {
      own = value;
    } else if (has(bits, col)) {
      const sum = wide(sums, col);
      store<f64>(sum, load<f64>(sum) + value);
    } else if (load<u32>(word(header.coarse, col)) !== ALONE) {
      const isStrong = strong < last && load<u32>(word(header.strongIdx, strong)) === col;
      rest += isStrong ? share(header, bits, sums, row, col, value) : value;
    }
  }
  if (!(own > 0)) return 0;
  return own + rest >= LEAST_SHARE * own ? own + rest : own;
}

/** Distributes a_ik over the columns that row k has in common with C_i. @returns what is left to the diagonal */
@inline
function share(header: InterpolationHeader, bits: usize, sums: usize, row: u32, fine: u32, value: f64): f64 {
  const cols = colsOf(header, bits);
  const values = weightsOf(header, bits);
  const end = load<u32>(word(header.rowPtr, fine), 4);
  let count: u32 = 0;
  let total: f64 = 0;
  let back: f64 = 0;
  for (let k = load<u32>(word(header.rowPtr, fine)); k < end; k++) {
    const col = load<u32>(word(header.colIdx, k));
    const other = load<f64>(wide(header.values, k));
    // Written in any case, and kept if it counts: a branch would be a guess.
    store<u32>(word(cols, count), col);
    store<f64>(wide(values, count), other);
    const counts = <u32>(other < 0) & <u32>has(bits, col);
    count += counts;
    total += counts ? other : 0;
    if (col === row) back = min(other, 0);
  }
  total += back;
  if (total === 0) return value;
  const factor = value / total;
  for (let place: u32 = 0; place < count; place++) {
    const sum = wide(sums, load<u32>(word(cols, place)));
    store<f64>(sum, load<f64>(sum) + factor * load<f64>(wide(values, place)));
  }
  return factor * back;
}
