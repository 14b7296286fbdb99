/**
 * The layout of a triangular solve in slices of four rows. Rows that do not need each other are lanes of vector registers; a slice comes
 * after the slices that its rows need. Kernels: `assembly/triangular/slice-lanes.ts`, `assembly/triangular/slice-rows.ts`.
 *
 * Source: Kahn, "Topological sorting of large networks", 1962: rows become ready when what they need is done. Of those that are ready the
 *   first come next, in batches that are sorted by length, as in SELL-C-σ (Kreutzer et al. 2014).
 *
 * Layout of (I + L) of 5 rows, in which row 4 needs rows 0 and 3: two slices, the second one with three lanes that repeat its row
 *
 *     rowOf       0 1 2 3   4 4 4 4
 *     ptr         0 0 2                      steps of four entries
 *     idx         0 0 0 0   3 3 3 3          lanes; from `base` on if they fit into 16 bits
 *     from        1 1 1 1   2 2 2 2          1 + the entry; 0: padding
 *
 * Cost: per step of a slice 4 (2 + V) bytes; 24 per slice and triangle for pointers and `order`.
 */

import type { TeamContext } from '../../backends/team/backend.js';
import { sum } from '../../core/sum.js';
import { transposeOnTeam } from '../../matrices/transposition.js';
import type { HeapScope } from '../../memory/heap.js';
import { runShares, sharesOf } from '../over-pieces.js';
import { layOut, SLICE_LANES, type SliceLanes, type Slices, type SlicesPattern } from './slice-layout.js';
import type { Triangle } from './triangles.js';

export const SCHEDULE_HEADER = {
  /** u32, pieces + 1. */
  piecePtr: 'usize',
  pieces: 'u32',
  /** u32: the next piece that is not taken. */
  next: 'usize',
  /** L and U: u32, rows + 1. */
  lowerPtr: 'usize',
  upperPtr: 'usize',
  /** U: u32, entries. */
  upperIdx: 'usize',
  /** The pattern of Lᵀ; 0: U = Lᵀ. */
  turnedPtr: 'usize',
  turnedIdx: 'usize',
  /** u32, rows: the rows that each row waits for. */
  waits: 'usize',
  /** u32, 4 rows: by piece the rows of the lanes. */
  rowOf: 'usize',
  /** u32, pieces. */
  slices: 'usize',
  /** Rooms of `roomBytes` bytes, one for each share. */
  rooms: 'usize',
  roomBytes: 'usize',
  /** Rows that are sorted together, a multiple of 4. */
  batch: 'u32',
} as const;

/**
 * Where the rows of L are as long on average, or so many lanes have no row of their own, slices have one row, whose entries are added in
 * lanes: elements of w that neighbours share are then read one after the other.
 */
const LONG_ROWS = 8;
const MOST_LANES = 1.5;

/**
 * Rows that are sorted together. Where rows are equally long the first four that are ready are the next slice: on a grid those of four
 * lines, each one step behind the line before, so that the elements of x that follow each other are in four lines of the cache. Otherwise
 * many, and padding is little. A solve of the 7-point matrix on 100³ takes 6.2 ms, with 8 rows 8.1, with 16 8.6, with 32 14, and with all
 * rows that are ready, a plane across the grid, 12; of a mesh of 198 k nodes in reverse Cuthill–McKee
 * order 1.9 ms with 64 rows, 2.5 with 256, 2.7 with 1024 and 3.0 with 8192, and on two threads 1.1, 1.4, 1.6 and 1.5, in a noisy run; in a quiet
 * one 64 was the best too, or by up to 5 % the second (threads of an AMD EPYC at 2 cores, 22 November 2026).
 */
const EVEN_BATCH = 4;
const UNEVEN_BATCH = 64;

/** Rows are equally long if L has this share of the entries that it would have with rows as long as its longest. */
const EVEN_SHARE = 0.75;

