/** The loop that writes the values of DIA; `dia.ts` defines the layout. */
import type { FloatArray } from '../../core/types.js';
import { entriesOfRows, kernelOfCopy, type Loop } from '../layout/loop.js';

export const PLACE_DIAGONALS_HEADER = {
  rows: 'u32',
  chunkHeight: 'u32',
  diagonals: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  offsets: 'usize',
  counts: 'usize',
  chunkPtr: 'usize',
  data: 'usize',
  zeroCount: 'usize',
} as const;

type PlaceDiagonals = {
  readonly rows: number;
  readonly chunkHeight: number;
  readonly diagonals: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
  readonly offsets: Int32Array;
  /** Diagonals of each chunk; 0: its values are stored by another chunk. */
  readonly counts: Uint32Array;
  /** Start of each chunk, in diagonals of a chunk. */
  readonly chunkPtr: Uint32Array;
  readonly data: FloatArray;
  /** One element: the number of entries that are zero as stored, of all threads. */
  readonly zeroCount: Uint32Array;
};

/** Only values between −TINY and TINY are rounded to 0 in f32. */
const TINY = 1e-40;

/** Writes the values and the padding of chunks, row by row. Units: chunks. */
export const placeDiagonals: Loop<PlaceDiagonals> = {
  header: PLACE_DIAGONALS_HEADER,
  kernel: ({ values, data }) => kernelOfCopy('dia_place', values, data),
  reads: {
    fields: ['colIdx', 'values'],
    range: entriesOfChunks,
    writes: ['data'],
  },
  run(job, begin, end) {
    const { rows, chunkHeight, diagonals, rowPtr, colIdx, values, offsets, counts, chunkPtr, data, zeroCount } = job;
    let first = diagonals;
    let zeros = 0;
    for (let chunk = begin; chunk < end; chunk++) {
      if (counts[chunk] === 0) continue;
      const chunkRow = chunk * chunkHeight;
      // The first diagonal with a column in the last row of the chunk.
      while (first > 0 && offsets[first - 1]! > -chunkHeight - chunkRow) first--;
      const chunkBegin = (chunkHeight * chunkPtr[chunk]!) | 0;
      const chunkEnd = (chunkBegin + chunkHeight * counts[chunk]!) | 0;
      let k = rowPtr[chunkRow]! | 0;
      for (let lane = 0; lane < chunkHeight; lane++) {
        const i = chunkRow + lane;
        const rowEnd = i < rows ? rowPtr[i + 1]! | 0 : k;
        let place = chunkBegin + lane;
        let diagonal = first;
        for (; k < rowEnd; k++) {
          const offset = (colIdx[k]! - i) | 0;
          for (; offsets[diagonal]! < offset; diagonal++, place += chunkHeight) data[place] = 0;
          const value = values[k]!;
          data[place] = value;
          if (value > -TINY && value < TINY && data[place] === 0) zeros++;
          diagonal++;
          place += chunkHeight;
        }
        for (; place < chunkEnd; place += chunkHeight) data[place] = 0;
      }
    }
    Atomics.add(zeroCount, 0, zeros);
  },
};

interface Chunks {
  readonly chunkHeight: number;
  readonly rowPtr: Uint32Array;
}

/** Returns the range of the entries of chunks `begin` … `end` − 1. */
export function entriesOfChunks(
  { chunkHeight, rowPtr }: Chunks,
  begin: number,
  end: number,
): readonly [number, number] {
  return entriesOfRows(rowPtr, chunkHeight * begin, chunkHeight * end);
}
