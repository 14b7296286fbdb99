/** The loops of a conversion to inodes; `inode.ts` defines the layout. */
import type { FloatArray } from '../../core/types.js';
import { entriesOfRows, kernelOfCopy, type Loop } from '../layout/loop.js';

export const MARK_REPEATED_HEADER = {
  rowPtr: 'usize',
  colIdx: 'usize',
  repeated: 'usize',
} as const;

type MarkRepeated = {
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** For each row: 1 if it has the same columns as the row before, else 0. */
  readonly repeated: Uint8Array;
};

/** Units: rows. */
export const markRepeated: Loop<MarkRepeated> = {
  header: MARK_REPEATED_HEADER,
  kernel: () => 'inode_repeated',
  reads: {
    fields: ['colIdx'],
    range: ({ rowPtr }, begin, end) => entriesOfRows(rowPtr, Math.max(begin - 1, 0), end),
  },
  run({ rowPtr, colIdx, repeated }, begin, end) {
    for (let i = begin; i < end; i++) repeated[i] = i > 0 && isRepeated(rowPtr, colIdx, i) ? 1 : 0;
  },
};

/** Whether a row has the same columns as the row before. */
function isRepeated(rowPtr: Uint32Array, colIdx: Uint32Array, row: number): boolean {
  const before = rowPtr[row - 1]!;
  const begin = rowPtr[row]!;
  const length = begin - before;
  if (rowPtr[row + 1]! - begin !== length) return false;
  for (let k = 0; k < length; k++) if (colIdx[before + k] !== colIdx[begin + k]) return false;
  return true;
}

export const COUNT_COLUMNS_HEADER = {
  rowPtr: 'usize',
  groupPtr: 'usize',
  counts: 'usize',
  valuePtr: 'usize',
} as const;

type CountColumns = {
  readonly rowPtr: Uint32Array;
  readonly groupPtr: Uint32Array;
  readonly counts: Uint32Array;
  readonly valuePtr: Uint32Array;
};

/** Counts the columns of each group, and writes its start in values. Units: groups. */
export const countColumns: Loop<CountColumns> = {
  header: COUNT_COLUMNS_HEADER,
  kernel: () => 'inode_count',
  run({ rowPtr, groupPtr, counts, valuePtr }, begin, end) {
    for (let group = begin; group < end; group++) {
      const first = groupPtr[group]!;
      const start = rowPtr[first]!;
      counts[group] = rowPtr[first + 1]! - start;
      valuePtr[group] = start;
    }
  },
};

export const PLACE_GROUPS_HEADER = {
  rowPtr: 'usize',
  columns: 'usize',
  reals: 'usize',
  groupPtr: 'usize',
  colPtr: 'usize',
  valuePtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

type PlaceGroups = {
  readonly rowPtr: Uint32Array;
  readonly columns: Uint32Array;
  readonly reals: FloatArray;
  /** As in the layout. */
  readonly groupPtr: Uint32Array;
  readonly colPtr: Uint32Array;
  readonly valuePtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
};

/** Units: groups. */
export const placeGroups: Loop<PlaceGroups> = {
  header: PLACE_GROUPS_HEADER,
  kernel: ({ reals, values }) => kernelOfCopy('inode_place', reals, values),
  reads: {
    fields: ['columns', 'reals'],
    range: ({ groupPtr, rowPtr }, begin, end) => entriesOfRows(rowPtr, groupPtr[begin]!, groupPtr[end]!),
    writes: ['colIdx', 'values'],
  },
  run({ rowPtr, columns, reals, groupPtr, colPtr, valuePtr, colIdx, values }, begin, end) {
    for (let group = begin; group < end; group++) {
      const first = groupPtr[group]!;
      const height = groupPtr[group + 1]! - first;
      const start = valuePtr[group]!;
      const last = valuePtr[group + 1]!;
      for (let k = rowPtr[first]!, at = colPtr[group]!; k < rowPtr[first + 1]!; k++) colIdx[at++] = columns[k]!;
      for (let row = 0, k = start; row < height; row++) {
        for (let place = start + row; place < last; place += height) values[place] = reals[k++]!;
      }
    }
  },
};