/** As in the kernel: three lists of a batch, and 256 counts; the words before the bits of `assembly/triangular/first-rows.ts`. */
const COUNTS = 256;
const SET_BYTES = 32;

/** Where the rows of L are not long: in slices of four rows; otherwise, or if that leaves too many lanes empty, of one. In `scope`. */
export function sliceTriangles(context: TeamContext, scope: HeapScope, pattern: SlicesPattern): Slices {
  const { rows, lower, piecePtr } = pattern;
  using work = context.heap.scope();
  const four = lower.idx.length < LONG_ROWS * rows ? scheduled(context, work, pattern) : undefined;
  if (four !== undefined && SLICE_LANES * sum(four.slices) <= MOST_LANES * rows)
    return layOut(context, scope, pattern, four);
  const slices = piecePtr.subarray(1).map((end, piece) => end - piecePtr[piece]!);
  return layOut(context, scope, pattern, { kind: 'rows', scheduled: undefined, slices });
}

/** In slices of four rows. */
function scheduled(context: TeamContext, work: HeapScope, pattern: SlicesPattern): SliceLanes {
  const { rows, lower, upper, turned, piecePtr } = pattern;
  const pieces = piecePtr.length - 1;
  const shares = sharesOf(context, lower.idx.length + upper.idx.length + rows, pieces);
  const batch = isEven(rows, lower) ? EVEN_BATCH : UNEVEN_BATCH;
  const bytes = roomBytes(piecePtr, batch);
  const rowOf = work.array(Uint32Array, SLICE_LANES * rows);
  const slices = work.array(Uint32Array, pieces);
  // In the backward pass row i needs the columns of U, so these must come later in the forward pass too.
  const transposed = turned === undefined ? transposedPattern(context, work, rows, lower) : undefined;
  const words = {
    ...{ piecePtr: work.copy(Uint32Array, piecePtr), pieces, next: work.array(Uint32Array, 1).fill(0) },
    ...{ lowerPtr: lower.ptr, upperPtr: upper.ptr, upperIdx: upper.idx },
    ...{ turnedPtr: transposed?.ptr, turnedIdx: transposed?.idx },
    ...{ waits: work.array(Uint32Array, rows), rowOf, slices },
    ...{ rooms: work.alloc(bytes * shares), roomBytes: bytes, batch },
  };
  runShares(context, { kernel: 'slices_schedule', layout: SCHEDULE_HEADER, words }, shares);
  return { kind: 'slices', scheduled: rowOf, slices };
}

function isEven(rows: number, { ptr, idx }: Triangle): boolean {
  let longest = 0;
  for (let row = 0; row < rows; row++) longest = Math.max(longest, ptr[row + 1]! - ptr[row]!);
  return idx.length >= EVEN_SHARE * longest * rows;
}

/** The sort, and of the longest piece: a bit for each row, for each word of bits and for each word of these, in whole words. */
function roomBytes(piecePtr: Uint32Array, batch: number): number {
  const longest = piecePtr.reduce((most, end, k) => Math.max(most, end - piecePtr[Math.max(k - 1, 0)]!), 0);
  const words = Math.floor(longest / 64) + 1;
  const groups = Math.floor(words / 64) + 1;
  return 4 * (3 * batch + COUNTS) + SET_BYTES + 8 * (words + groups + Math.floor(groups / 64) + 1);
}

/** The rows of Tᵀ. */
function transposedPattern(context: TeamContext, work: HeapScope, rows: number, { ptr, idx }: Triangle): Triangle {
  // Of the pattern alone, so any numbers are moved.
  const values = new Float32Array(idx.buffer, idx.byteOffset, idx.length);
  const matrix = { rows, cols: rows, nnz: idx.length, rowPtr: ptr, colIdx: idx, values };
  const { rowPtr, colIdx } = transposeOnTeam(context, work, matrix);
  return { ptr: rowPtr, idx: colIdx };
}
