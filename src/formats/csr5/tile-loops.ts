/** The loops that cut entries into the tiles of CSR5; `csr5.ts` draws the layout, `tiles.ts` its words. Units: tiles. */
import type { FloatArray } from '../../core/types.js';
import { kernelOfCopy, type Loop } from '../layout/loop.js';
import { bitCount, EMPTY_ROWS, FLAGS, SEG_OFFSET, Y_OFFSET } from './words.js';

export const MARK_ENDS_HEADER = {
  rows: 'u32',
  nnz: 'u32',
  omega: 'u32',
  sigma: 'u32',
  rowPtr: 'usize',
  tilePtr: 'usize',
  tileDesc: 'usize',
} as const;

type MarkEnds = {
  readonly rows: number;
  readonly nnz: number;
  readonly omega: number;
  readonly sigma: number;
  readonly rowPtr: Uint32Array;
  readonly tilePtr: Uint32Array;
  readonly tileDesc: Uint32Array;
};

/** Writes the first row of each tile, and the flags of the rows that end in it. The last unit is the tail. */
export const markEnds: Loop<MarkEnds> = {
  header: MARK_ENDS_HEADER,
  kernel: () => 'csr5_mark',
  run({ rows, nnz, omega, sigma, rowPtr, tilePtr, tileDesc }, begin, end) {
    const size = omega * sigma;
    const tail = tilePtr.length - 1;
    const bits = Uint16Array.from({ length: size }, (_, k) => 16 * Math.floor(k / sigma) + (k % sigma));
    let row = rowOf(rowPtr, rows, begin * size);
    for (let tile = begin; tile < end; tile++) {
      const first = tile * size;
      const last = Math.min(first + size, nnz);
      // Rows that end before the tile, and empty ones.
      while (row < rows && rowPtr[row + 1]! <= first) row++;
      const word = omega * tile;
      tileDesc.fill(0, word, word + omega);
      tilePtr[tile] = row;
      let expected = row; // the row that ends next, if no row of the tile is empty
      for (; row < rows && rowPtr[row + 1]! <= last; row++) {
        const rowEnd = rowPtr[row + 1]!;
        if (rowEnd === rowPtr[row]) continue;
        if (row !== expected) tilePtr[tile]! |= EMPTY_ROWS;
        expected = row + 1;
        const place = rowEnd - 1 - first;
        const bit = tile === tail ? place : bits[place]!;
        tileDesc[word + (bit >>> 4)]! |= 1 << (bit & 15);
      }
    }
  },
};

/** The row of entry k; `rows` behind the last entry. */
function rowOf(rowPtr: Uint32Array, rows: number, k: number): number {
  let low = 0;
  for (let high = rows; low < high; ) {
    const middle = (low + high) >>> 1;
    if (rowPtr[middle + 1]! <= k) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const COUNT_ENDS_HEADER = {
  omega: 'u32',
  tileDesc: 'usize',
} as const;

type CountEnds = { readonly omega: number; readonly tileDesc: Uint32Array };

/** Computes yOffset and segOffset from the flags. */
export const countEnds: Loop<CountEnds> = {
  header: COUNT_ENDS_HEADER,
  kernel: () => 'csr5_count',
  run({ omega, tileDesc }, begin, end) {
    for (let first = begin * omega; first < end * omega; first += omega) {
      for (let lane = 0, ended = 0; lane < omega; lane++) {
        const flags = tileDesc[first + lane]!;
        tileDesc[first + lane] = flags | (ended << Y_OFFSET);
        ended += bitCount(flags);
      }
      for (let lane = omega - 1, open = 0; lane >= 0; lane--) {
        const word = tileDesc[first + lane]!;
        tileDesc[first + lane] = word | (open << SEG_OFFSET);
        open = (word & FLAGS) === 0 ? open + 1 : 0;
      }
    }
  },
};

export const TRANSPOSE_TILES_HEADER = {
  omega: 'u32',
  sigma: 'u32',
  columns: 'usize',
  reals: 'usize',
  colIdx: 'usize',
  values: 'usize',
} as const;

type TransposeTiles = {
  readonly omega: number;
  readonly sigma: number;
  readonly columns: Uint32Array;
  readonly reals: FloatArray;
  readonly colIdx: Uint32Array;
  readonly values: FloatArray;
};

/** Stores the entries of each full tile with the steps of its lanes side by side. */
export const transposeTiles: Loop<TransposeTiles> = {
  header: TRANSPOSE_TILES_HEADER,
  kernel: ({ reals, values }) => kernelOfCopy('csr5_transpose', reals, values),
  reads: {
    fields: ['columns', 'reals'],
    range: ({ omega, sigma }, begin, end) => [begin * omega * sigma, end * omega * sigma],
    writes: ['colIdx', 'values'],
  },
  run({ omega, sigma, columns, reals, colIdx, values }, begin, end) {
    const size = omega * sigma;
    for (let tile = begin * size; tile < end * size; tile += size) {
      for (let step = 0; step < sigma; step++) {
        const to = tile + omega * step;
        for (let lane = 0, from = tile + step; lane < omega; lane++, from += sigma) {
          colIdx[to + lane] = columns[from]!;
          values[to + lane] = reals[from]!;
        }
      }
    }
  },
};
