/** The loops that arrange rows in chunks; `chunks.ts` defines the chunks. Units are blocks of BLOCK chunks, or windows. */
import type { Loop } from '../layout/loop.js';

/** A block has so many chunks. Kernels know it. */
export const BLOCK_CHUNKS = 512;

/** The most rows of a chunk. */
export const MOST_LANES = 8;

export const LENGTHS_HEADER = {
  rowPtr: 'usize',
  lengths: 'usize',
} as const;

type LengthsOfRows = { readonly rowPtr: Uint32Array; readonly lengths: Uint32Array };

/** Units: rows. */
export const lengthsOfRows: Loop<LengthsOfRows> = {
  header: LENGTHS_HEADER,
  kernel: () => 'sell_lengths',
  run({ rowPtr, lengths }, begin, end) {
    for (let i = begin; i < end; i++) lengths[i] = rowPtr[i + 1]! - rowPtr[i]!;
  },
};

type SortWindows = { readonly lengths: Uint32Array; readonly scope: number; readonly rowOf: Uint32Array };

/** Longest rows first, rows of equal length in their given order, within each window of `scope` rows. Units: windows. */
export const sortWindows: Loop<SortWindows> = {
  fields: ['lengths', 'scope', 'rowOf'],
  run({ lengths, scope, rowOf }, begin, end) {
    const next = new Uint32Array(COUNTED + 1);
    for (let window = begin; window < end; window++) {
      const first = window * scope;
      sortWindow(rowOf, lengths, first, Math.min(first + scope, lengths.length), next);
    }
  },
};

/** Rows shorter than this are sorted by counting; longer ones are few and are sorted by comparison. */
const COUNTED = 255;

function sortWindow(rowOf: Uint32Array, lengths: Uint32Array, begin: number, end: number, next: Uint32Array): void {
  next.fill(0);
  for (let i = begin; i < end; i++) next[Math.min(lengths[i]!, COUNTED)]!++;
  let place = begin;
  for (let length = COUNTED; length >= 0; length--) {
    const count = next[length]!;
    next[length] = place;
    place += count;
  }
  for (let i = begin; i < end; i++) rowOf[next[Math.min(lengths[i]!, COUNTED)]!++] = i;
  const long = rowOf.subarray(begin, next[COUNTED]!);
  if (long.length > 1) long.sort((p, q) => lengths[q]! - lengths[p]!);
}

export const MEASURE_CHUNKS_HEADER = {
  rows: 'u32',
  chunks: 'u32',
  chunkHeight: 'u32',
  widthMultiple: 'u32',
  lengths: 'usize',
  rowOf: 'usize',
  whole: 'usize',
  cut: 'usize',
  saved: 'usize',
} as const;

type MeasureChunks = {
  readonly rows: number;
  readonly chunks: number;
  readonly chunkHeight: number;
  readonly widthMultiple: number;
  readonly lengths: Uint32Array;
  /** Empty if rows are in order. */
  readonly rowOf: Uint32Array;
  /** For each chunk its width, and its width if it is cut. */
  readonly whole: Uint32Array;
  readonly cut: Uint32Array;
  /** For each block what cuts save, in entries read. */
  readonly saved: Float64Array;
};

/** Units: blocks. */
export const measureChunks: Loop<MeasureChunks> = {
  header: MEASURE_CHUNKS_HEADER,
  kernel: () => 'sell_measure',
  run({ chunks, chunkHeight, widthMultiple, lengths, rowOf, whole, cut, saved }, begin, end) {
    const lanes = new Uint32Array(MOST_LANES).subarray(0, chunkHeight);
    for (let block = begin; block < end; block++) {
      let saving = 0;
      const last = Math.min((block + 1) * BLOCK_CHUNKS, chunks);
      for (let chunk = block * BLOCK_CHUNKS; chunk < last; chunk++) {
        const isEven = loadLanes(lanes, lengths, rowOf, chunk * chunkHeight);
        let width = lanes[0]!;
        whole[chunk] = Math.ceil(width / widthMultiple) * widthMultiple;
        const savedHere = isEven ? 0 : savedByCut(lanes);
        if (savedHere > 0) {
          width = typicalOf(lanes);
          saving += savedHere;
        }
        cut[chunk] = Math.ceil(width / widthMultiple) * widthMultiple;
      }
      saved[block] = saving;
    }
  },
};

