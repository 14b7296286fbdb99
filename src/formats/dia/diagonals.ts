/** The diagonals of a matrix, and the number of them that each chunk of rows stores; `dia.ts` defines the layout. */
import type { CsrMatrix } from '../../core/csr.js';
import { evenly, rowSpan } from '../../core/span.js';
import type { Heap } from '../../memory/heap.js';
import type { RunLoop } from '../layout/loop.js';
import { type Counts, summed } from '../layout/pointers.js';
import type { ConversionWorkspace } from '../layout/workspace.js';
import { countDiagonals, markDiagonals } from './diagonal-loops.js';

/** The stored diagonals and their places. */
export interface Diagonals {
  readonly chunkHeight: number;
  readonly offsets: Int32Array;
  /** Diagonals of each chunk. */
  readonly counts: Counts;
}

/** Cost of a chunk without its entries, in entries. */
const CHUNK_WORK = 1;

export function diagonalsOf(
  heap: Heap,
  matrix: CsrMatrix,
  chunkHeight: number,
  workspace: ConversionWorkspace,
): Diagonals {
  const { rows, cols } = matrix;
  const { runLoop, array } = workspace;
  const occupied = occupiedOffsets(heap, matrix, runLoop);
  const offsets = array(Int32Array, occupied.length);
  offsets.set(occupied);
  const counts = array(Uint32Array, Math.ceil(rows / chunkHeight));
  const job = { cols, chunkHeight, diagonals: offsets.length, offsets, counts };
  runLoop(countDiagonals, job, evenly(counts.length, CHUNK_WORK));
  return { chunkHeight, offsets, counts: summed(counts, workspace) };
}

/** The offsets of diagonals that hold an entry, ascending. */
function occupiedOffsets(heap: Heap, { rows, cols, rowPtr, colIdx }: CsrMatrix, runLoop: RunLoop): Int32Array {
  using scope = heap.scope();
  const occupied = scope.array(Uint32Array, Math.ceil((rows + cols) / 32)).fill(0);
  runLoop(markDiagonals, { rows, rowPtr, colIdx, occupied }, rowSpan({ rows, rowPtr }));
  const words: number[] = [];
  let count = 0;
  for (let word = 0; word < occupied.length; word++) {
    if (occupied[word] === 0) continue;
    words.push(word);
    for (let bits = occupied[word]!; bits !== 0; bits &= bits - 1) count++;
  }
  const offsets = new Int32Array(count);
  let next = 0;
  for (const word of words) {
    for (let bits = occupied[word]!; bits !== 0; bits &= bits - 1) {
      offsets[next++] = 32 * word + 31 - Math.clz32(bits & -bits) - rows;
    }
  }
  return offsets;
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
