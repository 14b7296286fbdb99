/** Ways to compute products that differ in a word of the header (`StoredMatrix.ways`). */
import { type HeaderLayout, placeOf, wordsOf } from '../../memory/header.js';
import type { Heap } from '../../memory/heap.js';

/** Returns a function for each value of the word that makes it so: the present value comes first, then the others of `values`. */
export function waysOfWord<Word extends string>(
  heap: Heap,
  header: number,
  layout: HeaderLayout<Word>,
  word: NoInfer<Word>,
  values: readonly number[],
): readonly (() => void)[] {
  const words = () => heap.view(Uint32Array, header, wordsOf(layout).length);
  const place = placeOf(layout, word);
  const now = words()[place]!;
  return [now, ...values.filter((value) => value !== now)].map((value) => () => {
    words()[place] = value;
  });
}
