/** From CSR to blocks: the blocks of a matrix, the cuts of block rows into segments and panels, the place of each value. */
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import { BlockColumns } from './block-size.js';

export interface Blocks {
  readonly blockSize: number;
  /** Start of each block row, or of each segment, in blocks. */
  readonly blockRowPtr: Uint32Array;
  /** First column of each block; ascends within a block row. */
  readonly blockColIdx: Uint32Array;
  /** Start of each block row, in segments; only if block rows are cut. */
  readonly segPtr: Uint32Array | undefined;
}

/** The most rows whose sums a kernel holds in registers. */
export const PANEL_ROWS = 8;

/** The number of panels of a block row. */
export function panelsOf(blockSize: number): number {
  return Math.ceil(blockSize / PANEL_ROWS);
}

/** First row of a panel within its block row: heights differ by one at most. */
export function panelTop(blockSize: number, panel: number): number {
  return Math.floor((panel * blockSize) / panelsOf(blockSize));
}

/** The blocks that hold entries. If `maxRowBlocks` > 0, block rows of more blocks than that are cut. */
export function blocksOf(matrix: CsrMatrix, blockSize: number, maxRowBlocks: number): Blocks {
  const { rows, cols, nnz } = matrix;
  const blockRows = Math.ceil(rows / blockSize);
  const blockRowPtr = new Uint32Array(blockRows + 1);
  // Far too long, but pages that are never written occupy no memory.
  const found = new Uint32Array(nnz);
  const blockColumns = new BlockColumns(matrix, blockSize);
  let end = 0;
  for (let i = 0; i < blockRows; i++) {
    end = blockColumns.of(blockSize, i, found, end);
    blockRowPtr[i + 1] = end;
  }
  const blockColIdx = found.slice(0, end);
  const lastColumn = cols - blockSize;
  for (let k = 0; k < end; k++) blockColIdx[k] = Math.min(blockColIdx[k]! * blockSize, lastColumn);
  const blocks = { blockSize, blockRowPtr, blockColIdx, segPtr: undefined };
  return maxRowBlocks === 0 ? blocks : { ...blocks, ...segmentsOf(blockRowPtr, maxRowBlocks) };
}

/** Cuts block rows into segments of up to `most` blocks; undefined if none is longer. An empty block row is one segment. */
function segmentsOf(blockRowPtr: Uint32Array, most: number): Pick<Blocks, 'blockRowPtr' | 'segPtr'> | undefined {
  const segPtr = new Uint32Array(blockRowPtr.length);
  for (let i = 0; i + 1 < segPtr.length; i++) {
    segPtr[i + 1] = segPtr[i]! + Math.max(1, Math.ceil((blockRowPtr[i + 1]! - blockRowPtr[i]!) / most));
  }
  const segments = segPtr.at(-1)!;
  if (segments === segPtr.length - 1) return undefined;
  const cut = new Uint32Array(segments + 1);
  for (let i = 0; i + 1 < segPtr.length; i++) {
    for (let s = segPtr[i]!, first = blockRowPtr[i]!; s < segPtr[i + 1]!; s++, first += most) cut[s] = first;
  }
  cut[segments] = blockRowPtr.at(-1)!;
  return { blockRowPtr: cut, segPtr };
}

/** The state of storing entries in their blocks. */
interface Filling {
  readonly matrix: CsrMatrix;
  readonly blocks: Blocks;
  readonly values: FloatArray;
  /** The next entry of each row of the current block row. */
  readonly cursors: Uint32Array;
  /** Whether every stored place holds an entry. */
  readonly full: boolean;
  /** Places of zeros that are entries; collected only if there is padding. */
  readonly zeros: number[];
}

/**
 * Writes the entries of a matrix to the values of its blocks, and zeros elsewhere. O(stored places).
 *
 * @returns the places of zeros that are entries, ascending; all other zeros are padding. Empty if there is no padding
 */
export function fillBlocks(matrix: CsrMatrix, blocks: Blocks, values: FloatArray): number[] {
  const { rows, nnz, rowPtr } = matrix;
  const { blockSize: b, blockColIdx, segPtr } = blocks;
  const stored = blockColIdx.length * b * b;
  const full = stored === nnz;
  if (!full) values.fill(0, 0, stored);
  const filling: Filling = { matrix, blocks, values, cursors: new Uint32Array(b), full, zeros: [] };
  for (let row = 0, i = 0; row < rows; row += b, i++) {
    filling.cursors.set(rowPtr.subarray(row, Math.min(row + b, rows)));
    const end = segPtr === undefined ? i + 1 : segPtr[i + 1]!;
    for (let segment = segPtr?.[i] ?? i; segment < end; segment++) fillSegment(filling, row, segment);
  }
  return filling.zeros.sort((a, b) => a - b);
}

/** Fills the blocks of one segment or block row, whose first row is `row`. */
function fillSegment({ matrix, blocks, values, cursors, full, zeros }: Filling, row: number, segment: number): void {
  const { rowPtr, colIdx, values: source } = matrix;
  const { blockSize: b, blockRowPtr, blockColIdx } = blocks;
  const first = blockRowPtr[segment]!;
  const next = blockRowPtr[segment + 1]!;
  for (let r = 0; r < b && row + r < matrix.rows; r++) {
    const end = rowPtr[row + r + 1]!;
    const { top, height } = panelOfRow(b, r);
    const begin = b * (b * first + top * (next - first)) + (r - top);
    let k = cursors[r]!;
    if (full) {
      // Columns need no check: a row has all columns of its blocks, in their order.
      const length = b * (next - first);
      for (let place = begin; place < begin + height * length; place += height) values[place] = source[k++]!;
      cursors[r] = k;
      continue;
    }
    let block = first - 1;
    let limit = 0;
    let origin = 0;
    for (; k < end; k++) {
      const column = colIdx[k]!;
      if (column >= limit) {
        block++;
        while (block < next && column >= blockColIdx[block]! + b) block++;
        if (block === next) break;
        limit = blockColIdx[block]! + b;
        origin = begin + height * (b * (block - first) - blockColIdx[block]!);
      }
      const place = origin + height * column;
      values[place] = source[k]!;
      if (values[place] === 0) zeros.push(place);
    }
    cursors[r] = k;
  }
}

function panelOfRow(blockSize: number, row: number): { top: number; height: number } {
  const panel = Math.floor(((row + 1) * panelsOf(blockSize) - 1) / blockSize);
  const top = panelTop(blockSize, panel);
  return { top, height: panelTop(blockSize, panel + 1) - top };
}
