/** Loops over the columns of groups of rows; `column-bases.ts` defines bases. */
import { atomicMin, entriesOfRows, type Loop } from './loop.js';

/** The number of columns that 16 bits can distinguish. */
export const SPAN: number = 2 ** 16;

export const FIND_BASES_HEADER = {
  rows: 'u32',
  greatest: 'u32',
  groupRows: 'u32',
  groupPtr: 'usize',
  rowPtr: 'usize',
  colIdx: 'usize',
  rowOf: 'usize',
  rowLength: 'usize',
  bases: 'usize',
  tooWide: 'usize',
} as const;

type FindBases = {
  readonly rows: number;
  /** No base is greater. */
  readonly greatest: number;
  /** Rows of a group, or 0 if `groupPtr` points to the groups. */
  readonly groupRows: number;
  readonly groupPtr: Uint32Array;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** Empty if rows are in order, and if all entries count. */
  readonly rowOf: Uint32Array;
  readonly rowLength: Uint32Array;
  readonly bases: Uint32Array;
  /** One element: the first group that spans too many columns, of all threads. */
  readonly tooWide: Uint32Array;
};

/** Units: groups. */
export const findBases: Loop<FindBases> = {
  header: FIND_BASES_HEADER,
  kernel: () => 'columns_bases',
  run(job, begin, end) {
    const { rows, greatest, groupRows, groupPtr, rowPtr, colIdx, rowOf, rowLength, bases, tooWide } = job;
    const isSorted = rowOf.length > 0;
    const isCut = rowLength.length > 0;
    for (let group = begin; group < end; group++) {
      let least = greatest;
      let most = 0;
      const first = groupRows === 0 ? groupPtr[group]! : group * groupRows;
      const last = groupRows === 0 ? groupPtr[group + 1]! : Math.min(first + groupRows, rows);
      for (let place = first; place < last; place++) {
        const row = isSorted ? rowOf[place]! : place;
        const rowBegin = rowPtr[row]!;
        const rowEnd = isCut ? rowBegin + rowLength[row]! : rowPtr[row + 1]!;
        if (rowBegin === rowEnd) continue;
        least = Math.min(least, colIdx[rowBegin]!);
        most = Math.max(most, colIdx[rowEnd - 1]!);
      }
      if (most - least >= SPAN) {
        atomicMin(tooWide, group);
        return;
      }
      bases[group] = least;
    }
  },
};

export const PLACE_OFFSETS_HEADER = {
  groupPtr: 'usize',
  rowPtr: 'usize',
  columns: 'usize',
  bases: 'usize',
  colIdx: 'usize',
} as const;

type PlaceOffsets = {
  readonly groupPtr: Uint32Array;
  readonly rowPtr: Uint32Array;
  readonly columns: Uint32Array;
  readonly bases: Uint32Array;
  readonly colIdx: Uint16Array;
};

/** Writes columns as offsets from the bases of their groups. Units: groups. */
export const placeOffsets: Loop<PlaceOffsets> = {
  header: PLACE_OFFSETS_HEADER,
  kernel: () => 'columns_place',
  reads: {
    fields: ['columns'],
    range: ({ groupPtr, rowPtr }, begin, end) => entriesOfRows(rowPtr, groupPtr[begin]!, groupPtr[end]!),
    writes: ['colIdx'],
  },
  run({ groupPtr, rowPtr, columns, bases, colIdx }, begin, end) {
    for (let group = begin; group < end; group++) {
      const base = bases[group]!;
      const last = rowPtr[groupPtr[group + 1]!]!;
      for (let k = rowPtr[groupPtr[group]!]!; k < last; k++) colIdx[k] = columns[k]! - base;
    }
  },
};
