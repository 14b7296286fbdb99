/** The tiles of CSR5, built from CSR: the starts and ends of rows in each tile, and its entries transposed. */
import type { CsrMatrix } from '../../core/csr.js';
import type { FloatArray } from '../../core/types.js';
import type { HeapScope } from '../../memory/heap.js';

/** The most flags of a lane that fit in a word of tileDesc; the flags of four lanes fill 64 bits. */
export const MAX_SIGMA = 16;

/** Bit of tilePtr: empty rows lie between the rows that end in the tile. */
export const EMPTY_ROWS = 0x8000_0000;

/**
 * A word of tileDesc, one for each lane:
 *
 *     bits  0 … 15   bitFlag: bit r where a row ends at step r
 *          16 … 24   yOffset: rows that end in the tile before this lane; at most 31 · 16
 *          25 … 31   segOffset: lanes right behind this one in which no row ends
 */
const FLAGS = 0xffff;
const Y_OFFSET = 16;
const Y_OFFSETS = 0x1ff;
const SEG_OFFSET = 25;

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

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555);
  const fours = (pairs & 0x3333) + ((pairs >>> 2) & 0x3333);
  const eights = (fours + (fours >>> 4)) & 0x0f0f;
  return (eights + (eights >>> 8)) & 0x1f;
}

/** Cuts the entries of a matrix into tiles of ω × σ. O(rows + nnz / σ). */
export function describeTiles(scope: HeapScope, csr: CsrMatrix, omega: number, sigma: number): Tiles {
  const tiles = Math.floor(csr.nnz / (omega * sigma));
  const tilePtr = scope.array(Uint32Array, tiles + 1);
  const tileDesc = scope.array(Uint32Array, omega * (tiles + 1)).fill(0);
  const described = { omega, sigma, tilePtr, tileDesc };
  markEnds(csr, described);
  countEnds(described);
  return { ...described, ...placeEmptyOffset(scope, csr, described) };
}

/** Tiles without the arrays for empty rows. */
type Flagged = Omit<Tiles, 'emptyOffsetPtr' | 'emptyOffset'>;

/** Fills tilePtr and the flags. */
function markEnds({ rows, nnz, rowPtr }: CsrMatrix, { omega, sigma, tilePtr, tileDesc }: Flagged): void {
  const size = omega * sigma;
  const tail = tilePtr.length - 1;
  const bits = Uint16Array.from({ length: size }, (_, k) => 16 * Math.floor(k / sigma) + (k % sigma));
  let tile = -1;
  let tileEnd = 0;
  let expected = 0; // the row that ends next, if no row of the tile is empty
  for (let i = 0; i < rows; i++) {
    const end = rowPtr[i + 1]!;
    if (end === rowPtr[i]) continue;
    for (; tileEnd < end; tileEnd += size) {
      tilePtr[++tile] = i;
      expected = i;
    }
    if (i !== expected) tilePtr[tile]! |= EMPTY_ROWS;
    expected = i + 1;
    const place = end - 1 - (tileEnd - size);
    const bit = tile === tail ? place : bits[place]!;
    tileDesc[omega * tile + (bit >>> 4)]! |= 1 << (bit & 15);
  }
  if (tail * size === nnz) tilePtr[tail] = rows;
}

/** Computes yOffset and segOffset from the flags. */
function countEnds({ omega, tileDesc }: Flagged): void {
  for (let first = 0; first < tileDesc.length; first += omega) {
    for (let lane = 0, ended = 0; lane < omega; lane++) {
      const flags = tileDesc[first + lane]!;
      tileDesc[first + lane] = flags | (ended << Y_OFFSET);
      ended += bitCount(flags);
    }
    for (let lane = omega - 1, open = 0; lane >= 0; lane--) {
      const word = tileDesc[first + lane]!;
      tileDesc[first + lane] = word | (open << SEG_OFFSET);
      open = (word & FLAGS) === 0 ? open + 1 : 0;
    }
  }
}

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
export function transpose(csr: CsrMatrix, { omega, sigma }: Tiles, colIdx: Uint32Array, values: FloatArray): void {
  const size = omega * sigma;
  const { colIdx: columns, values: reals, nnz } = csr;
  let tile = 0;
  for (; tile + size <= nnz; tile += size) {
    for (let step = 0; step < sigma; step++) {
      const to = tile + omega * step;
      for (let lane = 0, from = tile + step; lane < omega; lane++, from += sigma) {
        colIdx[to + lane] = columns[from]!;
        values[to + lane] = reals[from]!;
      }
    }
  }
  colIdx.set(columns.subarray(tile), tile);
  values.set(reals.subarray(tile), tile);
}
