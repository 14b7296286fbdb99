/** This file finds the different numbers of a list, in order. */

/** An element of a Uint32Array marks 32 numbers, one by each bit. */
const LOG_WORD_BITS = 5;
const WORD_BITS = 1 << LOG_WORD_BITS;

/** Returns the different numbers of an array, ascending. It takes O(n) where the greatest number is less than 32 n above the least, else O(n log n). */
export function distinct(numbers: Uint32Array): Uint32Array {
  const [first, last] = range(numbers);
  const words = Math.floor((last - first) / WORD_BITS) + 1;
  if (words <= numbers.length) return marked(numbers, first, words);
  return numbers
    .slice()
    .sort()
    .filter((value, i, sorted) => i === 0 || value !== sorted[i - 1]);
}

/** Returns the least and the greatest number. */
function range(numbers: Uint32Array): [first: number, last: number] {
  let [first, last] = [2 ** 32, 0];
  for (let i = 0; i < numbers.length; i++) {
    first = Math.min(first, numbers[i]!);
    last = Math.max(last, numbers[i]!);
  }
  return [Math.min(first, last), last];
}

/** Marks each number by a bit, and reads the marks in order. */
function marked(numbers: Uint32Array, first: number, words: number): Uint32Array {
  const marks = new Uint32Array(words);
  for (let i = 0; i < numbers.length; i++) {
    const place = numbers[i]! - first;
    marks[place >>> LOG_WORD_BITS]! |= 1 << (place & (WORD_BITS - 1));
  }
  const found = new Uint32Array(Math.min(numbers.length, WORD_BITS * words));
  let count = 0;
  for (let word = 0; word < words; word++)
    for (let left = marks[word]! | 0; left !== 0; left &= left - 1)
      found[count++] = first + WORD_BITS * word + (WORD_BITS - 1 - Math.clz32(left & -left));
  return found.slice(0, count);
}
