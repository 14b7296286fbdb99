/**
 * A matrix enters the heap. Its row pointers are copied there, which every loop of a conversion reads; columns and values pass through window after
 * window (`backends/team/windows.ts`), so that all threads can check and convert the matrix, and kernels instead of JavaScript. Where earlier operators have left
 * enough free memory, columns and values are copied, too: once instead of for each loop.
 *
 * With a copy of the whole matrix the first operator of a process takes 1.2 to 4 times as long, because new pages of memory are mapped for it, and later ones 0.65 to 1
 * (five matrices of 4 to 27 million entries, two threads, pages of 4 KiB, AMD EPYC Zen 5, 28 November 2026).
 */
import type { CsrMatrix, Inspection } from '../core/csr.js';
import { rowSpan } from '../core/span.js';
import { copyWith } from '../formats/layout/copy-loop.js';
import { findDisorder } from '../formats/layout/entry-loops.js';
import type { Keepable } from '../formats/layout/keep.js';
import { type LoopArray, type RunLoop, typeOf } from '../formats/layout/loop.js';
import { READ_PAST } from '../formats/layout/read-past.js';
import type { HeapScope } from '../memory/heap.js';

/** Smaller matrices are used where they are: waking a thread takes as long as converting them. */
const LARGE = 100_000;

/** Pointers, or all arrays, are copied only if the heap has room for this many times the matrix: the layout must fit beside them. Chosen. */
const ROOM = { pointers: 3, all: 5 };

/** An inspection that copies arrays into the heap tells which. */
export interface Staging extends Inspection {
  /** The copies, which layouts may keep. */
  readonly copies: Keepable;
}

/**
 * Copies arrays into blocks of the scope, and checks matrices on the team.
 *
 * @param free columns and values are copied if the heap has free memory for this many times the matrix
 */
export function inHeap(scope: HeapScope, runLoop: RunLoop, free = 1): Staging {
  const copies = new Set<ArrayBufferView>();
  return {
    copies,
    place: (matrix) => placed(scope, runLoop, matrix, copies, free),
    isCanonical(matrix) {
      const { cols, nnz, rowPtr, colIdx } = matrix;
      // A window has the entries between two pointers, so these must not decrease.
      if (!isMonotone(rowPtr)) return false;
      const found = scope.array(Uint32Array, 1).fill(0);
      runLoop(findDisorder, { cols, nnz, rowPtr, colIdx, found }, rowSpan(matrix));
      return found[0] === 0;
    },
  };
}

function placed(
  scope: HeapScope,
  runLoop: RunLoop,
  matrix: CsrMatrix,
  copies: Set<ArrayBufferView>,
  free: number,
): CsrMatrix {
  const { heap } = scope;
  const { nnz, rowPtr, colIdx, values } = matrix;
  const outside = [rowPtr, colIdx, values].filter((array) => !heap.owns(array));
  const bytes = outside.reduce((sum, array) => sum + array.byteLength, 0);
  if (nnz < LARGE || bytes === 0 || ROOM.pointers * bytes > heap.bytesFree) return matrix;
  const copy = <T extends LoopArray>(source: T): T => {
    if (heap.owns(source)) return source;
    const block = scope.array(typeOf(source), source.length + READ_PAST).subarray(0, source.length) as T;
    copyWith(runLoop, source, block);
    copies.add(block);
    return block;
  };
  const isFree = free * bytes <= heap.byteLength - heap.bytesInUse;
  if (!isFree || ROOM.all * bytes > heap.bytesFree) return { ...matrix, rowPtr: copy(rowPtr) };
  return { ...matrix, rowPtr: copy(rowPtr), colIdx: copy(colIdx), values: copy(values) };
}

function isMonotone(ptr: Uint32Array): boolean {
  for (let i = 1; i < ptr.length; i++) if (ptr[i]! < ptr[i - 1]!) return false;
  return true;
}
