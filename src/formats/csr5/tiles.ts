/** The tiles of CSR5, built from CSR: the starts and ends of rows in each tile, and its entries transposed. */
import type { CsrMatrix } from '../../core/csr.js';
import { evenly } from '../../core/span.js';
import type { FloatArray } from '../../core/types.js';
import type { HeapScope } from '../../memory/heap.js';
import type { RunLoop } from '../layout/loop.js';
import { countEnds, markEnds, transposeTiles } from './tile-loops.js';
import { bitCount, EMPTY_ROWS, FLAGS, SEG_OFFSET, Y_OFFSET, Y_OFFSETS } from './words.js';

/** The most flags of a lane that fit in a word of tileDesc; the flags of four lanes fill 64 bits. */
export const MAX_SIGMA = 16;

export interface Tiles {
  /** Lanes: the columns of a tile. */
  readonly omega: number;
  /** Steps: the rows of a tile. */
  readonly sigma: number;
  /** Length full tiles + 1, the last one for the tail. */
  readonly tilePtr: Uint32Array;
  /** ω words for each tile and for the tail. The tail has one flag per entry, in order, 16 in a word. */
  readonly tileDesc: Uint32Array;
  /** Start of each tile's part of emptyOffset; empty if no tile is marked. */
  readonly emptyOffsetPtr: Uint32Array;
  /** For each row that ends in a marked tile, its distance from tilePtr's row. */
  readonly emptyOffset: Uint32Array;
}

/** The row of a tile's first entry; `rows` for a tail without entries. */
export function firstRow({ tilePtr }: Tiles, tile: number): number {
  return tilePtr[tile]! % EMPTY_ROWS;
}

export function hasEmptyRows(tilePtr: Uint32Array, tile: number): boolean {
  return tilePtr[tile]! >= EMPTY_ROWS;
}

/** The description of a lane. */
type Described = Pick<Tiles, 'omega' | 'tileDesc'>;

export function bitFlag({ omega, tileDesc }: Described, tile: number, lane: number): number {
  return tileDesc[omega * tile + lane]! & FLAGS;
}

export function yOffset({ omega, tileDesc }: Described, tile: number, lane: number): number {
  return (tileDesc[omega * tile + lane]! >>> Y_OFFSET) & Y_OFFSETS;
}

export function segOffset({ omega, tileDesc }: Described, tile: number, lane: number): number {
  return tileDesc[omega * tile + lane]! >>> SEG_OFFSET;
}

/** Rows that end in a tile. */
export function endsOf(tiles: Described, tile: number): number {
  const last = tiles.omega - 1;
  return yOffset(tiles, tile, last) + bitCount(bitFlag(tiles, tile, last));
}

/** Cuts the entries of a matrix into tiles of ω × σ. O(rows + nnz / σ). */
export function describeTiles(scope: HeapScope, csr: CsrMatrix, omega: number, sigma: number, runLoop: RunLoop): Tiles {
  const { rows, nnz, rowPtr } = csr;
  const tiles = Math.floor(nnz / (omega * sigma));
  const tilePtr = scope.array(Uint32Array, tiles + 1);
  const tileDesc = scope.array(Uint32Array, omega * (tiles + 1));
  const described = { omega, sigma, tilePtr, tileDesc };
  // Of a tile: the rows that end in it, on average, and its words.
  const work = rows / (tiles + 1) + omega;
  runLoop(markEnds, { rows, nnz, omega, sigma, rowPtr, tilePtr, tileDesc }, evenly(tiles + 1, work));
  runLoop(countEnds, { omega, tileDesc }, evenly(tiles + 1, omega));
  return { ...described, ...placeEmptyOffset(scope, csr, described) };
}

/** Tiles without the arrays for empty rows. */
type Flagged = Omit<Tiles, 'emptyOffsetPtr' | 'emptyOffset'>;

/** For tiles with empty rows between the others: the rows with entries that end there, from the tile's first row on. */
function placeEmptyOffset(
  scope: HeapScope,
  { rowPtr }: CsrMatrix,
  flagged: Flagged,
): Pick<Tiles, 'emptyOffsetPtr' | 'emptyOffset'> {
  const { tilePtr } = flagged;
  let length = 0;
  for (let tile = 0; tile < tilePtr.length; tile++) if (hasEmptyRows(tilePtr, tile)) length += endsOf(flagged, tile);
  const emptyOffsetPtr = scope.array(Uint32Array, length === 0 ? 0 : tilePtr.length);
  const emptyOffset = scope.array(Uint32Array, length);
  let at = 0;
  for (let tile = 0; tile < emptyOffsetPtr.length; tile++) {
    emptyOffsetPtr[tile] = at;
    if (!hasEmptyRows(tilePtr, tile)) continue;
    const first = tilePtr[tile]! - EMPTY_ROWS;
    const end = at + endsOf(flagged, tile);
    for (let row = first; at < end; row++) if (rowPtr[row] !== rowPtr[row + 1]) emptyOffset[at++] = row - first;
  }
  return { emptyOffsetPtr, emptyOffset };
}

/** Stores the entries of each tile with the steps of its lanes side by side, and those of the tail in their order. */
export function transpose(
  { colIdx: columns, values: reals, nnz }: CsrMatrix,
  { omega, sigma }: Tiles,
  colIdx: Uint32Array,
  values: FloatArray,
  runLoop: RunLoop,
): void {
  const size = omega * sigma;
  const tiles = Math.floor(nnz / size);
  runLoop(transposeTiles, { omega, sigma, columns, reals, colIdx, values }, evenly(tiles, size));
  colIdx.set(columns.subarray(tiles * size), tiles * size);
  values.set(reals.subarray(tiles * size), tiles * size);
}
