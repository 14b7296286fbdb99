/**
 * A matrix that enters the heap. Its row pointers are copied there, which every loop of a conversion reads; columns and values pass through window after
 * window (`backends/team/windows.ts`), so that all threads can check and convert the matrix, and kernels instead of JavaScript.
 *
 * With a copy of the whole matrix, which is as large as the matrix, the first operator of a process takes 0.85 to 2 of the CPU time, because new pages
 * of memory are mapped for it, and later ones 0.5 to 0.95 (4 to 25 million entries, two threads, pages of 4 KiB, a busy AMD EPYC Zen 4, November 2026).
 */
import type { CsrMatrix, Inspection } from '../core/csr.js';
import { rowSpan } from '../core/span.js';
import { findDisorder } from '../formats/layout/entry-loops.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { RunLoop } from '../formats/layout/loop.js';
import type { HeapScope } from '../memory/heap.js';

/** Smaller matrices are used where they are: waking a thread takes as long as converting them. */
const LARGE = 100_000;

/** The pointers are copied only if the heap has room for this many times the matrix: the layout must fit beside them. */
const ROOM = 3;

/** An inspection that copies row pointers. */
export interface Staging extends Inspection {
  /** The copies, which layouts may keep. */
  readonly copies: Keepable;
}

/** Moves row pointers into a block of the scope, and checks matrices on the team. */
export function inHeap(scope: HeapScope, runLoop: RunLoop): Staging {
  const copies = new Set<ArrayBufferView>();
  return {
    copies,
    place: (matrix) => placed(scope, matrix, copies),
    isCanonical(matrix) {
      const { cols, nnz, rowPtr, colIdx } = matrix;
      // The entries of the windows are those between two pointers.
      if (!isMonotone(rowPtr)) return false;
      const found = scope.array(Uint32Array, 1).fill(0);
      runLoop(findDisorder, { cols, nnz, rowPtr, colIdx, found }, rowSpan(matrix));
      return found[0] === 0;
    },
  };
}

function placed(scope: HeapScope, matrix: CsrMatrix, copies: Set<ArrayBufferView>): CsrMatrix {
  const { heap } = scope;
  const { nnz, rowPtr, colIdx, values } = matrix;
  const bytes = rowPtr.byteLength + colIdx.byteLength + values.byteLength;
  if (nnz < LARGE || heap.owns(rowPtr) || ROOM * bytes > heap.bytesFree) return matrix;
  const copy = scope.copy(Uint32Array, rowPtr);
  copies.add(copy);
  return { ...matrix, rowPtr: copy };
}

function isMonotone(ptr: Uint32Array): boolean {
  for (let i = 1; i < ptr.length; i++) if (ptr[i]! < ptr[i - 1]!) return false;
  return true;
}
