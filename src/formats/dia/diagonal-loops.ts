/** The loops that find the diagonals of a matrix; `diagonals.ts` uses them. */
import { entriesOfRows, type Loop } from '../layout/loop.js';

export const MARK_DIAGONALS_HEADER = {
  rows: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  occupied: 'usize',
} as const;

type MarkDiagonals = {
  readonly rows: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** One bit per diagonal, from the one of offset −rows on; other threads set bits too. */
  readonly occupied: Uint32Array;
};

/** Sets the bits of the diagonals that hold an entry. Units: rows. */
export const markDiagonals: Loop<MarkDiagonals> = {
  header: MARK_DIAGONALS_HEADER,
  kernel: () => 'dia_mark',
  reads: { fields: ['colIdx'], range: ({ rowPtr }, begin, end) => entriesOfRows(rowPtr, begin, end) },
  run({ rows, rowPtr, colIdx, occupied }, begin, end) {
    for (let i = begin, k = rowPtr[begin]!; i < end; i++) {
      const toDiagonal = rows - i;
      for (const rowEnd = rowPtr[i + 1]!; k < rowEnd; k++) {
        const diagonal = (colIdx[k]! + toDiagonal) | 0;
        const bit = 1 << (diagonal & 31);
        if ((occupied[diagonal >>> 5]! & bit) === 0) Atomics.or(occupied, diagonal >>> 5, bit);
      }
    }
  },
};

export const COUNT_DIAGONALS_HEADER = {
  cols: 'u32',
  chunkHeight: 'u32',
  diagonals: 'u32',
  offsets: 'usize',
  counts: 'usize',
} as const;

type CountDiagonals = {
  readonly cols: number;
  readonly chunkHeight: number;
  readonly diagonals: number;
  readonly offsets: Int32Array;
  /** For each chunk, the number of its diagonals. */
  readonly counts: Uint32Array;
};

/** Units: chunks. */
export const countDiagonals: Loop<CountDiagonals> = {
  header: COUNT_DIAGONALS_HEADER,
  kernel: () => 'dia_count',
  run({ cols, chunkHeight, diagonals, offsets, counts }, begin, end) {
    let first = diagonals;
    let last = diagonals;
    for (let chunk = begin; chunk < end; chunk++) {
      const row = chunk * chunkHeight;
      // The diagonals with a column in the last row of the chunk or later, and in its first row or before.
      while (first > 0 && offsets[first - 1]! > -chunkHeight - row) first--;
      while (last > 0 && offsets[last - 1]! >= cols - row) last--;
      counts[chunk] = last - first;
    }
  },
};
