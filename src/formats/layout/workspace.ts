/** Intermediate arrays of a conversion, which all threads can use, and the threads that fill them. */
import type { CsrMatrix } from '../../core/csr.js';
import type { Heap } from '../../memory/heap.js';
import { type LoopArray, type RunLoop, serially } from './loop.js';

type ArrayConstructor<T> = {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
};

/** Disposed when the conversion ends. */
export interface ConversionWorkspace extends Disposable {
  readonly runLoop: RunLoop;
  /** An array for the time of the conversion. Its contents are undefined. */
  readonly array: <T extends LoopArray>(type: ArrayConstructor<T>, length: number) => T;
}

/** On the caller's thread, with arrays outside the heap. */
export const ALONE: ConversionWorkspace = {
  runLoop: serially,
  array: (type, length) => new type(new ArrayBuffer(length * type.BYTES_PER_ELEMENT), 0, length),
  [Symbol.dispose]() {},
};

/** Arrays are made in the heap if it has room for this many times the matrix: the layout must fit beside them. */
const ROOM = 3;

/** For a matrix in the heap its arrays are there too; otherwise no loop over the matrix leaves the caller's thread. */
export function workspaceFor(heap: Heap, matrix: CsrMatrix, runLoop: RunLoop = serially): ConversionWorkspace {
  const { rowPtr, colIdx, values } = matrix;
  const arrays = [rowPtr, colIdx, values];
  const bytes = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (runLoop === serially || ROOM * bytes > heap.bytesFree || !arrays.every((array) => heap.owns(array)))
    return { ...ALONE, runLoop };
  const scope = heap.scope();
  return {
    runLoop,
    array: (type, length) => scope.array(type, length),
    [Symbol.dispose]: () => scope[Symbol.dispose](),
  };
}
