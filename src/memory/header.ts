/**
 * Header blocks: a record of 32-bit words in the heap, the only description of a matrix that a kernel gets.
 *
 * A layout is the list of the words' names, in order. It is declared once, next to the format. `class …Header` in `assembly/`
 * and `struct …Header` in `cuda/` repeat it; `test/formats/headers.test.ts` compares all three.
 */
import { mismatch } from '../core/errors.js';
import type { Heap, HeapScope } from './heap.js';

/** The values of a header's words: a number, the address of an array, or 0 for an array that does not exist. */
export type HeaderWords<Word extends string> = Readonly<Record<Word, number | ArrayBufferView | undefined>>;

/**
 * Places a header in a new block of the scope. Returns its address.
 *
 * @throws SparlaneError `argument` if an array is not in the scope's heap
 */
export function placeHeader<const Word extends string>(
  scope: HeapScope,
  layout: readonly Word[],
  words: HeaderWords<NoInfer<Word>>,
): number {
  return scope.copy(
    Uint32Array,
    layout.map((name) => wordOf(scope.heap, name, words[name])),
  ).byteOffset;
}

/** Only an array without elements may lie elsewhere: its address is 0. */
function wordOf(heap: Heap, name: string, word: number | ArrayBufferView | undefined): number {
  if (typeof word === 'number') return word;
  if (word === undefined) return 0;
  if (heap.owns(word)) return word.byteOffset;
  if (word.byteLength > 0) throw mismatch('argument', name, 'an array in the heap', word);
  return 0;
}

/** The words of a header, as unsigned numbers. It may be longer than the layout, if another one begins with this one. */
export function readHeader<const Word extends string>(
  heap: Heap,
  layout: readonly Word[],
  address: number,
): Record<Word, number> {
  const words = heap.view(Uint32Array, address, layout.length);
  return Object.fromEntries(layout.map((name, k) => [name, words[k]!])) as Record<Word, number>;
}
