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

type Touch = { readonly bytes: Uint8Array };

/** The system maps so many bytes at once, or more. */
const PAGE_BYTES = 4096;

/** Writing the first byte of a page takes as long as so many entries of a matrix. Chosen. */
const PAGE_WORK = 100;

/** Writes one byte of each page, so that the system maps it near this thread. Units: pages. */
export const touch: Loop<Touch> = {
  fields: ['bytes'],
  run({ bytes }, begin, end) {
    for (let page = begin; page < end; page++) bytes[page * PAGE_BYTES] = 0;
  },
};

/** The threads map the pages of an array, each those of its part, which takes several times as long as copying into them. */
export function mapPages({ buffer, byteOffset, byteLength }: LoopArray, runLoop: RunLoop): void {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  runLoop(touch, { bytes }, evenly(Math.ceil(byteLength / PAGE_BYTES), PAGE_WORK));
}

/** Copies the source to the beginning of the target. Only the caller's thread reads a source outside the heap. */
export function copyWith(runLoop: RunLoop, source: LoopArray, target: LoopArray): void {
  if (source.buffer !== target.buffer) mapPages(target, runLoop);
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
