/**
 * Vectors between guard words. The guards are NaN in every precision: a kernel that reads past an end gets NaN in its
 * sums, and a kernel that writes past an end destroys the pattern. Because of their length, the vector is aligned only
 * to its elements.
 */
import type { FloatArray, FloatArrayConstructor } from '../core/types.js';
import type { HeapScope } from '../memory/heap.js';
import { strideOf } from '../memory/rows.js';
import type { Space } from '../memory/space.js';
import { Vector } from '../memory/vector.js';

const GUARD_ELEMENTS = 9;
const GUARD_WORD = 0xffff_ffff;

export interface FramedVector {
  readonly vector: Vector;
  readonly data: FloatArray;
  /** The vector's bits. */
  readonly words: Uint32Array;
  guardsIntact(): boolean;
}

/** @param space the heap */
export function framedVector(
  space: Space,
  scope: HeapScope,
  type: FloatArrayConstructor,
  length: number,
  columns = 1,
): FramedVector {
  const elements = length * strideOf(type, columns);
  const block = scope.array<FloatArray>(type, elements + 2 * GUARD_ELEMENTS);
  const words = scope.heap.view(Uint32Array, block.byteOffset, block.byteLength / 4).fill(GUARD_WORD);
  const data = block.subarray(GUARD_ELEMENTS, GUARD_ELEMENTS + elements);
  const guardWords = (GUARD_ELEMENTS * type.BYTES_PER_ELEMENT) / 4;
  const guards = [words.subarray(0, guardWords), words.subarray(words.length - guardWords)];
  return {
    vector: new Vector(space, type, length, data, columns),
    data,
    words: words.subarray(guardWords, words.length - guardWords),
    guardsIntact: () => guards.every(isIntact),
  };
}

function isIntact(guard: Uint32Array): boolean {
  for (let k = 0; k < guard.length; k++) if (guard[k] !== GUARD_WORD) return false;
  return true;
}

export function sameWords(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}
