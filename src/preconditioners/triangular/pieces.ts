/**
 * An order of the rows in which threads can compute a triangular solve, and that costs few iterations. The rows are cut into blocks of
 * consecutive ones, and the blocks into pieces: rows that need an earlier block are its border, the others its interior. Interiors do not
 * need each other. Blocks are eliminated from alternate ends, so that pairs of them meet:
 *
 *     block 0 →  end ← block 1   start   block 2 →  end ← block 3
 *
 * Borders in which an elimination starts come first, those in which two of them meet come last, so a solve has three stages each way. Two
 * blocks cost no iterations. All entries are kept but those between two borders of one stage.
 *
 * Source: van der Vorst, "Large tridiagonal and block tridiagonal linear systems on vector and parallel computers", 1987 (two ends);
 *   Duff & Meurant, "The effect of ordering on preconditioned conjugate gradients", 1989 (orders with local changes keep the iterations).
 */
import { diagonalOf } from '../../algebra/diagonal.js';
import type { CsrMatrix } from '../../core/csr.js';
import { lowerBound } from '../../core/search.js';
import { inverted } from '../../reorder/permutation.js';

export interface Pieces {
  /** `order[i]`: the row of the matrix that comes i-th; undefined for its own order. */
  readonly order: Uint32Array | undefined;
  readonly blocks: number;
  readonly blockRows: number;
  /** Rows in borders. */
  readonly borderRows: number;
  /** pieces + 1: the first row of each, in this order. */
  readonly ptr: Uint32Array;
  /** The number of pieces of each stage. */
  readonly stages: readonly number[];
  /** The pieces of a block next to each other. */
  readonly placed: Uint32Array;
}

/** Fewer entries are one block, which one thread solves with. Two blocks cost no iterations. */
const TWO_BLOCKS = 2 ** 17;

/** Least number of rows of more blocks, which cost some: 5-point 300² 254 with two, 269 with ten. */
const BLOCK_ROWS = 24576;

/** More blocks are of use to more than so many threads only. */
const MOST_BLOCKS = 32;

/** Largest share of rows in borders. Borders cost iterations: in elasticity 28³ 4 % 104, 14 % 124, 25 % 133, in one block 103. */
const BORDER_SHARE = 0.05;

/**
 * Most that the borders in which an elimination starts may drop, over what an order without them drops at the same rows: 5-point 2, 7-point 1, bilinear elements
 * 5, these with an anisotropy of 1e-3 at 30° 11, and there four blocks take 262 iterations instead of 39.
 */
const HARMLESS = 8;

/** @param order of the rows @param wanted rows of a block; 0: chosen by the number of rows and of those in borders */
export function cutIntoPieces(matrix: CsrMatrix, order: Uint32Array | undefined, wanted: number): Pieces {
  const { rows, nnz } = matrix;
  const all = Math.max(rows, 1);
  const mayCut = wanted === 0 ? nnz >= TWO_BLOCKS : wanted < rows;
  if (!mayCut) return piecesOf(order, new Uint32Array(rows), all);
  const place = order && inverted(order);
  const reach = reachOf(matrix, place);
  if (wanted > 0) return piecesOf(order, reach, wanted);
  let blocks = Math.max(2, Math.min(MOST_BLOCKS, 2 * Math.floor(rows / (2 * BLOCK_ROWS))));
  const isCostly = (blockRows: number) =>
    countBorders(reach, blockRows) > BORDER_SHARE * rows || !isHarmless(matrix, { order, place }, reach, blockRows);
  while (blocks > 2 && isCostly(Math.ceil(rows / blocks))) blocks = Math.max(2, 2 * Math.floor(blocks / 4));
  return piecesOf(order, reach, Math.ceil(rows / blocks));
}

/** The first row that each row needs: the first of its neighbours, in A or Aᵀ, or itself. */
function reachOf({ rows, rowPtr, colIdx }: CsrMatrix, place: Uint32Array | undefined): Uint32Array {
  const reach = new Uint32Array(rows);
  for (let i = 0; i < rows; i++) reach[i] = i;
  if (place === undefined) {
    for (let i = 0; i < rows; i++) {
      const begin = rowPtr[i]!;
      let k = rowPtr[i + 1]! - 1;
      // Columns ascend.
      for (; k >= begin && colIdx[k]! > i; k--) if (reach[colIdx[k]!]! > i) reach[colIdx[k]!] = i;
      if (k >= begin && colIdx[begin]! < reach[i]!) reach[i] = colIdx[begin]!;
    }
    return reach;
  }
  for (let row = 0; row < rows; row++) {
    const i = place[row]!;
    let first = reach[i]!;
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) {
      const j = place[colIdx[k]!]!;
      if (j < first) first = j;
      else if (j > i && reach[j]! > i) reach[j] = i;
    }
    reach[i] = first;
  }
  return reach;
}

