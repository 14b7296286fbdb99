/** Loops over the values of a matrix; `codes.ts` defines codes. */
import type { FloatArray } from '../../core/types.js';
import { CodeBook, MAX_VALUES } from './code-book.js';
import { atomicMin, type Loop } from './loop.js';

/** Entries of a block. */
export const CODES_BLOCK: number = 2 ** 15;

/** Instead of a number of values: there are too many. */
export const TOO_MANY: number = MAX_VALUES + 1;

type EncodeBlocks = {
  readonly values: FloatArray;
  /** 1 if values are rounded to f32, else 0. */
  readonly isRounded: number;
  /** The words of the values that every block knows. */
  readonly known: Uint32Array;
  readonly codes: Uint8Array;
  /** For each block the number of its values, the known ones included, or TOO_MANY. */
  readonly counts: Uint32Array;
  /** 2 · MAX_VALUES for each block: the words of its values; only those after the known ones are written. */
  readonly bits: Uint32Array;
};

/** Units: blocks. */
export const encodeBlocks: Loop<EncodeBlocks> = {
  fields: ['values', 'isRounded', 'known', 'codes', 'counts', 'bits'],
  run({ values, isRounded, known, codes, counts, bits }, begin, end) {
    const book = new CodeBook();
    for (let word = 0; word < known.length; word += 2) book.codeOf(known[word]!, known[word + 1]!);
    book.keep();
    for (let block = begin; block < end; block++) {
      book.forget();
      const last = Math.min((block + 1) * CODES_BLOCK, values.length);
      if (!book.encode(values, isRounded === 1, block * CODES_BLOCK, last, codes)) {
        counts[block] = TOO_MANY;
        return;
      }
      counts[block] = book.count;
      bits.set(book.bits.subarray(known.length, 2 * book.count), 2 * MAX_VALUES * block + known.length);
    }
  },
};

type RenumberBlocks = {
  readonly codes: Uint8Array;
  /** For each block the number of its codes; 0 if they stay. */
  readonly counts: Uint32Array;
  /** MAX_VALUES for each block: the new code of each code. */
  readonly maps: Uint8Array;
};

/** Units: blocks. */
export const renumberBlocks: Loop<RenumberBlocks> = {
  fields: ['codes', 'counts', 'maps'],
  run({ codes, counts, maps }, begin, end) {
    for (let block = begin; block < end; block++) {
      if (counts[block] === 0) continue;
      const map = MAX_VALUES * block;
      const last = Math.min((block + 1) * CODES_BLOCK, codes.length);
      for (let k = block * CODES_BLOCK; k < last; k++) codes[k] = maps[map + codes[k]!]!;
    }
  },
};

type FindOther = {
  readonly values: FloatArray;
  /** One element: the least index of a value that is not 1, of all threads. */
  readonly least: Uint32Array;
};

/** Units: entries. */
export const findOther: Loop<FindOther> = {
  fields: ['values', 'least'],
  run({ values, least }, begin, end) {
    let k = begin;
    while (k < end && values[k] === 1) k++;
    if (k < end) atomicMin(least, k);
  },
};
