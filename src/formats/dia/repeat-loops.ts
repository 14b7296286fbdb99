/** The loops that find chunks with the same entries; `repeats.ts` uses them. */
import type { FloatArray } from '../../core/types.js';
import { extendHeader } from '../../memory/header.js';
import { entriesOfRows, type Loop } from '../layout/loop.js';
import { firstDiagonal } from './diagonals.js';

const { imul } = Math;

type Chunks = {
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
};

export const CHUNKS_HEADER = {
  rows: 'u32',
  chunkHeight: 'u32',
  diagonals: 'u32',
  width: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  offsets: 'usize',
  counts: 'usize',
} as const;

const FIND_WORDS = {
  hashes: 'usize',
  places: 'usize',
  owner: 'usize',
} as const;

export const FIND_REPEATS_HEADER: typeof CHUNKS_HEADER & typeof FIND_WORDS = extendHeader(CHUNKS_HEADER, FIND_WORDS);

type FindRepeats = Chunks & {
  /** Two hashes of the entries of each chunk: of offsets from the diagonal, and of the bits of values. Undefined for those with another owner. */
  readonly hashes: Uint32Array;
  /** A table of chunks by their hashes, in the places of the chunks themselves; undefined before. */
  readonly places: Uint32Array;
  /** For each chunk an earlier one of the same range that is known to have the same entries, or itself. */
  readonly owner: Uint32Array;
};

/** A place of the table that has no chunk. */
const FREE = 0xffff_ffff;

/** Compares each chunk with the one before it, and with the latest one in the range that has the same place in the table. Units: chunks. */
export const findRepeats: Loop<FindRepeats> = {
  header: FIND_REPEATS_HEADER,
  kernel: () => 'dia_repeats',
  reads: {
    fields: ['colIdx', 'values'],
    range: ({ chunkHeight, rowPtr }, begin, end) => entriesOfRows(rowPtr, chunkHeight * begin, chunkHeight * end),
  },
  run(job, begin, end) {
    const { rows, chunkHeight, width, rowPtr, colIdx, values, hashes, places, owner } = job;
    const words = wordsOf(values);
    const isSame = (chunk: number, other: number): boolean =>
      areSame(job, words, chunk, other, rowPtr[chunk * chunkHeight]!, rowPtr[other * chunkHeight]!);
    places.fill(FREE, begin, end);
    for (let chunk = begin; chunk < end; chunk++) {
      if (chunk > begin && isSame(chunk, chunk - 1)) {
        owner[chunk] = owner[chunk - 1]!;
        continue;
      }
      let low = 0;
      let high = 0;
      let k = rowPtr[chunk * chunkHeight]!;
      const rowsEnd = Math.min((chunk + 1) * chunkHeight, rows);
      for (let i = chunk * chunkHeight; i < rowsEnd; i++) {
        for (; k < rowPtr[i + 1]!; k++) {
          const offset = colIdx[k]! - i;
          const first = words[k * width]!;
          const last = words[(k + 1) * width - 1]!;
          const lowWord = imul(offset, 0x9e37_79b1) + imul(first, 0x85eb_ca6b) + imul(last, 0xc2b2_ae35);
          const highWord = imul(offset, 0x1656_67b1) + imul(first, 0xcc9e_2d51) + imul(last, 0x1b87_3593);
          low = imul(((low << 13) | (low >>> 19)) ^ lowWord, 0x27d4_eb2f);
          high = imul(((high << 7) | (high >>> 25)) ^ highWord, 0x2545_f491);
        }
      }
      const place = begin + (((low ^ (high >>> 15)) >>> 0) % (end - begin));
      const other = places[place]!;
      if (other !== FREE && isSame(chunk, other)) {
        owner[chunk] = other;
        continue;
      }
      places[place] = chunk;
      owner[chunk] = chunk;
      hashes[2 * chunk] = low;
      hashes[2 * chunk + 1] = high;
    }
  },
};

const COMPARE_WORDS = {
  copyPtr: 'usize',
  owner: 'usize',
} as const;

export const COMPARE_CHUNKS_HEADER: typeof CHUNKS_HEADER & typeof COMPARE_WORDS = extendHeader(
  CHUNKS_HEADER,
  COMPARE_WORDS,
);

/** `colIdx` and `values` are copies of the entries of those chunks that are compared. */
type CompareChunks = Chunks & {
  /** For each chunk that is compared its first entry in the copies. */
  readonly copyPtr: Uint32Array;
  /** For each chunk itself, or the first one with the same hashes; of a chunk that differs from it, afterwards the chunk itself. */
  readonly owner: Uint32Array;
};

/** Units: chunks. */
export const compareChunks: Loop<CompareChunks> = {
  header: COMPARE_CHUNKS_HEADER,
  kernel: () => 'dia_compare',
  run(job, begin, end) {
    const { values, copyPtr, owner } = job;
    const words = wordsOf(values);
    for (let chunk = begin; chunk < end; chunk++) {
      const other = owner[chunk]!;
      if (other !== chunk && !areSame(job, words, chunk, other, copyPtr[chunk]!, copyPtr[other]!)) owner[chunk] = chunk;
    }
  },
};

/**
 * Whether two chunks, the second one complete, store the same diagonals, and their rows the same entries there.
 *
 * @param words the bits of values
 * @param begin the first entry of the chunk in `colIdx` and `values`
 * @param otherBegin that of the other one
 */
function areSame(
  { rows, chunkHeight, width, rowPtr, colIdx, offsets, counts }: Chunks,
  words: Uint32Array,
  chunk: number,
  other: number,
  begin: number,
  otherBegin: number,
): boolean {
  const row = chunk * chunkHeight;
  const first = other * chunkHeight;
  if (row + chunkHeight > rows || counts[chunk] !== counts[other]) return false;
  if (firstDiagonal(offsets, chunkHeight, row) !== firstDiagonal(offsets, chunkHeight, first)) return false;
  const between = rowPtr[row]! - rowPtr[first]!;
  for (let i = 1; i <= chunkHeight; i++) if (rowPtr[row + i]! - rowPtr[first + i]! !== between) return false;
  const nnz = rowPtr[row + chunkHeight]! - rowPtr[row]!;
  for (let k = 0; k < nnz; k++) if (colIdx[begin + k]! - colIdx[otherBegin + k]! !== row - first) return false;
  for (let k = 0; k < nnz * width; k++) if (words[begin * width + k] !== words[otherBegin * width + k]) return false;
  return true;
}

/** Returns the bits of values, as words of 32 bits. */
function wordsOf({ buffer, byteOffset, byteLength }: FloatArray): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