/** The number of rows that need an earlier block. */
function countBorders(reach: Uint32Array, blockRows: number): number {
  let count = 0;
  for (let first = 0; first < reach.length; first += blockRows) {
    const last = Math.min(first + blockRows, reach.length);
    for (let i = first; i < last; i++) if (reach[i]! < first) count++;
  }
  return count;
}

/** An order, and its inverse; undefined for that of the matrix. */
interface Ordered {
  readonly order: Uint32Array | undefined;
  readonly place: Uint32Array | undefined;
}

/**
 * Whether the borders in which an elimination starts drop little. A row k drops a_jk a_kl / a_kk for neighbours j and l that are eliminated after it and are not neighbours of
 * each other. In such a border, these are also the neighbours in the block before, as if a line of strong couplings were cut.
 */
function isHarmless(matrix: CsrMatrix, { order, place }: Ordered, reach: Uint32Array, blockRows: number): boolean {
  const { rows, rowPtr, colIdx, values } = matrix;
  const diagonal = diagonalOf(matrix);
  const weight = (k: number, entry: number) => {
    const size = Math.sqrt(Math.abs(diagonal[k]! * diagonal[colIdx[entry]!]!));
    return size === 0 ? 0 : Math.abs(values[entry]!) / size;
  };
  let [dropped, anyway] = [0, 0];
  for (let first = 2 * blockRows; first < rows; first += 2 * blockRows) {
    const last = Math.min(first + blockRows, rows);
    for (let i = first; i < last; i++) {
      if (reach[i]! >= first) continue;
      const k = order === undefined ? i : order[i]!;
      const [before, after]: [number[], number[]] = [[], []];
      for (let entry = rowPtr[k]!, end = rowPtr[k + 1]!; entry < end; entry++) {
        const at = place === undefined ? colIdx[entry]! : place[colIdx[entry]!]!;
        if (at < first) before.push(entry);
        else if (at > i) after.push(entry);
      }
      for (const [n, one] of after.entries()) {
        const own = weight(k, one);
        const isApart = (other: number) => !hasEntry(matrix, colIdx[one]!, colIdx[other]!);
        for (const other of before) if (isApart(other)) dropped += own * weight(k, other);
        for (const other of after.slice(n + 1)) if (isApart(other)) anyway += own * weight(k, other);
      }
    }
  }
  return dropped <= HARMLESS * anyway;
}

function hasEntry({ rowPtr, colIdx }: CsrMatrix, row: number, col: number): boolean {
  const columns = colIdx.subarray(rowPtr[row]!, rowPtr[row + 1]!);
  return columns[lowerBound(columns, col)] === col;
}

/** A border or an interior. */
interface Piece {
  readonly block: number;
  /** In the order of elimination. */
  readonly rows: Uint32Array;
}

function piecesOf(order: Uint32Array | undefined, reach: Uint32Array, blockRows: number): Pieces {
  const blocks = Math.ceil(reach.length / blockRows);
  if (blocks <= 1) {
    const ptr = Uint32Array.of(0, reach.length);
    return { order, blocks, blockRows, borderRows: 0, ptr, stages: [1], placed: Uint32Array.of(0) };
  }
  const all = Array.from({ length: blocks }, (_, block) => block);
  const starts = all.filter((block) => block > 0 && block % 2 === 0);
  const ends = all.filter((block) => block % 2 === 1);
  const border = (block: number) => pieceOf(reach, blockRows, block, true);
  const interior = (block: number) => pieceOf(reach, blockRows, block, false);
  const stages = [starts.map(border), all.map(interior), ends.map(border)].map((stage) =>
    stage.filter(({ rows }) => rows.length > 0),
  );
  const pieces = stages.flat();
  const elimination = new Uint32Array(reach.length);
  const ptr = new Uint32Array(pieces.length + 1);
  pieces.forEach(({ rows }, piece) => {
    elimination.set(rows, ptr[piece]!);
    ptr[piece + 1] = ptr[piece]! + rows.length;
  });
  if (order !== undefined) for (let i = 0; i < elimination.length; i++) elimination[i] = order[elimination[i]!]!;
  return {
    ...{ order: elimination, blocks, blockRows, borderRows: countBorders(reach, blockRows), ptr },
    stages: stages.map(({ length }) => length).filter((count) => count > 0),
    placed: Uint32Array.from(pieces.keys()).sort((a, b) => pieces[a]!.block - pieces[b]!.block || a - b),
  };
}

/** The border of a block, or its interior, which in odd blocks is eliminated from its end. */
function pieceOf(reach: Uint32Array, blockRows: number, block: number, isBorder: boolean): Piece {
  const first = block * blockRows;
  const last = Math.min(first + blockRows, reach.length);
  const rows = new Uint32Array(last - first);
  let count = 0;
  for (let i = first; i < last; i++) if (reach[i]! < first === isBorder) rows[count++] = i;
  const found = rows.subarray(0, count);
  return { block, rows: !isBorder && block % 2 === 1 ? found.reverse() : found };
}
