/**
 * The layout of a triangular solve in slices of four rows. Rows that do not need each other are lanes of vector registers; a slice comes
 * after the slices that its rows need. Kernels: `assembly/slice-lanes.ts`, `assembly/slice-rows.ts`.
 *
 * Source: Kahn, "Topological sorting of large networks", 1962: rows become ready when what they need is done. Rows that are ready together
 *   are sorted by length, as in SELL-C-σ (Kreutzer et al. 2014).
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
import type { HeapScope } from '../../memory/heap.js';
import type { TeamContext } from './backend.js';
import { runShares, sharesOf } from './over-pieces.js';
import { type Lanes, layOut, type Slices, type SlicesPattern } from './slice-layout.js';
import { transposeOnTeam } from './transposition.js';
import type { Triangle } from './triangles.js';

export const SCHEDULE_HEADER = [
  'piecePtr',
  'pieces',
  'next',
  'lowerPtr',
  'upperPtr',
  'upperIdx',
  'turnedPtr',
  'turnedIdx',
  'waits',
  'ready',
  'rowOf',
  'slices',
  'rooms',
] as const;

/** Rows of a slice. */
const LANES = 4;

/**
 * Where the rows of L are as long on average, or so many lanes have no row of their own, slices have one row, whose entries are added in
 * lanes: elements of w that neighbours share are then read one after the other.
 */
const LONG_ROWS = 8;
const MOST_LANES = 1.5;

/** As in the kernel: rows and lengths of 1024 rows, and 256 counts. */
const ROOM_BYTES = 4 * (2 * 1024 + 256);

/** Where the rows of L are not long: in slices of four rows; otherwise, or if that leaves too many lanes empty, of one. In `scope`. */
export function sliceTriangles(context: TeamContext, scope: HeapScope, pattern: SlicesPattern): Slices {
  const { rows, lower, piecePtr } = pattern;
  using work = context.heap.scope();
  const four = lower.idx.length < LONG_ROWS * rows ? scheduled(context, work, pattern) : undefined;
  if (four !== undefined && LANES * sum(four.slices) <= MOST_LANES * rows) return layOut(context, scope, pattern, four);
  const slices = piecePtr.subarray(1).map((end, piece) => end - piecePtr[piece]!);
  return layOut(context, scope, pattern, { kind: 'rows', scheduled: undefined, slices });
}

function sum(numbers: Uint32Array): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** In slices of four rows. */
function scheduled(context: TeamContext, work: HeapScope, pattern: SlicesPattern): Lanes {
  const { rows, lower, upper, turned, piecePtr } = pattern;
  const pieces = piecePtr.length - 1;
  const shares = sharesOf(context, lower.idx.length + upper.idx.length + rows, pieces);
  const rowOf = work.array(Uint32Array, LANES * rows);
  const slices = work.array(Uint32Array, pieces);
  // In the backward pass row i needs the columns of U, so these must come later in the forward pass too.
  const transposed = turned === undefined ? transposedPattern(context, work, rows, lower) : undefined;
  const words = {
    ...{ piecePtr: work.copy(Uint32Array, piecePtr), pieces, next: work.array(Uint32Array, 1).fill(0) },
    ...{ lowerPtr: lower.ptr, upperPtr: upper.ptr, upperIdx: upper.idx },
    ...{ turnedPtr: transposed?.ptr, turnedIdx: transposed?.idx },
    ...{ waits: work.array(Uint32Array, rows), ready: work.array(Uint32Array, rows), rowOf, slices },
    rooms: work.alloc(ROOM_BYTES * shares),
  };
  runShares(context, { kernel: 'slices_schedule', layout: SCHEDULE_HEADER, words }, shares);
  return { kind: 'slices', scheduled: rowOf, slices };
}

/** The rows of Tᵀ. */
function transposedPattern(context: TeamContext, work: HeapScope, rows: number, { ptr, idx }: Triangle): Triangle {
  // Of the pattern alone, so any numbers are moved.
  const values = new Float32Array(idx.buffer, idx.byteOffset, idx.length);
  const matrix = { rows, cols: rows, nnz: idx.length, rowPtr: ptr, colIdx: idx, values };
  const { rowPtr, colIdx } = transposeOnTeam(context, work, matrix);
  return { ptr: rowPtr, idx: colIdx };
}
