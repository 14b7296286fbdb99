/**
 * The caller's arrays are copied into the heap while the matrix is checked and converted, so that all threads can do both, and kernels instead of JavaScript:
 * on one thread, too, an operator of an R-MAT graph of 2 million entries then takes 26 ms of the processor instead of 52, and the first of a process 76
 * instead of 153, without the system's time for new pages (AMD EPYC Zen 4, November 2026).
 * The pages of the copies are first written by the team: mapping a page takes several times as long as copying it.
 */
import type { CsrMatrix, Inspection } from '../core/csr.js';
import { evenly, rowSpan } from '../core/span.js';
import { READ_PAST } from '../formats/csr/csr.js';
import { findDisorder, PAGE_BYTES, touch } from '../formats/layout/entry-loops.js';
import type { Keepable } from '../formats/layout/keep.js';
import type { RunLoop } from '../formats/layout/loop.js';
import type { HeapScope } from '../memory/heap.js';

/** Smaller matrices are used where they are: waking a thread takes as long as converting them. */
const LARGE = 100_000;

/** The copies are made only if the heap has room for this many times their size: the layout must fit beside them. */
const ROOM = 5;

/** Cost of writing the first byte of a page, in entries of a matrix. */
const PAGE_WORK = 100;

/** An inspection that copies matrices. */
export interface Staging extends Inspection {
  /** The copies, which layouts may keep. */
  readonly copies: Keepable;
}

/** Moves matrices into blocks of the scope, and checks them on the team. */
export function inHeap(scope: HeapScope, runLoop: RunLoop): Staging {
  const copies = new Set<ArrayBufferView>();
  return {
    copies,
    place: (matrix) => placed(scope, runLoop, matrix, copies),
    isCanonical(matrix) {
      const { cols, nnz, rowPtr, colIdx } = matrix;
      const found = scope.array(Uint32Array, 1).fill(0);
      runLoop(findDisorder, { cols, nnz, rowPtr, colIdx, found }, rowSpan(matrix));
      return found[0] === 0;
    },
  };
}

function placed(scope: HeapScope, runLoop: RunLoop, matrix: CsrMatrix, copies: Set<ArrayBufferView>): CsrMatrix {
  const { heap } = scope;
  const { nnz, rowPtr, colIdx, values } = matrix;
  const outside = [rowPtr, colIdx, values].filter((array) => !heap.owns(array));
  const bytes = outside.reduce((sum, array) => sum + array.byteLength, 0);
  if (nnz < LARGE || bytes === 0 || ROOM * bytes > heap.bytesFree) return matrix;
  const copy = <T extends CsrMatrix['values'] | Uint32Array>(source: T): T => {
    if (heap.owns(source)) return source;
    const type = source.constructor as new (buffer: ArrayBufferLike, offset: number, length: number) => T;
    const block = scope.array(Uint8Array, source.byteLength + READ_PAST * source.BYTES_PER_ELEMENT);
    runLoop(touch, { bytes: block }, evenly(Math.ceil(block.length / PAGE_BYTES), PAGE_WORK));
    const target = new type(block.buffer, block.byteOffset, source.length);
    target.set(source);
    copies.add(target);
    return target;
  };
  return { ...matrix, rowPtr: copy(rowPtr), colIdx: copy(colIdx), values: copy(values) };
}
