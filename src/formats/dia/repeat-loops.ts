/** This loop finds chunks with the same entries, for `repeats.ts`. */
import type { FloatArray } from '../../core/types.js';
import type { Loop } from '../layout/loop.js';
import { firstDiagonal } from './diagonals.js';
import { entriesOfChunks } from './loops.js';

const { imul } = Math;

export const FIND_REPEATS_HEADER = {
  rows: 'u32',
  chunkHeight: 'u32',
  diagonals: 'u32',
  width: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  offsets: 'usize',
  counts: 'usize',
  hashes: 'usize',
  slots: 'usize',
  owner: 'usize',
} as const;

export type FindRepeats = {
  readonly rows: number;
  readonly chunkHeight: number;
  readonly diagonals: number;
  /** 32-bit words of a value. */
  readonly width: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
  readonly offsets: Int32Array;
  /** Diagonals of each chunk. */
  readonly counts: Uint32Array;
  /** Two hashes of the entries of each chunk: of their rows and diagonals, and of the bits of their values. Undefined for those with another owner. */
  readonly hashes: Uint32Array;
  /** A table of chunks by their hashes, of each range in its own slots; undefined before. */
  readonly slots: Uint32Array;
  /** The owner of a chunk is an earlier one of the same range that is known to have the same entries, or the chunk itself. */
  readonly owner: Uint32Array;
};

/** Compares each chunk with the one before it, and with the latest one of the range whose hashes have the same slot. Units: chunks. */
export const findRepeats: Loop<FindRepeats> = {
  header: FIND_REPEATS_HEADER,
  kernel: () => 'dia_repeats',
  reads: { fields: ['colIdx', 'values'], range: entriesOfChunks },
  run(job, begin, end) {
    const { rows, chunkHeight, width, rowPtr, colIdx, values, hashes, slots, owner } = job;
    const words = wordsOf(values);
    // A slot holds a number that is no chunk of the range until it gets one.
    slots.fill(end, begin, end);
    for (let chunk = begin; chunk < end; chunk++) {
      if (chunk > begin && areSame(job, words, chunk, chunk - 1)) {
        owner[chunk] = owner[chunk - 1]!;
        continue;
      }
      let low = 0;
      let high = 0;
      const chunkRow = chunk * chunkHeight;
      let k = rowPtr[chunkRow]!;
      const rowsEnd = Math.min(chunkRow + chunkHeight, rows);
      for (let i = chunkRow; i < rowsEnd; i++) {
        for (; k < rowPtr[i + 1]!; k++) {
          const place = imul(colIdx[k]! - i, chunkHeight) + (i - chunkRow);
          const first = words[k * width]!;
          const last = words[(k + 1) * width - 1]!;
          const lowWord = imul(place, 0x9e37_79b1) + imul(first, 0x85eb_ca6b) + imul(last, 0xc2b2_ae35);
          const highWord = imul(place, 0x1656_67b1) + imul(first, 0xcc9e_2d51) + imul(last, 0x1b87_3593);
          low = imul(((low << 13) | (low >>> 19)) ^ lowWord, 0x27d4_eb2f);
          high = imul(((high << 7) | (high >>> 25)) ^ highWord, 0x2545_f491);
        }
      }
      const slot = begin + (((low ^ (high >>> 15)) >>> 0) % (end - begin));
      const other = slots[slot]!;
      if (other < end && areSame(job, words, chunk, other)) {
        owner[chunk] = other;
        continue;
      }
      slots[slot] = chunk;
      owner[chunk] = chunk;
      hashes[2 * chunk] = low;
      hashes[2 * chunk + 1] = high;
    }
  },
};

/** Says whether two chunks store the same diagonals, and their rows have the same entries there. The second chunk is complete. @param words the bits of values */
export function areSame(job: FindRepeats, words: Uint32Array, chunk: number, other: number): boolean {
  const { rows, chunkHeight, width, rowPtr, colIdx, offsets, counts } = job;
  const row = chunk * chunkHeight;
  const first = other * chunkHeight;
  if (row + chunkHeight > rows || counts[chunk] !== counts[other]) return false;
  if (firstDiagonal(offsets, chunkHeight, row) !== firstDiagonal(offsets, chunkHeight, first)) return false;
  const begin = rowPtr[row]!;
  const toOther = rowPtr[first]! - begin;
  for (let i = 1; i <= chunkHeight; i++) if (rowPtr[row + i]! + toOther !== rowPtr[first + i]) return false;
  const end = rowPtr[row + chunkHeight]!;
  for (let k = begin; k < end; k++) if (colIdx[k]! - colIdx[k + toOther]! !== row - first) return false;
  for (let word = begin * width; word < end * width; word++) {
    if (words[word] !== words[word + toOther * width]) return false;
  }
  return true;
}

/** Returns the bits of values, as words of 32 bits. */
export function wordsOf({ buffer, byteOffset, byteLength }: FloatArray): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
