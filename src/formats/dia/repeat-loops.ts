/** The loops that find chunks with the same entries; `repeats.ts` uses them. */
import type { FloatArray } from '../../core/types.js';
import type { Loop } from '../layout/loop.js';
import { firstDiagonal } from './diagonals.js';

const { imul } = Math;

type Chunks = {
  readonly rows: number;
  readonly chunkHeight: number;
  /** 32-bit words of a value. */
  readonly width: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
};

export const HASH_CHUNKS_HEADER = {
  rows: 'u32',
  chunkHeight: 'u32',
  width: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  hashes: 'usize',
} as const;

type HashChunks = Chunks & {
  /** Two words per chunk. */
  readonly hashes: Uint32Array;
};

/** Two hashes of the entries of each chunk: offsets from the diagonal, and the bits of the values. Units: chunks. */
export const hashChunks: Loop<HashChunks> = {
  header: HASH_CHUNKS_HEADER,
  kernel: () => 'dia_hash',
  run({ rows, chunkHeight, width, rowPtr, colIdx, values, hashes }, begin, end) {
    const words = wordsOf(values);
    for (let chunk = begin; chunk < end; chunk++) {
      let low = 0;
      let high = 0;
      const rowsEnd = Math.min((chunk + 1) * chunkHeight, rows);
      for (let i = chunk * chunkHeight; i < rowsEnd; i++) {
        for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
          const offset = colIdx[k]! - i;
          const first = words[k * width]!;
          const last = words[(k + 1) * width - 1]!;
          const lowWord = imul(offset, 0x9e37_79b1) + imul(first, 0x85eb_ca6b) + imul(last, 0xc2b2_ae35);
          const highWord = imul(offset, 0x1656_67b1) + imul(first, 0xcc9e_2d51) + imul(last, 0x1b87_3593);
          low = imul(((low << 13) | (low >>> 19)) ^ lowWord, 0x27d4_eb2f);
          high = imul(((high << 7) | (high >>> 25)) ^ highWord, 0x2545_f491);
        }
      }
      hashes[2 * chunk] = low;
      hashes[2 * chunk + 1] = high;
    }
  },
};

export const COMPARE_CHUNKS_HEADER = {
  rows: 'u32',
  chunkHeight: 'u32',
  diagonals: 'u32',
  width: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  offsets: 'usize',
  counts: 'usize',
  owner: 'usize',
} as const;

type CompareChunks = Chunks & {
  readonly diagonals: number;
  readonly offsets: Int32Array;
  /** Diagonals of each chunk. */
  readonly counts: Uint32Array;
  /** For each chunk the first one with the same hashes; of a chunk that differs from it, afterwards the chunk itself. */
  readonly owner: Uint32Array;
};

/** Units: chunks. */
export const compareChunks: Loop<CompareChunks> = {
  header: COMPARE_CHUNKS_HEADER,
  kernel: () => 'dia_compare',
  run(job, begin, end) {
    for (let chunk = begin; chunk < end; chunk++) {
      const { owner } = job;
      if (owner[chunk] !== chunk && !areSame(job, chunk, owner[chunk]!)) owner[chunk] = chunk;
    }
  },
};

/** Whether two chunks, the second one complete, store the same diagonals, and their rows the same entries there. */
function areSame(job: CompareChunks, chunk: number, other: number): boolean {
  const { rows, chunkHeight, width, rowPtr, colIdx, values, offsets, counts } = job;
  const words = wordsOf(values);
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
function wordsOf({ buffer, byteOffset, byteLength }: FloatArray): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
