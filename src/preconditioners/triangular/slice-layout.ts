/** Triangles in slices or groups of rows, from the lanes of the rows. Kernels: `assembly/triangular/slice-layout.ts`, `assembly/triangular/group-layout.ts`. */

import type { TeamContext } from '../../backends/team/backend.js';
import type { SliceKind } from '../../kernels/abi.js';
import type { HeapScope } from '../../memory/heap.js';
import { addUp, pieceSpan, runOver } from '../over-pieces.js';
import type { Triangle } from './triangles.js';

export const PLACE_HEADER = {
  /** Of a slice: 4 or 1. */
  lanes: 'u32',
  /** 1 for groups: a step is a column outside of the group, which all rows have. */
  isGrouped: 'u32',
  /** u32, pieces + 1: the first row of each. */
  piecePtr: 'usize',
  /** u32, pieces: the first slice of each, and the one after its last. */
  first: 'usize',
  last: 'usize',
  /** u32: by piece, from lane 4 piecePtr on, the rows of its lanes; 0: rows in order. */
  scheduled: 'usize',
  /** u32, rows: the element of x of each row; 0: its number. */
  order: 'usize',
  /** u32, rows + 1. */
  lowerRows: 'usize',
  upperRows: 'usize',
  /** u32, lanes: row, element of x; u32, rows: the first lane of each. */
  rowOf: 'usize',
  elementOf: 'usize',
  laneOf: 'usize',
  /** u32, slices + 1. */
  lowerPtr: 'usize',
  upperPtr: 'usize',
} as const;

export const FILL_HEADER = {
  lanes: 'u32',
  first: 'usize',
  last: 'usize',
  rowOf: 'usize',
  laneOf: 'usize',
  /** The triangle: u32, rows + 1; u32, entries. */
  rowPtr: 'usize',
  columns: 'usize',
  /** u32, entries: the entry of the factor of each; 0: its own number. */
  turned: 'usize',
  /** 1 for U, whose slices are in memory in the order of the backward pass: the last one first. */
  isUpper: 'u32',
  /** Of the triangle; steps as in `ptr`. */
  slices: 'u32',
  steps: 'u32',
  /** u32, slices + 1; u32, slices. */
  ptr: 'usize',
  base: 'usize',
  idx: 'usize',
  from: 'usize',
  /** u32: set if 16 bits are too few for a column. */
  isWide: 'usize',
} as const;

/** A slice of several rows has so many, and a group has at most so many. Kernels know it. */
export const SLICE_LANES = 4;

/** Lanes of a slice. */
const LANES = { slices: SLICE_LANES, groups: SLICE_LANES, rows: 1 } as const satisfies Record<SliceKind, number>;

/** Columns within a group, of the values that follow its steps. */
const INNER: number = SLICE_LANES - 1;

/** Consecutive rows, which are solved one slice after the other. Triangles are in the heap. */
export interface SlicesPattern {
  readonly rows: number;
  /** In the heap: the element of x and y of each row; undefined: its number. */
  readonly order?: Uint32Array | undefined;
  /** Rows of L: columns before the row. */
  readonly lower: Triangle;
  /** Rows of U: columns after the row. */
  readonly upper: Triangle;
  /** The entry of L of each entry of U, if U = Lᵀ. In the heap. */
  readonly turned: Uint32Array | undefined;
  /** pieces + 1: the first row of each piece. */
  readonly piecePtr: Uint32Array;
  /** The pieces in the order of the memory. */
  readonly placed: Uint32Array;
}

/** Where rows are. */
export interface SliceLanes {
  readonly kind: SliceKind;
  /** By piece, from four times its first row on: the rows of its lanes; undefined: its rows in order. In the heap. */
  readonly scheduled: Uint32Array | undefined;
  /** By piece: the number of its slices. */
  readonly slices: Uint32Array;
}

/** A triangle in slices; those of U from the last one on, as the backward pass reads them. */
export interface SlicedTriangle {
  readonly ptr: Uint32Array;
  readonly base: Uint32Array;
  /** Of one type for both triangles. */
  readonly idx: Uint16Array | Uint32Array;
  readonly from: Uint32Array;
}

