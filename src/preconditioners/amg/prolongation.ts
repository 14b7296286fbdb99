/** The smoothed prolongation of aggregates, by the team. Kernels: `assembly/multigrid/prolongation.ts`. */
import type { TeamContext } from '../../backends/team/backend.js';
import type { CompressedRows } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import { bytesOfRoom, placeRooms, ROOM_HEADER, threadsWithRooms } from '../../matrices/multiplication.js';
import { CHUNK_ROWS, countAndFill } from '../../matrices/row-by-row.js';
import { extendHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { runOver } from '../over-pieces.js';
import type { Strong } from './strength.js';

const PROLONGATION_WORDS = {
  /** Rows of A, and of the result. */
  rows: 'u32',
  /** Rows of a node. */
  block: 'u32',
  /** A, in f64. */
  aRowPtr: 'usize',
  aColIdx: 'usize',
  aValues: 'usize',
  /** Strong couplings of nodes. */
  strongPtr: 'usize',
  strongIdx: 'usize',
  /** The tentative prolongation T, in f64: a row for each column of A. */
  tRowPtr: 'usize',
  tColIdx: 'usize',
  tValues: 'usize',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The result. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

export const PROLONGATION_HEADER: typeof ROOM_HEADER & typeof PROLONGATION_WORDS = extendHeader(
  ROOM_HEADER,
  PROLONGATION_WORDS,
);

/** What a prolongation is smoothed by. */
export interface Smoothing {
  /** A, canonical, in the heap, in f64. It may have more columns than rows, as a rank's rows have. */
  readonly matrix: CompressedRows;
  /** Unknowns of a node. */
  readonly block: number;
  readonly strong: Strong;
  readonly omega: number;
}

/**
 * Makes (I − ω D⁻¹ F) T: F has the entries of A in strong blocks. The other ones, of the same unknown, are added to its diagonal D.
 *
 * @param scope gets the result
 * @param tentative T, with a row for each column of A
 */
export function smoothedProlongation(
  context: TeamContext,
  scope: HeapScope,
  { matrix, block, strong, omega }: Smoothing,
  tentative: CompressedRows,
): CompressedRows {
  const { rows, nnz, rowPtr: aRowPtr, colIdx: aColIdx, values: aValues } = matrix;
  const { cols, rowPtr: tRowPtr, colIdx: tColIdx, values: tValues } = tentative;
  using work = context.heap.scope();
  const given = {
    ...placeRooms(work, bytesOfRoom(cols), threadsWithRooms(cols, context.team.size, nnz)),
    ...{ rows, cols, block, aRowPtr, aColIdx, aValues, strongPtr: strong.ptr, strongIdx: strong.idx },
    ...{ tRowPtr, tColIdx, tValues },
  };
  const step = { layout: PROLONGATION_HEADER, workers: given.rooms, alpha: omega };
  const span = rowSpan(matrix, CHUNK_ROWS);
  return countAndFill(
    ...([scope, work, { rows, cols, name: 'prolongation' }] as const),
    (chunkPtr) => {
      const words = { ...given, chunkPtr, rowPtr: 0, colIdx: 0, values: 0 };
      runOver(context, { ...step, kernel: 'prolongation_count', words }, span);
    },
    (chunkPtr, { rowPtr, colIdx, values }) => {
      const words = { ...given, chunkPtr, rowPtr, colIdx, values };
      runOver(context, { ...step, kernel: 'prolongation_fill', words }, span);
    },
  );
}
