/**
 * Header blocks: a record of 32-bit words in the heap, the only description of a matrix that a kernel gets.
 *
 * A layout lists the words in order, each with its type. It is declared once, next to the format, in an exported constant `X_HEADER`; the
 * build makes `class XHeader` of AssemblyScript and `struct XHeader` of CUDA from it (`scripts/describe-kernels.mjs`).
 */
import { mismatch } from '../core/errors.js';
import type { Heap, HeapScope } from './heap.js';

/** The type of a word: a number, or the address of an array (`usize`), which is 0 for an array that does not exist. */
export type WordType = 'u32' | 'i32' | 'usize';

/** The words of a header in order. */
export type HeaderLayout<Word extends string = string> = Readonly<Record<Word, WordType>>;

/** The values of a header's words: a number, the address of an array, or 0 for an array that does not exist. */
export type HeaderWords<Word extends string> = Readonly<Record<Word, number | ArrayBufferView | undefined>>;

/** The layouts with which others begin; the build asks (`scripts/describe-kernels.mjs`). */
const BASES = new WeakMap<HeaderLayout, HeaderLayout>();

/** A layout that begins with the words of another one: a kernel that reads the other one reads this one, too. */
export function extendHeader<const Base extends HeaderLayout, const Words extends HeaderLayout>(
  base: Base,
  words: Words,
): Base & Words {
  const layout = { ...base, ...words };
  BASES.set(layout, base);
  return layout;
}

/** The layout that was extended, if any. */
export function baseOfHeader(layout: HeaderLayout): HeaderLayout | undefined {
  return BASES.get(layout);
}

/** The names of the words, in order. */
export function wordsOf<Word extends string>(layout: HeaderLayout<Word>): readonly Word[] {
  return Object.keys(layout) as Word[];
}

/** The place of a word: a number of words before it. */
export function placeOf<Word extends string>(layout: HeaderLayout<Word>, word: NoInfer<Word>): number {
  return wordsOf(layout).indexOf(word);
}

/**
 * Places a header in a new block of the scope. Returns its address.
 *
 * @throws SparlaneError `argument` if an array is not in the scope's heap
 */
export function placeHeader<const Word extends string>(
  scope: HeapScope,
  layout: HeaderLayout<Word>,
  words: HeaderWords<NoInfer<Word>>,
): number {
  return scope.copy(
    Uint32Array,
    wordsOf(layout).map((name) => wordOf(scope.heap, name, words[name])),
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
  layout: HeaderLayout<Word>,
  address: number,
): Record<Word, number> {
  const names = wordsOf(layout);
  const words = heap.view(Uint32Array, address, names.length);
  return Object.fromEntries(names.map((name, k) => [name, words[k]!])) as Record<Word, number>;
}
