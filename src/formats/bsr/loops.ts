/**
 * The loops of a conversion to BSR; `bsr.ts` defines the layout. Both pass through the rows of a block row together, block
 * by block: the next block is the one of the least column that is not yet in a block.
 */
import type { FloatArray } from '../../core/types.js';
import { entriesOfRows, kernelOfCopy, type Loop } from '../layout/loop.js';
import { panelOfRow } from './panels.js';

/** Greater than every column. */
const NO_COLUMN = 2 ** 32;

export const COUNT_BLOCKS_HEADER = {
  rows: 'u32',
  blockSize: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  cursors: 'usize',
  counts: 'usize',
} as const;

type CountBlocks = {
  readonly rows: number;
  readonly blockSize: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  /** One per row: its next entry. */
  readonly cursors: Uint32Array;
  /** One per block row: the number of blocks that hold an entry. */
  readonly counts: Uint32Array;
};

/** Units: block rows. */
export const countBlocks: Loop<CountBlocks> = {
  header: COUNT_BLOCKS_HEADER,
  kernel: () => 'bsr_count',
  reads: {
    fields: ['colIdx'],
    range: ({ blockSize, rowPtr }, begin, end) => entriesOfRows(rowPtr, blockSize * begin, blockSize * end),
  },
  run({ rows, blockSize: b, rowPtr, colIdx, cursors, counts }, begin, end) {
    for (let i = begin; i < end; i++) {
      const row = i * b;
      const height = Math.min(b, rows - row);
      for (let r = row; r < row + height; r++) cursors[r] = rowPtr[r]!;
      let count = 0;
      for (;;) {
        const column = leastColumn(cursors, height, row, rowPtr, colIdx);
        if (column === NO_COLUMN) break;
        const limit = column - (column % b) + b;
        for (let r = 0; r < height; r++) {
          const rowEnd = rowPtr[row + r + 1]!;
          let k = cursors[row + r]!;
          // Columns ascend: if the b-th entry from here has the block's last column, the b entries are all its columns.
          if (k + b <= rowEnd && colIdx[k + b - 1] === limit - 1) k += b;
          else while (k < rowEnd && colIdx[k]! < limit) k++;
          cursors[row + r] = k;
        }
        count++;
      }
      counts[i] = count;
    }
  },
};

export const PLACE_BLOCKS_HEADER = {
  rows: 'u32',
  cols: 'u32',
  blockSize: 'u32',
  rowPtr: 'usize',
  colIdx: 'usize',
  values: 'usize',
  isFull: 'u32',
  cursors: 'usize',
  blockRowPtr: 'usize',
  segPtr: 'usize',
  blockColIdx: 'usize',
  blocks: 'usize',
  zeroCount: 'usize',
  zeroRoom: 'u32',
  zeros: 'usize',
} as const;

type PlaceBlocks = {
  readonly rows: number;
  readonly cols: number;
  readonly blockSize: number;
  readonly rowPtr: Uint32Array;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
  /** 1 if every place of every block holds an entry, else 0. */
  readonly isFull: number;
  /** One per row: its next entry. */
  readonly cursors: Uint32Array;
  /** As in the layout; `segPtr` is empty if block rows are not cut. */
  readonly blockRowPtr: Uint32Array;
  readonly segPtr: Uint32Array;
  readonly blockColIdx: Uint32Array;
  readonly blocks: FloatArray;
  /** One element: the number of entries that are zero as stored, of all threads; not counted in full blocks. */
  readonly zeroCount: Uint32Array;
  /** Length of `zeros`; if not 0, `zeros` gets the places of these entries, in any order. */
  readonly zeroRoom: number;
  readonly zeros: Uint32Array;
};

/** Writes the columns and the values of blocks, padding included. Units: block rows. */
export const placeBlocks: Loop<PlaceBlocks> = {
  header: PLACE_BLOCKS_HEADER,
  kernel: ({ values, blocks }) => kernelOfCopy('bsr_place', values, blocks),
  reads: {
    fields: ['colIdx', 'values'],
    range: ({ blockSize, rowPtr }, begin, end) => entriesOfRows(rowPtr, blockSize * begin, blockSize * end),
    writes: ['blocks'],
  },
  run(job, begin, end) {
    const { rows, blockSize: b, rowPtr, segPtr, cursors } = job;
    const isCut = segPtr.length > 0;
    // For each row of a block row: its place in a block, less the panels before it, and the rows of its panel.
    const panels = Array.from({ length: b }, (_, r) => panelOfRow(b, r));
    const tops = Uint32Array.from(panels, ({ top }) => top);
    const heights = Uint32Array.from(panels, ({ height }) => height);
    for (let i = begin; i < end; i++) {
      const row = i * b;
      const height = Math.min(b, rows - row);
      for (let r = row; r < row + height; r++) cursors[r] = rowPtr[r]!;
      const lastSegment = isCut ? segPtr[i + 1]! : i + 1;
      for (let s = isCut ? segPtr[i]! : i; s < lastSegment; s++) placeSegment(job, row, height, s, tops, heights);
    }
  },
};

function placeSegment(
  {
    cols,
    blockSize: b,
    rowPtr,
    colIdx,
    values,
    isFull,
    cursors,
    blockRowPtr,
    blockColIdx,
    blocks,
    zeroCount,
    zeroRoom,
    zeros,
  }: PlaceBlocks,
  row: number,
  height: number,
  segment: number,
  tops: Uint32Array,
  heights: Uint32Array,
): void {
  const first = blockRowPtr[segment]!;
  const count = blockRowPtr[segment + 1]! - first;
  if (isFull !== 0) {
    // Columns need no check: a row has all columns of its blocks, in their order.
    for (let n = 0, k = cursors[row]!; n < count; n++, k += b) blockColIdx[first + n] = colIdx[k]!;
    for (let r = 0; r < b; r++) {
      const top = tops[r]!;
      const step = heights[r]!;
      let place = b * (b * first + top * count) + r - top;
      let k = cursors[row + r]!;
      for (const end = k + b * count; k < end; k++, place += step) blocks[place] = values[k]!;
      cursors[row + r] = k;
    }
    return;
  }
  for (let n = 0; n < count; n++) {
    const column = leastColumn(cursors, height, row, rowPtr, colIdx);
    const limit = column - (column % b) + b;
    const firstColumn = Math.min(limit, cols) - b;
    blockColIdx[first + n] = firstColumn;
    for (let r = 0; r < b; r++) {
      const top = tops[r]!;
      const step = heights[r]!;
      let place = b * (b * first + top * count + step * n) + r - top;
      const rowEnd = r < height ? rowPtr[row + r + 1]! : 0;
      let k = r < height ? cursors[row + r]! : 0;
      for (let c = firstColumn; c < firstColumn + b; c++, place += step) {
        if (k >= rowEnd || colIdx[k] !== c) {
          blocks[place] = 0;
          continue;
        }
        blocks[place] = values[k++]!;
        if (blocks[place] === 0) {
          const zero = Atomics.add(zeroCount, 0, 1);
          if (zero < zeroRoom) zeros[zero] = place;
        }
      }
      if (r < height) cursors[row + r] = k;
    }
  }
}

/** The least column of the next entries of some rows. */
function leastColumn(
  cursors: Uint32Array,
  height: number,
  row: number,
  rowPtr: Uint32Array,
  colIdx: Uint32Array,
): number {
  let least = NO_COLUMN;
  for (let r = 0; r < height; r++) {
    const k = cursors[row + r]!;
    if (k < rowPtr[row + r + 1]! && colIdx[k]! < least) least = colIdx[k]!;
  }
  return least;
}
