/** From CSR to blocks: the blocks of a matrix, and the cuts of block rows into segments and panels. */
import type { CsrMatrix } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import type { Heap } from '../../memory/heap.js';
import type { RunLoop } from '../layout/loop.js';
import { countBlocks } from './loops.js';

export interface Blocks {
  readonly blockSize: number;
  /** Start of each block row, or of each segment, in blocks. */
  readonly blockRowPtr: Uint32Array;
  /** Start of each block row, in segments; only if block rows are cut. */
  readonly segPtr: Uint32Array | undefined;
}

/** The number of blocks that hold entries, as pointers: the start of each block row. */
export function countedBlocks(heap: Heap, matrix: CsrMatrix, blockSize: number, runLoop: RunLoop): Uint32Array {
  const { rows, rowPtr, colIdx } = matrix;
  const blockRows = Math.ceil(rows / blockSize);
  using scope = heap.scope();
  const counts = scope.array(Uint32Array, blockRows);
  runLoop(countBlocks, { rows, blockSize, rowPtr, colIdx, counts }, rowSpan(matrix, blockSize));
  const blockRowPtr = new Uint32Array(blockRows + 1);
  for (let i = 0; i < blockRows; i++) blockRowPtr[i + 1] = blockRowPtr[i]! + counts[i]!;
  return blockRowPtr;
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
