/** Arrays that are written for the first time, each part by the thread that later reads it. */
import { evenly } from '../../core/span.js';
import type { HeapScope } from '../../memory/heap.js';
import type { Loop, LoopArray, RunLoop } from './loop.js';

type Copy = { readonly source: LoopArray; readonly target: LoopArray };

/** Units: elements; the target may be longer. */
export const copyElements: Loop<Copy> = {
  fields: ['source', 'target'],
  run({ source, target }, begin, end) {
    target.set(source.subarray(begin, end), begin);
  },
};

type Clear = { readonly target: LoopArray };

/** Writes zeros. Units: elements. */
export const clearElements: Loop<Clear> = {
  fields: ['target'],
  run({ target }, begin, end) {
    target.fill(0, begin, end);
  },
};

/** Cost of writing an element, in entries of a matrix. */
const ELEMENT_WORK = 1 / 4;

/** Writes zeros to all elements. */
export function clearWith(runLoop: RunLoop, target: LoopArray): void {
  runLoop(clearElements, { target }, evenly(target.length, ELEMENT_WORK));
}

/** Copies the source to the beginning of the target. */
export function copyWith(runLoop: RunLoop, source: LoopArray, target: LoopArray): void {
  runLoop(copyElements, { source, target }, evenly(source.length, ELEMENT_WORK));
}

/** A copy in the heap. */
export function copied<T extends LoopArray>(
  scope: HeapScope,
  source: LoopArray,
  type: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBufferLike, offset: number, length: number): T },
  runLoop: RunLoop,
): T {
  const target = scope.array(type, source.length);
  copyWith(runLoop, source, target);
  return target;
}
