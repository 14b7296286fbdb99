/**
 * Triangles in slices: the layout that `slices.ts` and `slice-rows.ts` solve with, defined in `src/preconditioners/triangular/slices.ts`, and what it has in
 * common with that of groups (`group-layout.ts`). Units: pieces.
 *
 *     place    the rows of the lanes, the lanes of the rows; ptr[slice + 1] ← steps of the slices of the piece up to this one
 *     fill     one triangle: columns as lanes, and the entry of each place
 */
import { FillHeader, PlaceHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** Slices of a call: V8 replaces its baseline code only between two calls of a function. */
const SLAB: u32 = 512;

export function slices_place(header: PlaceHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) {
    const last = load<u32>(word(header.last, piece));
    for (let slice = load<u32>(word(header.first, piece)); slice < last; slice += SLAB)
      placeSlices(header, piece, slice, min(slice + SLAB, last));
  }
}

@inline
function lengthOf(ptr: usize, row: u32): u32 {
  return load<u32>(word(ptr, row), 4) - load<u32>(word(ptr, row));
}

function placeSlices(header: PlaceHeader, piece: u32, begin: u32, end: u32): void {
  const lanes = header.lanes;
  const isGrouped = header.isGrouped !== 0;
  const first = load<u32>(word(header.first, piece));
  const firstRow = load<u32>(word(header.piecePtr, piece));
  const scheduled = word(header.scheduled, 4 * firstRow);
  let lower: u32 = begin === first ? 0 : load<u32>(word(header.lowerPtr, begin));
  let upper: u32 = begin === first ? 0 : load<u32>(word(header.upperPtr, begin));
  for (let slice = begin; slice < end; slice++) {
    let lowerSteps: u32 = isGrouped ? 0xffff_ffff : 0;
    let upperSteps: u32 = lowerSteps;
    // Descending: the first lane of a row that is repeated is the last one written.
    for (let k = lanes; k-- > 0; ) {
      const lane = lanes * slice + k;
      const own = lanes * (slice - first) + k;
      const row = header.scheduled === 0 ? firstRow + own : load<u32>(word(scheduled, own));
      store<u32>(word(header.rowOf, lane), row);
      store<u32>(word(header.elementOf, lane), header.order === 0 ? row : load<u32>(word(header.order, row)));
      store<u32>(word(header.laneOf, row), lane);
      const lowerLength = lengthOf(header.lowerRows, row);
      const upperLength = lengthOf(header.upperRows, row);
      // The first row of a group has no entries of L within it, the last one none of U.
      lowerSteps = isGrouped ? min(lowerSteps, lowerLength) : max(lowerSteps, lowerLength);
      upperSteps = isGrouped ? min(upperSteps, upperLength) : max(upperSteps, upperLength);
    }
    lower += lowerSteps;
    upper += upperSteps;
    store<u32>(word(header.lowerPtr, slice), lower, 4);
    store<u32>(word(header.upperPtr, slice), upper, 4);
  }
}

export function slices_fill<I>(header: FillHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) fill<I>(header, piece);
}

@inline
function fill<I>(header: FillHeader, piece: u32): void {
  const last = load<u32>(word(header.last, piece));
  for (let slice = load<u32>(word(header.first, piece)); slice < last; slice += SLAB) {
    if (sizeof<I>() === 2 && atomic.load<u32>(header.isWide) !== 0) return;
    fillSlices<I>(header, slice, min(slice + SLAB, last));
  }
}

/** The lane of the column of an entry. */
@inline
export function laneOfEntry(header: FillHeader, entry: u32): u32 {
  return load<u32>(word(header.laneOf, load<u32>(word(header.columns, entry))));
}

/** 1 + the entry of the factor; 0 stands for padding. */
@inline
export function originOf(header: FillHeader, entry: u32): u32 {
  return 1 + (header.turned === 0 ? entry : load<u32>(word(header.turned, entry)));
}

/** The lane from which the columns of a slice count, whose lanes are from `low` to `high`. */
@inline
export function originAt<I>(header: FillHeader, slice: u32, low: u32, high: u32): u32 {
  store<u32>(word(header.base, slice), low);
  if (sizeof<I>() === 4) return 0;
  if (high - low > <u32>u16.MAX_VALUE) atomic.store<u32>(header.isWide, 1);
  return low;
}

/** The place in memory of the first step of a slice. */
@inline
export function firstStepOf(header: FillHeader, slice: u32): u32 {
  return header.isUpper !== 0 ? header.steps - load<u32>(word(header.ptr, slice), 4) : load<u32>(word(header.ptr, slice));
}

/** Entry e of a row, of those from `begin` to `end`. Columns next to the diagonal, whose elements are solved last, come last. */
@inline
export function entryOf(header: FillHeader, begin: u32, end: u32, e: u32): u32 {
  return header.isUpper !== 0 ? end - 1 - e : begin + e;
}

function fillSlices<I>(header: FillHeader, begin: u32, end: u32): void {
  const lanes = header.lanes;
  for (let slice = begin; slice < end; slice++) {
    const steps = load<u32>(word(header.ptr, slice), 4) - load<u32>(word(header.ptr, slice));
    const first = lanes * firstStepOf(header, slice);
    const after = first + lanes * steps;
    if (steps === 0) {
      store<u32>(word(header.base, slice), 0);
      continue;
    }
    const rows = word(header.rowOf, lanes * slice);
    let low: u32 = 0xffff_ffff;
    let high: u32 = 0;
    for (let lane: u32 = 0; lane < lanes; lane++) {
      const row = load<u32>(word(rows, lane));
      for (let k = load<u32>(word(header.rowPtr, row)), last = load<u32>(word(header.rowPtr, row), 4); k < last; k++) {
        const column = laneOfEntry(header, k);
        low = min(low, column);
        high = max(high, column);
      }
    }
    const origin = originAt<I>(header, slice, low, high);
    for (let lane: u32 = 0; lane < lanes; lane++) {
      const row = load<u32>(word(rows, lane));
      let at = first + lane;
      const firstEntry = load<u32>(word(header.rowPtr, row));
      const lastEntry = load<u32>(word(header.rowPtr, row), 4);
      for (let e: u32 = 0; e < lastEntry - firstEntry; e++, at += lanes) {
        const k = entryOf(header, firstEntry, lastEntry, e);
        store<I>(header.idx + ((<usize>at) << alignof<I>()), <I>(laneOfEntry(header, k) - origin));
        store<u32>(word(header.from, at), originOf(header, k));
      }
      // Padding multiplies an element that is known by then by 0.
      for (; at < after; at += lanes) {
        store<I>(header.idx + ((<usize>at) << alignof<I>()), <I>(low - origin));
        store<u32>(word(header.from, at), 0);
      }
    }
  }
}
