/**
 * A set of rows of a piece, of which the first one is found in a few steps: a bit for each row, one for each word of bits, and one for
 * each word of those.
 *
 * Source: van Emde Boas, "Preserving order in a forest in less than logarithmic time", 1975 (a word in place of a recursion).
 */

@unmanaged
export class FirstRows {
  count!: u32;
  /** The row of bit 0. */
  first!: u32;
  /** u64: the bits; which words of them are not 0; which words of those are not 0. */
  bits!: usize;
  words!: usize;
  groups!: usize;

  /** Empty, for the rows [begin, end). What follows in memory is used for the bits: `firstRowsBytes` in `slices.ts`. */
  clear(begin: u32, end: u32): void {
    const words = ((end - begin) >> 6) + 1;
    const groups = (words >> 6) + 1;
    this.count = 0;
    this.first = begin;
    this.bits = (changetype<usize>(this) + offsetof<FirstRows>() + 7) & ~7;
    this.words = this.bits + ((<usize>words) << 3);
    this.groups = this.words + ((<usize>groups) << 3);
    memory.fill(this.bits, 0, (<usize>(words + groups + (groups >> 6) + 1)) << 3);
  }

  /** A row that the set does not have. */
  @inline
  add(row: u32): void {
    const bit = row - this.first;
    this.count++;
    set(this.bits, bit);
    set(this.words, bit >> 6);
    set(this.groups, bit >> 12);
  }

  /** Removes the first row of a set that has one. */
  @inline
  takeFirst(): u32 {
    let at = this.groups;
    while (load<u64>(at) === 0) at += 8;
    const group = ((<u32>(at - this.groups)) << 3) | <u32>ctz<u64>(load<u64>(at));
    const atWord = this.words + ((<usize>group) << 3);
    const wordBits = load<u64>(atWord);
    const index = (group << 6) | <u32>ctz<u64>(wordBits);
    const atBits = this.bits + ((<usize>index) << 3);
    const bits = load<u64>(atBits);
    const rest = bits & (bits - 1);
    store<u64>(atBits, rest);
    if (rest === 0) {
      const restOfWords = wordBits & (wordBits - 1);
      store<u64>(atWord, restOfWords);
      if (restOfWords === 0) store<u64>(at, load<u64>(at) & (load<u64>(at) - 1));
    }
    this.count--;
    return this.first + ((index << 6) | <u32>ctz<u64>(bits));
  }
}

@inline
function set(bits: usize, bit: u32): void {
  const at = bits + ((<usize>(bit >> 6)) << 3);
  store<u64>(at, load<u64>(at) | ((<u64>1) << (bit & 63)));
}