/** In the heap. */
export interface Slices {
  /** `slices` of four rows; of one; or of up to four with one list of columns (`groups.ts`). */
  readonly kind: SliceKind;
  /** Lanes of a slice: 4 or 1. */
  readonly lanes: number;
  /** Of each lane: its row, and the element of x and y. */
  readonly rowOf: Uint32Array;
  readonly elementOf: Uint32Array;
  /** By piece: its first slice, and the one after its last. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly lower: SlicedTriangle;
  readonly upper: SlicedTriangle;
}

/** The layout of both triangles, in `scope`. @throws SparlaneError `heap` if it does not fit */
export function layOut(
  context: TeamContext,
  scope: HeapScope,
  pattern: SlicesPattern,
  { kind, scheduled, slices }: SliceLanes,
): Slices {
  const { rows, order, lower, upper, turned, piecePtr, placed } = pattern;
  using work = context.heap.scope();
  const lanes = LANES[kind];
  const words = (length: number) => scope.array(Uint32Array, length);
  const units = { first: words(placed.length), last: words(placed.length), placed };
  let count = 0;
  for (const piece of placed) {
    units.first[piece] = count;
    count += slices[piece]!;
    units.last[piece] = count;
  }
  const rowOf = words(lanes * count);
  const always = {
    ...{ lanes, first: units.first, last: units.last, rowOf },
    laneOf: work.array(Uint32Array, rows),
  };
  const elementOf = order === undefined ? rowOf : words(lanes * count);
  const [lowerPtr, upperPtr] = [words(count + 1), words(count + 1)];
  const span = pieceSpan(piecePtr, lower.idx.length + upper.idx.length + rows);
  const where = {
    ...{ isGrouped: Number(kind === 'groups'), piecePtr: work.copy(Uint32Array, piecePtr), scheduled, order },
    ...{ lowerRows: lower.ptr, upperRows: upper.ptr, elementOf, lowerPtr, upperPtr },
  };
  runOver(context, { kernel: 'slices_place', layout: PLACE_HEADER, words: { ...always, ...where } }, span);
  const isWide = work.array(Uint32Array, 1).fill(0);
  const triangles = [
    { triangle: lower, turned: undefined, isUpper: 0, ...roomFor(kind, lowerPtr, addUp(context, lowerPtr, units)) },
    { triangle: upper, turned, isUpper: 1, ...roomFor(kind, upperPtr, addUp(context, upperPtr, units)) },
  ].map(({ values, ...one }) => ({ ...one, base: words(count), from: words(values) }));
  /** Columns of one width. */
  const filled = (type: typeof Uint16Array | typeof Uint32Array): SlicedTriangle[] => {
    using columns = context.heap.scope();
    const base = kind === 'groups' ? 'groups' : 'slices';
    const kernel = `${base}${type === Uint16Array ? '16' : ''}_fill`;
    const all = triangles.map(({ triangle: { ptr: rowPtr, idx }, columns: length, ...one }) => {
      const result = { ...one, idx: columns.array<Uint16Array | Uint32Array>(type, length) };
      const of = { slices: count, steps: one.ptr[count]! };
      const header = { ...always, ...result, ...of, rowPtr, columns: idx, isWide };
      runOver(context, { kernel, layout: FILL_HEADER, words: header }, span);
      return result;
    });
    if (type === Uint16Array && isWide[0] !== 0) return filled(Uint32Array);
    for (const { idx } of all) scope.share(idx);
    return all;
  };
  const [first, second] = filled(Uint16Array) as [SlicedTriangle, SlicedTriangle];
  return { kind, lanes, rowOf, elementOf, first: units.first, last: units.last, lower: first, upper: second };
}

/** Numbers of columns and of values. @param steps of all slices */
function roomFor(kind: SliceKind, ptr: Uint32Array, steps: number) {
  if (kind !== 'groups') return { ptr, columns: LANES[kind] * steps, values: LANES[kind] * steps };
  return { ptr, columns: steps, values: LANES.groups * (steps + INNER * (ptr.length - 1)) };
}
