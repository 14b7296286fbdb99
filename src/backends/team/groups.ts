/**
 * The layout of a triangular solve in groups: up to four consecutive rows that have the same columns outside of the group, and all entries
 * within it, as the unknowns of a node have. Kernels: `assembly/slice-groups.ts`.
 *
 * Layout of a group of rows 2 and 3 with column 0 outside: one step with one column, then the three columns within the group; lanes
 * without a row repeat the first one
 *
 *     rowOf    2 3 2 2
 *     idx      0
 *     from     l₂₀ l₃₀ l₂₀ l₂₀   0 l₃₂ 0 0   0 0 0 0   0 0 0 0
 *
 * Cost: per step of a group 2 + 4 V bytes, so in groups of three rows as many per entry as slices of one row, and a third of the reads of w.
 */
import { type Lanes, NARROW, type SlicedTriangle, type Slices, type SlicesPattern } from './slices.js';
import type { Triangle } from './triangles.js';

/** Most rows of a group. */
const LANES = 4;
/** Columns within a group, of the values that follow its steps. */
const INNER = LANES - 1;

/** Groups of fewer rows on average are slower than slices of one row: four values are read where fewer are needed. */
const LEAST_ROWS = 2.5;

/** @returns undefined if too few rows have the columns of their neighbours */
export function groupTriangles(pattern: SlicesPattern): Slices | undefined {
  const { rows, lower, upper, turned } = pattern;
  const lanes = grouped(pattern, Math.floor(rows / LEAST_ROWS));
  if (lanes === undefined) return undefined;
  const { rowOf, laneOf } = lanes;
  return {
    ...{ kind: 'groups', lanes: LANES, ...lanes },
    lower: groupedTriangle(lower, rowOf, laneOf, [0, 1, 2]),
    upper: groupedTriangle(upper, rowOf, laneOf, [3, 2, 1], turned),
  };
}

/** @returns undefined if there are more than `most` groups */
function grouped({ rows, lower, upper, piecePtr, placed }: SlicesPattern, most: number): Lanes | undefined {
  const rowOf = new Uint32Array(LANES * most);
  const laneOf = new Uint32Array(rows);
  const [first, last] = [new Uint32Array(placed.length), new Uint32Array(placed.length)];
  let groups = 0;
  for (const piece of placed) {
    first[piece] = groups;
    const end = piecePtr[piece + 1]!;
    for (let begin = piecePtr[piece]!, row = begin; begin < end; begin = row) {
      for (row = begin + 1; row < end && row < begin + LANES && belongs(lower, upper, begin, row); ) row++;
      if (groups === most) return undefined;
      const lane = LANES * groups++;
      for (let k = 0; k < LANES; k++) rowOf[lane + k] = begin + k < row ? begin + k : begin;
      for (let k = begin; k < row; k++) laneOf[k] = lane + k - begin;
    }
    last[piece] = groups;
  }
  return { rowOf: rowOf.slice(0, LANES * groups), laneOf, first, last };
}

/** Whether a row has the columns of the first row of a group that ends before it, and those of the group. */
function belongs(lower: Triangle, upper: Triangle, first: number, row: number): boolean {
  const [begin, own] = [lower.ptr[first]!, lower.ptr[row]!];
  const before = lower.ptr[first + 1]! - begin;
  if (lower.ptr[row + 1]! - own !== before + row - first) return false;
  for (let k = 0; k < before; k++) if (lower.idx[begin + k] !== lower.idx[own + k]) return false;
  for (let k = before; k < before + row - first; k++) if (lower.idx[own + k] !== first + k - before) return false;
  let at = upper.ptr[row]!;
  const end = upper.ptr[row + 1]!;
  if (upper.ptr[first + 1]! - upper.ptr[first]! !== end - at + row - first) return false;
  for (let k = upper.ptr[first]!; k < upper.ptr[first + 1]!; k++)
    if (upper.idx[k]! > row && upper.idx[k] !== upper.idx[at++]) return false;
  return at === end;
}

/** @param inner the lanes within a group in the order in which they are solved, without the last one */
function groupedTriangle(
  triangle: Triangle,
  rowOf: Uint32Array,
  laneOf: Uint32Array,
  inner: readonly number[],
  turned?: Uint32Array,
): SlicedTriangle {
  const groups = rowOf.length / LANES;
  const { ptr, base, isNarrow } = measured(triangle, rowOf, laneOf);
  const idx = new (isNarrow ? Uint16Array : Uint32Array)(ptr[groups]!);
  const from = new Uint32Array(LANES * (ptr[groups]! + INNER * groups));
  const { ptr: rowPtr, idx: columns } = triangle;
  for (let group = 0; group < groups; group++) {
    const origin = isNarrow ? base[group]! : 0;
    for (let lane = 0; lane < LANES; lane++) {
      const row = rowOf[LANES * group + lane]!;
      let step = ptr[group]!;
      const values = INNER * LANES * group + lane;
      for (let k = rowPtr[row]!; k < rowPtr[row + 1]!; k++) {
        const entry = 1 + (turned === undefined ? k : turned[k]!);
        const column = laneOf[columns[k]!]!;
        const within = column - LANES * group;
        if (within >= 0 && within < LANES) {
          from[values + LANES * (ptr[group + 1]! + inner.indexOf(within))] = entry;
        } else {
          idx[step] = column - origin;
          from[values + LANES * step++] = entry;
        }
      }
    }
  }
  return { ptr, base, idx, from };
}

/** The steps of each group, and the columns that it reaches, all without those within it. */
function measured(
  { ptr: rowPtr, idx: columns }: Triangle,
  rowOf: Uint32Array,
  laneOf: Uint32Array,
): { ptr: Uint32Array; base: Uint32Array; isNarrow: boolean } {
  const groups = rowOf.length / LANES;
  const ptr = new Uint32Array(groups + 1);
  const base = new Uint32Array(groups);
  let isNarrow = true;
  for (let group = 0; group < groups; group++) {
    let steps = 0;
    let low = rowOf.length;
    let high = 0;
    const [first, end] = [LANES * group, LANES * (group + 1)];
    for (let lane = first; lane < end; lane++) {
      const row = rowOf[lane]!;
      let own = 0;
      for (let k = rowPtr[row]!, last = rowPtr[row + 1]!; k < last; k++) {
        const column = laneOf[columns[k]!]!;
        if (column >= first && column < end) continue;
        if (column < low) low = column;
        if (column > high) high = column;
        own++;
      }
      if (own > steps) steps = own;
    }
    ptr[group + 1] = ptr[group]! + steps;
    if (steps === 0) continue;
    base[group] = low;
    if (high - low >= NARROW) isNarrow = false;
  }
  return { ptr, base, isNarrow };
}
