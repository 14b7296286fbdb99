/** The loops of a conversion to components; `components.ts` defines the layout. Units: slices. */
import { entriesOfRows, kernelOfCopy, type Loop } from '../layout/loop.js';
import { WIDEST } from '../layout/pieces.js';
import type { StoredValues } from '../layout/values.js';

/** Entries per piece of each component. A row has any number of pieces of the first, at most one of every other. */
export const WIDTHS: readonly number[] = [WIDEST, 16, 8, 4, 2, 1];

export const COUNT_PIECES_HEADER = {
  rows: 'u32',
  sliceRows: 'u32',
  rowPtr: 'usize',
  counts: 'usize',
  entryPtr: 'usize',
} as const;

type CountPieces = {
  readonly rows: number;
  readonly sliceRows: number;
  readonly rowPtr: Uint32Array;
  /** For each component of each slice, the number of its pieces. */
  readonly counts: Uint32Array;
  /** For each slice, its first entry. */
  readonly entryPtr: Uint32Array;
};

export const countPieces: Loop<CountPieces> = {
  header: COUNT_PIECES_HEADER,
  kernel: () => 'components_count',
  run({ rows, sliceRows, rowPtr, counts, entryPtr }, begin, end) {
    for (let slice = begin; slice < end; slice++) {
      const first = slice * sliceRows;
      const last = Math.min(first + sliceRows, rows);
      const component = WIDTHS.length * slice;
      counts.fill(0, component, component + WIDTHS.length);
      entryPtr[slice] = rowPtr[first]!;
      for (let i = first; i < last; i++) {
        const length = rowPtr[i + 1]! - rowPtr[i]!;
        counts[component]! += Math.floor(length / WIDEST);
        // Bit 4 of the rest is a piece of 16 entries, the second component.
        for (let bit = 4, at = component + 1; bit >= 0; bit--, at++) counts[at]! += (length >>> bit) & 1;
      }
    }
  },
};

export const PLACE_PIECES_HEADER = {
  rows: 'u32',
  sliceRows: 'u32',
  rowPtr: 'usize',
  columns: 'usize',
  /** 0 for a pattern. */
  entries: 'usize',
  entryPtr: 'usize',
  piecePtr: 'usize',
  rowIdx: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

type PlacePieces = {
  readonly rows: number;
  readonly sliceRows: number;
  readonly rowPtr: Uint32Array;
  readonly columns: Uint32Array;
  /** Values or codes; empty for a pattern. */
  readonly entries: StoredValues;
  /** As in the layout. */
  readonly entryPtr: Uint32Array;
  readonly piecePtr: Uint32Array;
  readonly rowIdx: Uint16Array;
  readonly colIdx: Uint32Array;
  readonly values: StoredValues;
};

/** Slice by slice, width by width, row by row: a row's widest pieces are its first entries. */
export const placePieces: Loop<PlacePieces> = {
  header: PLACE_PIECES_HEADER,
  kernel: ({ entries, values }) => kernelOfCopy('components_place', entries, values),
  reads: {
    fields: ['columns', 'entries'],
    range: ({ sliceRows, rowPtr }, begin, end) => entriesOfRows(rowPtr, sliceRows * begin, sliceRows * end),
    writes: ['colIdx', 'values'],
  },
  run(job, begin, end) {
    const { rows, sliceRows, rowPtr, columns, entries, entryPtr, piecePtr, rowIdx, colIdx, values } = job;
    const hasValues = entries.length > 0;
    for (let slice = begin; slice < end; slice++) {
      const first = slice * sliceRows;
      const last = Math.min(first + sliceRows, rows);
      let piece = piecePtr[WIDTHS.length * slice]!;
      let place = entryPtr[slice]!;
      for (const width of WIDTHS) {
        for (let i = first; i < last; i++) {
          const rowBegin = rowPtr[i]!;
          const length = rowPtr[i + 1]! - rowBegin;
          const rowEnd = rowBegin + length - (length % width);
          // Wider pieces hold the multiple of twice the width; the widest component holds all of its pieces.
          let k = width === WIDEST ? rowBegin : rowBegin + length - (length % (2 * width));
          while (k < rowEnd) {
            rowIdx[piece++] = i - first;
            for (const pieceEnd = k + width; k < pieceEnd; k++, place++) {
              colIdx[place] = columns[k]!;
              if (hasValues) values[place] = entries[k]!;
            }
          }
        }
      }
    }
  },
};
