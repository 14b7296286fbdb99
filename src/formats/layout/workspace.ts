/** Intermediate arrays of a conversion, which all threads can use, and the threads that fill them. */
import type { CsrMatrix } from '../../core/csr.js';
import type { Heap } from '../../memory/heap.js';
import { copied } from './copy-loop.js';
import { type ArrayConstructor, type LoopArray, type RunLoop, serially, typeOf } from './loop.js';

/** Disposed when the conversion ends. */
export interface ConversionWorkspace extends Disposable {
  readonly runLoop: RunLoop;
  /** An array for the time of the conversion. Its contents are undefined. */
  readonly array: <T extends LoopArray>(type: ArrayConstructor<T>, length: number) => T;
  /** Returns an array of the matrix where all threads can use it: itself, or a copy for the time of the conversion. */
  readonly near: <T extends LoopArray>(array: T) => T;
}

/** On the caller's thread, with arrays outside the heap. */
export const ALONE: ConversionWorkspace = {
  runLoop: serially,
  array: (type, length) => new type(new ArrayBuffer(length * type.BYTES_PER_ELEMENT), 0, length),
  near: (array) => array,
  [Symbol.dispose]() {},
};

/** Arrays are made in the heap if it has room for this many times the matrix: the layout must fit beside them. */
const ROOM = 3;

/** If the row pointers are in the heap, its arrays are there too; otherwise no loop over the matrix leaves the caller's thread. */
export function workspaceFor(heap: Heap, matrix: CsrMatrix, runLoop: RunLoop = serially): ConversionWorkspace {
  const { rowPtr, colIdx, values } = matrix;
  const bytes = rowPtr.byteLength + colIdx.byteLength + values.byteLength;
  if (runLoop === serially || ROOM * bytes > heap.bytesFree || !heap.owns(rowPtr)) return { ...ALONE, runLoop };
  const scope = heap.scope();
  return {
    runLoop,
    array: (type, length) => scope.array(type, length),
    near: (array) => (heap.owns(array) ? array : copied(scope, array, typeOf(array), runLoop)),
    [Symbol.dispose]: () => scope[Symbol.dispose](),
  };
}
