/**
 * Rows and columns of a matrix: what is folded along them, and their scaling. Steps are run by `src/matrices/lines.ts`:
 *
 *     rows       rows     result[i] ← the fold of row i
 *     columns    parts    result of the part, for each column of its window ← the fold of its entries in the part (`windows.ts`)
 *     join       chunks   result[j] ← the results of the parts that reach column j, part after part
 *     diagonal   rows     result[i] ← entry (i, i)
 *     scale      rows     result[k] ← entry k times the factors of its row and its column
 *
 * The folds, from 0: Σ a, Σ |a|, max |a|, and Σ (a / g)², g the greatest |a| of the line. Parts do not depend on threads, nor do the bits.
 * Cost: 12 bytes per entry, by rows 8; by columns 16 more per column of a window.
 */
import { COLUMN_CHUNK, LineHeader } from '../../build/headers';
import { Operands } from '../operands';
import { wide, word } from '../word';
import { Window, windowOf } from './windows';

const SUM: u32 = 0;
const ABSOLUTE: u32 = 1;
const GREATEST: u32 = 2;

@inline
function valueAt<V>(header: LineHeader, k: u32): usize {
  return header.values + ((<usize>k) << alignof<V>());
}

export function lines_rows<V>(header: LineHeader, operands: Operands, begin: u32, end: u32): void {
  for (let row = begin; row < end; row++) store<f64>(wide(header.result, row), foldRow<V>(header, row));
}

function foldRow<V>(header: LineHeader, row: u32): f64 {
  const fold = header.fold;
  let at = valueAt<V>(header, load<u32>(word(header.rowPtr, row)));
  const last = valueAt<V>(header, load<u32>(word(header.rowPtr, row), 4));
  let sum: f64 = 0;
  if (fold === SUM) {
    for (; at < last; at += sizeof<V>()) sum += <f64>load<V>(at);
  } else if (fold === ABSOLUTE) {
    for (; at < last; at += sizeof<V>()) sum += abs<f64>(<f64>load<V>(at));
  } else if (fold === GREATEST) {
    for (; at < last; at += sizeof<V>()) sum = max<f64>(sum, abs<f64>(<f64>load<V>(at)));
  } else {
    const unit = unitOf(load<f64>(wide(header.byRow, row)));
    for (; at < last; at += sizeof<V>()) sum += square(<f64>load<V>(at) / unit);
  }
  return sum;
}

@inline
function unitOf(greatest: f64): f64 {
  return greatest === 0 ? 1 : greatest;
}

@inline
function square(value: f64): f64 {
  return value * value;
}

export function lines_columns<V>(header: LineHeader, operands: Operands, begin: u32, end: u32): void {
  for (let part = begin; part < end; part++) foldPart<V>(header, part);
}

@inline
function foldPart<V>(header: LineHeader, part: u32): void {
  const window = windowOf(header, part);
  const first = wide(window.places, window.first);
  memory.fill(first, 0, wide(window.places, window.end) - first);
  const begin = load<u32>(word(header.rowPtr, load<u32>(word(header.partPtr, part))));
  const end = load<u32>(word(header.rowPtr, load<u32>(word(header.partPtr, part), 4)));
  foldEntries<V>(header, window, begin, end);
}

/** Entries of a call; more are halved, as the rows in `windows.ts`. */
const SLICE: u32 = 16384;

function foldEntries<V>(header: LineHeader, window: Window, begin: u32, end: u32): void {
  if (end - begin > SLICE) {
    const middle = begin + ((end - begin) >> 1);
    foldEntries<V>(header, window, begin, middle);
    foldEntries<V>(header, window, middle, end);
    return;
  }
  const fold = header.fold;
  const sums = window.places;
  const units = header.byColumn;
  let value = valueAt<V>(header, begin);
  let col = word(header.colIdx, begin);
  const last = word(header.colIdx, end);
  for (; col < last; col += 4) {
    const place = (<usize>load<u32>(col)) << 3;
    const term = <f64>load<V>(value);
    const sum = load<f64>(sums + place);
    if (fold === SUM) store<f64>(sums + place, sum + term);
    else if (fold === ABSOLUTE) store<f64>(sums + place, sum + abs<f64>(term));
    else if (fold === GREATEST) store<f64>(sums + place, max<f64>(sum, abs<f64>(term)));
    else store<f64>(sums + place, sum + square(term / unitOf(load<f64>(units + place))));
    value += sizeof<V>();
  }
}

export function lines_join(header: LineHeader, operands: Operands, begin: u32, end: u32): void {
  for (let chunk = begin; chunk < end; chunk++) {
    const first = chunk * COLUMN_CHUNK;
    const last = min(first + COLUMN_CHUNK, header.cols);
    memory.fill(wide(header.result, first), 0, (<usize>(last - first)) << 3);
    for (let part: u32 = 0; part < header.parts; part++) {
      const window = windowOf(header, part);
      if (first >= window.first && first < window.end) joinPart(header, window.places, first, last);
    }
  }
}

@inline
function joinPart(header: LineHeader, places: usize, first: u32, last: u32): void {
  const isMost = header.fold === GREATEST;
  for (let col = first; col < last; col++) {
    const at = wide(header.result, col);
    const term = load<f64>(wide(places, col));
    store<f64>(at, isMost ? max<f64>(load<f64>(at), term) : load<f64>(at) + term);
  }
}

/** The row's columns are in order. */
export function lines_diagonal<V>(header: LineHeader, operands: Operands, begin: u32, end: u32): void {
  for (let row = begin; row < end; row++) store<f64>(wide(header.result, row), diagonalOf<V>(header, row));
}

function diagonalOf<V>(header: LineHeader, row: u32): f64 {
  let low = load<u32>(word(header.rowPtr, row));
  const end = load<u32>(word(header.rowPtr, row), 4);
  for (let high = end; low < high; ) {
    const middle = low + ((high - low) >> 1);
    if (load<u32>(word(header.colIdx, middle)) < row) low = middle + 1;
    else high = middle;
  }
  return low < end && load<u32>(word(header.colIdx, low)) === row ? <f64>load<V>(valueAt<V>(header, low)) : 0;
}

export function lines_scale<V>(header: LineHeader, operands: Operands, begin: u32, end: u32): void {
  for (let row = begin; row < end; row++) scaleRow<V>(header, row);
}

function scaleRow<V>(header: LineHeader, row: u32): void {
  const byColumn = header.byColumn;
  const factor = header.byRow === 0 ? 1 : load<f64>(wide(header.byRow, row));
  let k = load<u32>(word(header.rowPtr, row));
  const end = load<u32>(word(header.rowPtr, row), 4);
  for (; k < end; k++) {
    const times = byColumn === 0 ? factor : factor * load<f64>(wide(byColumn, load<u32>(word(header.colIdx, k))));
    store<f64>(wide(header.result, k), <f64>load<V>(valueAt<V>(header, k)) * times);
  }
}
