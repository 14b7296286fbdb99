/**
 * Triangles in groups: the layout that `slice-groups.ts` solves with, defined in `src/preconditioners/triangular/groups.ts`. Units: pieces. `slices_place`
 * comes between the two steps.
 *
 *     find     the rows of the lanes of each group
 *     fill     one triangle: columns outside of the groups as lanes, and the entry of each value
 */
import { FillHeader, FindHeader, SLICE_LANES } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { entryOf, firstStepOf, laneOfEntry, originAt, originOf } from './slice-layout';

const INNER: u32 = SLICE_LANES - 1;

/** Rows or groups of a call: V8 replaces its baseline code only between two calls of a function. */
const SLAB: u32 = 512;

export function groups_find(header: FindHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) {
    const last = load<u32>(word(header.piecePtr, piece), 4);
    store<u32>(word(header.groups, piece), 0);
    for (let row = load<u32>(word(header.piecePtr, piece)); row < last; ) row = findGroups(header, piece, row, last);
  }
}

/** Some groups from a row on. Returns the row after them. */
function findGroups(header: FindHeader, piece: u32, begin: u32, end: u32): u32 {
  const lanes = word(header.rowOf, SLICE_LANES * load<u32>(word(header.piecePtr, piece)));
  let group = load<u32>(word(header.groups, piece));
  const stop = min(begin + SLAB, end);
  let row = begin;
  for (let first = begin; first < stop; first = row) {
    for (row = first + 1; row < end && row < first + SLICE_LANES && belongs(header, first, row); ) row++;
    for (let k: u32 = 0; k < SLICE_LANES; k++) store<u32>(word(lanes, SLICE_LANES * group + k), first + k < row ? first + k : first);
    if (group++ === header.most) {
      row = end;
      break;
    }
  }
  store<u32>(word(header.groups, piece), group);
  return row;
}

/** Whether a row has the columns of the first row of a group that ends before it, and those of the group. */
function belongs(header: FindHeader, first: u32, row: u32): bool {
  const inside = row - first;
  const begin = load<u32>(word(header.lowerPtr, first));
  const own = load<u32>(word(header.lowerPtr, row));
  const before = load<u32>(word(header.lowerPtr, first), 4) - begin;
  if (load<u32>(word(header.lowerPtr, row), 4) - own !== before + inside) return false;
  const upper = load<u32>(word(header.upperPtr, first));
  const upperEnd = load<u32>(word(header.upperPtr, first), 4);
  let at = load<u32>(word(header.upperPtr, row));
  const end = load<u32>(word(header.upperPtr, row), 4);
  if (upperEnd - upper !== end - at + inside) return false;
  for (let k: u32 = 0; k < before; k++)
    if (load<u32>(word(header.lowerIdx, begin + k)) !== load<u32>(word(header.lowerIdx, own + k))) return false;
  for (let k: u32 = 0; k < inside; k++) if (load<u32>(word(header.lowerIdx, own + before + k)) !== first + k) return false;
  for (let k = upper; k < upperEnd; k++) {
    const column = load<u32>(word(header.upperIdx, k));
    if (column <= row) continue;
    if (at === end || column !== load<u32>(word(header.upperIdx, at))) return false;
    at++;
  }
  return at === end;
}

export function groups_fill<I>(header: FillHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) fill<I>(header, piece);
}

@inline
function fill<I>(header: FillHeader, piece: u32): void {
  const last = load<u32>(word(header.last, piece));
  for (let group = load<u32>(word(header.first, piece)); group < last; group += SLAB) {
    if (sizeof<I>() === 2 && atomic.load<u32>(header.isWide) !== 0) return;
    fillGroups<I>(header, group, min(group + SLAB, last));
  }
}

function fillGroups<I>(header: FillHeader, begin: u32, end: u32): void {
  for (let group = begin; group < end; group++) {
    const steps = load<u32>(word(header.ptr, group), 4) - load<u32>(word(header.ptr, group));
    const first = firstStepOf(header, group);
    const before = INNER * (header.isUpper !== 0 ? header.slices - 1 - group : group);
    const rows = word(header.rowOf, SLICE_LANES * group);
    const row = load<u32>(rows);
    let low: u32 = 0xffff_ffff;
    let high: u32 = 0;
    // All rows have the columns of the first one outside of the group.
    for (let k = load<u32>(word(header.rowPtr, row)), last = load<u32>(word(header.rowPtr, row), 4); k < last; k++) {
      const column = laneOfEntry(header, k);
      if (column - SLICE_LANES * group < SLICE_LANES) continue;
      low = min(low, column);
      high = max(high, column);
    }
    const origin = steps === 0 ? originAt<I>(header, group, 0, 0) : originAt<I>(header, group, low, high);
    const from = word(header.from, SLICE_LANES * (first + before));
    const inner = word(header.from, SLICE_LANES * (first + steps + before));
    memory.fill(inner, 0, 4 * SLICE_LANES * INNER);
    for (let lane: u32 = 0; lane < SLICE_LANES; lane++)
      fillLane<I>(header, load<u32>(word(rows, lane)), group, lane, origin, first, from, inner);
  }
}

@inline
function fillLane<I>(header: FillHeader, row: u32, group: u32, lane: u32, origin: u32, step: u32, from: usize, inner: usize): void {
  let idx = header.idx + ((<usize>step) << alignof<I>());
  let to = word(from, lane);
  const begin = load<u32>(word(header.rowPtr, row));
  const end = load<u32>(word(header.rowPtr, row), 4);
  for (let e: u32 = 0; e < end - begin; e++) {
    const k = entryOf(header, begin, end, e);
    const column = laneOfEntry(header, k);
    const within = column - SLICE_LANES * group;
    if (within < SLICE_LANES) {
      // Lanes within a group in the order in which they are solved.
      const place = header.isUpper !== 0 ? SLICE_LANES - 1 - within : within;
      store<u32>(word(inner, SLICE_LANES * place + lane), originOf(header, k));
    } else {
      store<I>(idx, <I>(column - origin));
      store<u32>(to, originOf(header, k));
      idx += sizeof<I>();
      to += 4 * SLICE_LANES;
    }
  }
}
