/** Loops that divide the rows of a rank by columns, into own entries and those of ghosts. A row has ghosts before its own entries, behind them, or both. */
import { lowerBound } from '../core/search.js';
import { entriesOfRows, type Loop, type LoopArray } from '../formats/layout/loop.js';

export const COUNT_OWN_HEADER = {
  first: 'u32',
  count: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  before: 'usize',
  own: 'usize',
  ghosts: 'usize',
} as const;

type CountOwn = {
  /** Columns from `first` on are own ones, `count` of them. */
  readonly first: number;
  readonly count: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** For each row: its ghosts before the own entries, its own entries, all its ghosts. */
  readonly before: Uint32Array;
  readonly own: Uint32Array;
  readonly ghosts: Uint32Array;
};

/** Counts the own entries of each row, and its ghosts. Units: rows. */
export const countOwn: Loop<CountOwn> = {
  header: COUNT_OWN_HEADER,
  kernel: () => 'rows_count_own',
  reads: { fields: ['colIdx'], range: ({ rowPtr }, begin, end) => entriesOfRows(rowPtr, begin, end) },
  run({ first, count, rowPtr, colIdx, before, own, ghosts }, begin, end) {
    const behind = first + count;
    for (let i = begin; i < end; i++) {
      const [start, last] = [rowPtr[i]!, rowPtr[i + 1]!];
      let [from, to] = [start, last];
      while (from < to && colIdx[from]! < first) from++;
      while (from < to && colIdx[to - 1]! >= behind) to--;
      before[i] = from - start;
      own[i] = to - from;
      ghosts[i] = last - start - (to - from);
    }
  },
};

export const DIVIDE_ROWS_HEADER = {
  first: 'u32',
  rowPtr: 'usize',
  before: 'usize',
  ownPtr: 'usize',
  ghostPtr: 'usize',
  source: 'usize',
  own: 'usize',
  ghost: 'usize',
} as const;

type DivideRows = {
  /** This number is subtracted from each element of the own part: the first own column from columns, 0 from values. */
  readonly first: number;
  readonly rowPtr: Uint32Array;
  /** For each row, its ghosts before the own entries. */
  readonly before: Uint32Array;
  readonly ownPtr: Uint32Array;
  readonly ghostPtr: Uint32Array;
  /** One element for each entry. */
  readonly source: LoopArray;
  readonly own: LoopArray;
  readonly ghost: LoopArray;
};

/** Moves the columns of entries, or their values, to the two parts. Units: rows. */
export const divideEntries: Loop<DivideRows> = {
  header: DIVIDE_ROWS_HEADER,
  kernel: ({ source }) => (source.BYTES_PER_ELEMENT === 8 ? 'rows_divide_doubles' : 'rows_divide_words'),
  reads: {
    fields: ['source'],
    range: ({ rowPtr }, begin, end) => entriesOfRows(rowPtr, begin, end),
    writes: ['own'],
  },
  run({ first, rowPtr, before, ownPtr, ghostPtr, source, own, ghost }, begin, end) {
    for (let i = begin; i < end; i++) {
      const from = rowPtr[i]! + before[i]!;
      const to = from + ownPtr[i + 1]! - ownPtr[i]!;
      let at = ghostPtr[i]!;
      for (let k = rowPtr[i]!; k < from; k++) ghost[at++] = source[k]!;
      for (let k = to; k < rowPtr[i + 1]!; k++) ghost[at++] = source[k]!;
      at = ownPtr[i]!;
      for (let k = from; k < to; k++) own[at++] = source[k]! - first;
    }
  },
};

export const FIND_PLACES_HEADER = { count: 'u32', numbers: 'usize', colIdx: 'usize' } as const;

type FindPlaces = {
  /** Ascending; `count` of them. */
  readonly count: number;
  readonly numbers: Uint32Array;
  readonly colIdx: Uint32Array;
};

/** Replaces each column by its place among the numbers, which have all of them. Units: entries. */
export const findPlaces: Loop<FindPlaces> = {
  header: FIND_PLACES_HEADER,
  kernel: () => 'columns_find',
  run({ count, numbers, colIdx }, begin, end) {
    let place = 0;
    for (let k = begin; k < end; k++) {
      const column = colIdx[k]!;
      // In a row, the next column is often the next number.
      if (place + 1 < count && numbers[place + 1] === column) place++;
      else place = lowerBound(numbers, column);
      colIdx[k] = place;
    }
  },
};
