/** Interpolation from coarse rows, by the team. Kernels: `assembly/multigrid/interpolation.ts`. */
import type { TeamContext } from '../../../backends/team/backend.js';
import type { CompressedRows } from '../../../core/csr.js';
import { rowSpan } from '../../../core/span.js';
import { bytesOfRoom, placeRooms, ROOM_HEADER, threadsWithRooms } from '../../../matrices/multiplication.js';
import { CHUNK_ROWS, countAndFill } from '../../../matrices/row-by-row.js';
import { extendHeader } from '../../../memory/header.js';
import type { HeapScope } from '../../../memory/heap.js';
import { runOver } from '../../over-pieces.js';
import type { Strong } from '../strength.js';
import type { Splitting } from './splitting.js';

const INTERPOLATION_WORDS = {
  rows: 'u32',
  /** A, in f64. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  /** What each row depends on. */
  strongPtr: 'usize',
  strongIdx: 'usize',
  /** u32, one per row: the number of a coarse row, or what a fine row is, as in `SPLITTING_HEADER`. */
  coarse: 'usize',
  /** Whether coarse rows at distance two take part: 0 or 1. */
  isExtended: 'u32',
  /** Entries of a row, at most. */
  entries: 'u32',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result. */
  outRowPtr: 'usize',
  outColIdx: 'usize',
  outValues: 'usize',
} as const;

export const INTERPOLATION_HEADER: typeof ROOM_HEADER & typeof INTERPOLATION_WORDS = extendHeader(
  ROOM_HEADER,
  INTERPOLATION_WORDS,
);

export const INTERPOLATIONS = ['direct', 'extended'] as const;

export interface InterpolationWish {
  readonly interpolation: (typeof INTERPOLATIONS)[number];
  /** Entries of a row, at most. */
  readonly entries: number;
}

/** Bytes of a row that is being made, for each column. */
const LIST_BYTES = 12;

/**
 * Makes the prolongation from coarse rows.
 *
 * @param scope gets the result
 * @param matrix canonical, in the heap, in f64
 * @throws SparlaneError `heap` if there is no room for it, and beside it for 20.2 bytes per row for each thread at work
 */
export function interpolation(
  context: TeamContext,
  scope: HeapScope,
  matrix: CompressedRows,
  { ptr: strongPtr, idx: strongIdx }: Strong,
  { count, coarse }: Splitting,
  { interpolation, entries }: InterpolationWish,
): CompressedRows {
  const { rows, rowPtr, colIdx, values, nnz } = matrix;
  using work = context.heap.scope();
  const rooms = placeRooms(
    work,
    bytesOfRoom(rows) + LIST_BYTES * rows,
    threadsWithRooms(rows, context.team.size, (nnz * nnz) / Math.max(rows, 1)),
  );
  const matrices = { rows, cols: rows, rowPtr, colIdx, values, strongPtr, strongIdx, coarse };
  const given = { ...rooms, ...matrices, isExtended: Number(interpolation === 'extended'), entries };
  const span = rowSpan(matrix, CHUNK_ROWS);
  const step = { layout: INTERPOLATION_HEADER, workers: rooms.rooms };
  return countAndFill(
    ...([scope, work, { rows, cols: count, name: 'interpolation' }] as const),
    (chunkPtr) => {
      const words = { ...given, chunkPtr, outRowPtr: 0, outColIdx: 0, outValues: 0 };
      runOver(context, { ...step, kernel: 'interpolation_count', words }, span);
    },
    (chunkPtr, { rowPtr: outRowPtr, colIdx: outColIdx, values: outValues }) => {
      const words = { ...given, chunkPtr, outRowPtr, outColIdx, outValues };
      runOver(context, { ...step, kernel: 'interpolation_fill', words }, span);
    },
  );
}