/** Loads the lengths of a chunk's rows, longest first; lanes without a row have length 0. True if all are equal. */
function loadLanes(lanes: Uint32Array, lengths: Uint32Array, rowOf: Uint32Array, first: number): boolean {
  for (let lane = 0; lane < lanes.length; lane++) {
    const place = first + lane;
    const length = place < lengths.length ? lengths[rowOf.length === 0 ? place : rowOf[place]!]! : 0;
    let hole = lane;
    for (; hole > 0 && lanes[hole - 1]! < length; hole--) lanes[hole] = lanes[hole - 1]!;
    lanes[hole] = length;
  }
  return lanes[0] === lanes[lanes.length - 1];
}

/** "We assume that the fully-occupied ELL format is roughly three times faster than COO" (§3.5). */
export const REST_COST = 3;

/** A row of the rest reads and writes a cache line of y: 128 bytes, about ten entries. */
export const REST_ROW_COST = 10;

/** "It is profitable to add a K-th column … if at least one third of the matrix rows contain K (or more) nonzeros." */
function typicalOf(lanes: Uint32Array): number {
  return lanes[typicalLane(lanes.length)]!;
}

/** The lane that is the last one of the longest third of rows. */
export function typicalLane(chunkHeight: number): number {
  return Math.ceil(chunkHeight / REST_COST) - 1;
}

/** The saving, in entries read, of a chunk that is as wide as only its longest third of rows. */
function savedByCut(lanes: Uint32Array): number {
  const width = typicalOf(lanes);
  let saving = lanes.length * (lanes[0]! - width);
  for (let lane = 0; lanes[lane]! > width; lane++) saving -= REST_COST * (lanes[lane]! - width) + REST_ROW_COST;
  return saving;
}

export const CUT_ROWS_HEADER = {
  rows: 'u32',
  chunks: 'u32',
  chunkHeight: 'u32',
  lengths: 'usize',
  rowOf: 'usize',
  widths: 'usize',
  rowLength: 'usize',
  entries: 'usize',
  longest: 'usize',
} as const;

type CutRows = {
  readonly rows: number;
  readonly chunks: number;
  readonly chunkHeight: number;
  readonly lengths: Uint32Array;
  /** Empty if rows are in order. */
  readonly rowOf: Uint32Array;
  readonly widths: Uint32Array;
  /** For each row, its entries in its chunk. */
  readonly rowLength: Uint32Array;
  /** For each block, the entries of its rows, and the most of a row. */
  readonly entries: Float64Array;
  readonly longest: Uint32Array;
};

/** Units: blocks. */
export const cutRows: Loop<CutRows> = {
  header: CUT_ROWS_HEADER,
  kernel: () => 'sell_cut',
  run({ rows, chunks, chunkHeight, lengths, rowOf, widths, rowLength, entries, longest }, begin, end) {
    const isSorted = rowOf.length > 0;
    for (let block = begin; block < end; block++) {
      let inside = 0;
      let most = 0;
      const last = Math.min((block + 1) * BLOCK_CHUNKS, chunks);
      for (let chunk = block * BLOCK_CHUNKS; chunk < last; chunk++) {
        const limit = widths[chunk]!;
        const places = Math.min((chunk + 1) * chunkHeight, rows);
        for (let place = chunk * chunkHeight; place < places; place++) {
          const row = isSorted ? rowOf[place]! : place;
          const length = Math.min(lengths[row]!, limit);
          rowLength[row] = length;
          inside += length;
          if (length > most) most = length;
        }
      }
      entries[block] = inside;
      longest[block] = most;
    }
  },
};
