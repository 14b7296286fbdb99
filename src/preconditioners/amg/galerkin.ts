/** The matrix of a coarse level by the team: C = Pᵀ A P, all in compressed rows of the heap, in f64. Kernels: `assembly/multigrid/galerkin.ts`. */
import type { TeamContext } from '../../backends/team/backend.js';
import type { CompressedRows } from '../../core/csr.js';
import { bytesOfRoom, placeRooms, ROOM_HEADER, threadsWithRooms } from '../../matrices/multiplication.js';
import { addUpChunks, chunksOf, emptyRows } from '../../matrices/row-by-row.js';
import { extendHeader } from '../../memory/header.js';
import type { HeapScope } from '../../memory/heap.js';
import { runOver } from '../over-pieces.js';

const GALERKIN_WORDS = {
  /** Rows of C. */
  rows: 'u32',
  /** The first column of A in a union, whose first columns are those of C. */
  shift: 'u32',
  /** Bytes of a room before its lists of columns. */
  lists: 'u32',
  /** Pᵀ, A and P. */
  rRowPtr: 'usize',
  rColIdx: 'usize',
  rValues: 'usize',
  aRowPtr: 'usize',
  aColIdx: 'usize',
  aValues: 'usize',
  pRowPtr: 'usize',
  pColIdx: 'usize',
  pValues: 'usize',
  /** u32, chunks + 1. */
  chunkPtr: 'usize',
  /** The rows of C in any order: u32, one per row, the place of its first entry, and its length. */
  places: 'usize',
  counts: 'usize',
  /** Room for `capacity` entries; u32, how many there are so far. */
  capacity: 'u32',
  used: 'usize',
  someColIdx: 'usize',
  someValues: 'usize',
  /** C. */
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

export const GALERKIN_HEADER: typeof ROOM_HEADER & typeof GALERKIN_WORDS = extendHeader(ROOM_HEADER, GALERKIN_WORDS);

/** What C is the product of. */
export interface GalerkinFactors {
  /** Pᵀ. */
  readonly restriction: CompressedRows;
  /** A. */
  readonly matrix: CompressedRows;
  /** P. */
  readonly prolongation: CompressedRows;
}

/** The words of arrays that a step does not use. */
const NOTHING = {
  ...{ chunkPtr: 0, places: 0, counts: 0, capacity: 0, used: 0, someColIdx: 0, someValues: 0 },
  ...{ rowPtr: 0, colIdx: 0, values: 0 },
};

/** A first guess of the entries of C, by those of A: 0.2 to 0.6 were seen, with 5, 7 and 27 points and elasticity. */
const EXPECTED = 0.75;

/** The rooms of all threads take at most this many bytes per entry of A. Chosen: twice those of A itself. */
const ROOM_BYTES = 24;

/**
 * Makes C.
 *
 * @param scope gets C
 * @throws SparlaneError `argument` for more than 2³² − 1 entries; `heap` if there is no room for C twice
 */
export function galerkinProduct(context: TeamContext, scope: HeapScope, factors: GalerkinFactors): CompressedRows {
  const { rows, nnz } = factors.restriction;
  // Any row fits.
  const guess = rows + Math.ceil(EXPECTED * Math.max(factors.matrix.nnz, nnz));
  const made = computeRows(context, scope, factors, guess);
  return typeof made === 'number' ? (computeRows(context, scope, factors, made) as CompressedRows) : made;
}

/** C, or the number of its entries if they are more than there is room for. */
function computeRows(
  context: TeamContext,
  scope: HeapScope,
  factors: GalerkinFactors,
  capacity: number,
): CompressedRows | number {
  using work = context.heap.scope();
  const { rows } = factors.restriction;
  const span = spanOf(factors);
  const chunkPtr = work.array(Uint32Array, span.units + 1).fill(0);
  const given = {
    ...{ ...NOTHING, ...wordsOf(context, work, factors), chunkPtr, capacity },
    ...{ places: work.array(Uint32Array, rows), counts: work.array(Uint32Array, rows) },
    used: work.array(Uint32Array, 1).fill(0),
    ...{ someColIdx: work.array(Uint32Array, capacity), someValues: work.array(Float64Array, capacity) },
  };
  const step = { layout: GALERKIN_HEADER, workers: given.rooms };
  runOver(context, { ...step, kernel: 'galerkin_compute', words: given }, span);
  const nnz = addUpChunks(chunkPtr, 'coarse matrix');
  if (nnz > capacity) return nnz;
  const result = emptyRows(scope, rows, rows, nnz);
  const { rowPtr, colIdx, values } = result;
  runOver(context, { ...step, kernel: 'galerkin_place', words: { ...given, rowPtr, colIdx, values } }, span);
  return result;
}

/** Computes the values of C again. @param product C, whose pattern is that of the factors */
export function refillGalerkin(context: TeamContext, factors: GalerkinFactors, product: CompressedRows): void {
  using work = context.heap.scope();
  const { rowPtr, colIdx, values } = product;
  const given = wordsOf(context, work, factors);
  const words = { ...NOTHING, ...given, rowPtr, colIdx, values };
  const step = { kernel: 'galerkin_refill', layout: GALERKIN_HEADER, words, workers: given.rooms };
  runOver(context, step, spanOf(factors));
}

function wordsOf(context: TeamContext, work: HeapScope, { restriction, matrix, prolongation }: GalerkinFactors) {
  const { rows } = restriction;
  const shift = rows + 1;
  const cols = shift + matrix.cols;
  const lists = bytesOfRoom(cols);
  const bytes = lists + 4 * (cols + 1);
  return {
    ...placeRooms(work, bytes, threadsWithRooms(bytes, context.team.size, ROOM_BYTES * matrix.nnz)),
    ...{ cols, rows, shift, lists },
    ...{ rRowPtr: restriction.rowPtr, rColIdx: restriction.colIdx, rValues: restriction.values },
    ...{ aRowPtr: matrix.rowPtr, aColIdx: matrix.colIdx, aValues: matrix.values },
    ...{ pRowPtr: prolongation.rowPtr, pColIdx: prolongation.colIdx, pValues: prolongation.values },
  };
}

/** The chunks of C's rows. A row has as much work as the entries of its row of Pᵀ and of A there say. */
function spanOf({ restriction, matrix }: GalerkinFactors) {
  const { rows, rowPtr } = restriction;
  const products = matrix.nnz / Math.max(1, matrix.rows);
  return chunksOf(rows, (row) => 2 * products * rowPtr[row]!);
}
