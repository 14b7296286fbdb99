/** From CSR to blocks: the blocks of a matrix, and the cuts of block rows into segments and panels. */
import type { CsrMatrix } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import { placePointers, summed } from '../layout/pointers.js';
import type { ConversionWorkspace } from '../layout/workspace.js';
import { countBlocks } from './loops.js';

export interface Blocks {
  readonly blockSize: number;
  /** Start of each block row, or of each segment, in blocks. */
  readonly blockRowPtr: Uint32Array;
  /** Start of each block row, in segments; only if block rows are cut. */
  readonly segPtr: Uint32Array | undefined;
}

/** The number of blocks that hold entries, as pointers of the workspace: the start of each block row. */
export function countedBlocks(matrix: CsrMatrix, blockSize: number, workspace: ConversionWorkspace): Uint32Array {
  const { rows, rowPtr, colIdx } = matrix;
  const blockRows = Math.ceil(rows / blockSize);
  const { runLoop, array } = workspace;
  const [cursors, counts] = [array(Uint32Array, rows), array(Uint32Array, blockRows)];
  runLoop(countBlocks, { rows, blockSize, rowPtr, colIdx, cursors, counts }, rowSpan(matrix, blockSize));
  return placePointers(array(Uint32Array, blockRows + 1), summed(counts, workspace), runLoop);
}

/** Cuts block rows of more than `most` blocks, 0: none, into segments. An empty block row is one segment. */
export function cutBlockRows(blockSize: number, blockRowPtr: Uint32Array, most: number): Blocks {
  const whole = { blockSize, blockRowPtr, segPtr: undefined };
  if (most === 0) return whole;
  const segPtr = new Uint32Array(blockRowPtr.length);
  for (let i = 0; i + 1 < segPtr.length; i++) {
    segPtr[i + 1] = segPtr[i]! + Math.max(1, Math.ceil((blockRowPtr[i + 1]! - blockRowPtr[i]!) / most));
  }
  const segments = segPtr.at(-1)!;
  if (segments === segPtr.length - 1) return whole;
  const cut = new Uint32Array(segments + 1);
  for (let i = 0; i + 1 < segPtr.length; i++) {
    for (let s = segPtr[i]!, first = blockRowPtr[i]!; s < segPtr[i + 1]!; s++, first += most) cut[s] = first;
  }
  cut[segments] = blockRowPtr.at(-1)!;
  return { blockSize, blockRowPtr: cut, segPtr };
}
