/** The diagonals of a matrix and their places in chunks of rows; `dia.ts` defines the layout. */
import type { CsrMatrix } from '../../core/csr.js';
import { rowSpan } from '../../core/span.js';
import type { Heap } from '../../memory/heap.js';
import type { RunLoop } from '../layout/loop.js';
import { markDiagonals } from './loops.js';

/** The stored diagonals and their places. */
export interface Diagonals {
  readonly chunkHeight: number;
  readonly offsets: Int32Array;
  /** Start of each chunk, in diagonals of a chunk; as f64, exact even if it is too large to store. */
  readonly chunkPtr: Float64Array;
}

/** The number of offsets below a bound. */
export function offsetsBelow(offsets: Int32Array, bound: number): number {
  let low = 0;
  for (let high = offsets.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first diagonal stored for the chunk that begins at `row`: it has a column in the last of its rows. */
export function firstDiagonal(offsets: Int32Array, chunkHeight: number, row: number): number {
  return offsetsBelow(offsets, 1 - chunkHeight - row);
}

/** The diagonals of a matrix that hold an entry, and the places of their chunks. */
export function diagonalsOf(heap: Heap, matrix: CsrMatrix, chunkHeight: number, runLoop: RunLoop): Diagonals {
  const { rows, cols } = matrix;
  const offsets = occupiedOffsets(heap, matrix, runLoop);
  const chunkPtr = new Float64Array(Math.ceil(rows / chunkHeight) + 1);
  let first = offsets.length;
  let end = offsets.length;
  for (let chunk = 0; chunk + 1 < chunkPtr.length; chunk++) {
    const row = chunk * chunkHeight;
    // The diagonals with a column in the last row of the chunk or later, and in its first row or before.
    while (first > 0 && offsets[first - 1]! > -chunkHeight - row) first--;
    while (end > 0 && offsets[end - 1]! >= cols - row) end--;
    chunkPtr[chunk + 1] = chunkPtr[chunk]! + end - first;
  }
  return { chunkHeight, offsets, chunkPtr };
}

/** The offsets of diagonals that hold an entry, ascending. */
function occupiedOffsets(heap: Heap, { rows, cols, rowPtr, colIdx }: CsrMatrix, runLoop: RunLoop): Int32Array {
  using scope = heap.scope();
  const occupied = scope.array(Uint32Array, Math.ceil((rows + cols) / 32)).fill(0);
  runLoop(markDiagonals, { rows, rowPtr, colIdx, occupied }, rowSpan({ rows, rowPtr }));
  let count = 0;
  for (const word of occupied) for (let bits = word; bits !== 0; bits &= bits - 1) count++;
  const offsets = new Int32Array(count);
  for (let word = 0, next = 0; next < count; word++) {
    for (let bits = occupied[word]!; bits !== 0; bits &= bits - 1) {
      offsets[next++] = 32 * word + 31 - Math.clz32(bits & -bits) - rows;
    }
  }
  return offsets;
}
