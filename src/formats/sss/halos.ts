/**
 * Rows cut into blocks of equal work, each with a halo: the rows before its own that its entries below the diagonal reach.
 * They are cut once, at conversion: the order of summation does not depend on the threads.
 */
import type { CsrMatrix } from '../../core/csr.js';
import type { LowerTriangle } from './triangle.js';

/** Cost of a row in addition to its entries, in entries. */
const ROW_WORK = 1;

/** Rows cut into blocks, and for each block the rows before it to which it adds. */
export interface HaloBlocks {
  readonly blockPtr: Uint32Array;
  readonly haloBegin: Uint32Array;
  /** As f64: exact even if it is too large to store. */
  readonly haloPtr: Float64Array;
}

/** The work before a row, in entries: an entry below the diagonal counts as two. */
export function workBeforeRow(rowPtr: Uint32Array, row: number): number {
  return 2 * rowPtr[row]! + ROW_WORK * row;
}

/** For each block, the number of halo elements that belong to rows before it. */
export function haloWork({ blockPtr, haloBegin }: Pick<HaloBlocks, 'blockPtr' | 'haloBegin'>): Float64Array {
  const blocks = haloBegin.length;
  const work = new Float64Array(blocks + 1);
  for (let block = 0; block < blocks; block++) {
    work[block + 1] = work[block]!;
    for (let other = block + 1; other < blocks; other++) {
      const first = Math.max(haloBegin[other]!, blockPtr[block]!);
      work[block + 1]! += Math.max(blockPtr[block + 1]! - first, 0);
    }
  }
  return work;
}

/** Cuts rows into blocks of equal work, as nearly as whole rows allow; some blocks may be empty. */
function cutRows(rowPtr: Uint32Array, blocks: number): Uint32Array {
  const rows = rowPtr.length - 1;
  const work = workBeforeRow(rowPtr, rows);
  const blockPtr = new Uint32Array(blocks + 1).fill(rows, blocks);
  let row = 0;
  for (let block = 1; block < blocks; block++) {
    const target = (work * block) / blocks;
    while (row < rows && workBeforeRow(rowPtr, row + 1) <= target) row++;
    const over = row < rows && workBeforeRow(rowPtr, row + 1) - target < target - workBeforeRow(rowPtr, row);
    if (over) row++;
    blockPtr[block] = row;
  }
  return blockPtr;
}

export function cutBlocks({ rowPtr }: LowerTriangle, { colIdx, rowPtr: from }: CsrMatrix, blocks: number): HaloBlocks {
  const blockPtr = cutRows(rowPtr, blocks);
  const haloBegin = blockPtr.slice(0, blocks);
  const haloPtr = new Float64Array(blocks + 1);
  for (let block = 0; block < blocks; block++) {
    let least = blockPtr[block]!;
    for (let i = blockPtr[block]!; i < blockPtr[block + 1]!; i++) {
      if (rowPtr[i]! < rowPtr[i + 1]!) least = Math.min(least, colIdx[from[i]!]!);
    }
    haloBegin[block] = least;
    haloPtr[block + 1] = haloPtr[block]! + blockPtr[block]! - least;
  }
  return { blockPtr, haloBegin, haloPtr };
}
