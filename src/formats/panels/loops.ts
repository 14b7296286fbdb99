/** The loops of a conversion to panels; `panels.ts` defines the layout. Units: slices. */
import { extendHeader } from '../../memory/header.js';
import { entriesOfRows, kernelOfCopy, type Loop } from '../layout/loop.js';
import { COMPONENTS, WIDEST } from '../layout/pieces.js';
import type { StoredValues } from '../layout/values.js';

/** Columns in whose order pieces of one entry are stored: four cache lines of f64. */
export const BUCKET = 32;

type Tiles = {
  readonly rows: number;
  readonly sliceRows: number;
  readonly panelCols: number;
  /** Tiles per slice. */
  readonly panels: number;
  readonly rowPtr: Uint32Array;
  readonly columns: Uint32Array;
};

export const TILES_HEADER = {
  rows: 'u32',
  sliceRows: 'u32',
  panelCols: 'u32',
  panels: 'u32',
  rowPtr: 'usize',
  columns: 'usize',
} as const;

const COUNT_WORDS = {
  lengths: 'usize',
  words: 'usize',
} as const;

export const COUNT_TILES_HEADER: typeof TILES_HEADER & typeof COUNT_WORDS = extendHeader(TILES_HEADER, COUNT_WORDS);

type CountTiles = Tiles & {
  /** For each tile, its entries. */
  readonly lengths: Uint32Array;
  /** For each component of each tile, its words of rowIdx. */
  readonly words: Uint32Array;
};

export const countTiles: Loop<CountTiles> = {
  header: COUNT_TILES_HEADER,
  kernel: () => 'panels_count',
  reads: { fields: ['columns'], range: entriesOfSlices },
  run(job, begin, end) {
    const { panels, lengths, words } = job;
    lengths.fill(0, panels * begin, panels * end);
    words.fill(0, COMPONENTS * panels * begin, COMPONENTS * panels * end);
    for (let slice = begin; slice < end; slice++) {
      walk(job, slice, (tile, _, length) => {
        lengths[tile]! += length;
        const component = COMPONENTS * tile;
        if (length >= WIDEST) words[component]! += 2;
        for (let bits = length % WIDEST; bits > 0; bits &= bits - 1)
          words[component + COMPONENTS - 1 - exponent(bits & -bits)]! += 1;
      });
    }
  },
};

const PLACE_WORDS = {
  /** 0 for a pattern. */
  entries: 'usize',
  entryPtr: 'usize',
  piecePtr: 'usize',
  rowIdx: 'usize',
  colIdx: 'usize',
  values: 'usize',
  nextWord: 'usize',
  nextEntry: 'usize',
  bucketCount: 'u32',
  buckets: 'usize',
  heldRows: 'usize',
  heldCols: 'usize',
  heldValues: 'usize',
} as const;

export const PLACE_TILES_HEADER: typeof TILES_HEADER & typeof PLACE_WORDS = extendHeader(TILES_HEADER, PLACE_WORDS);

type PlaceTiles = Tiles & {
  /** Values or codes; empty for a pattern. */
  readonly entries: StoredValues;
  /** As in the layout. */
  readonly entryPtr: Uint32Array;
  readonly piecePtr: Uint32Array;
  readonly rowIdx: Uint16Array;
  readonly colIdx: Uint16Array;
  readonly values: StoredValues;
  /** For each component of each tile, the next word of rowIdx and the next entry; undefined before. */
  readonly nextWord: Uint32Array;
  readonly nextEntry: Uint32Array;
  /** Buckets of columns in a panel; undefined contents, for each slice. */
  readonly bucketCount: number;
  readonly buckets: Uint32Array;
  /** The pieces of one entry of a tile, at most one for each row of a slice; undefined before. */
  readonly heldRows: Uint16Array;
  readonly heldCols: Uint16Array;
  readonly heldValues: StoredValues;
};

export const placeTiles: Loop<PlaceTiles> = {
  header: PLACE_TILES_HEADER,
  kernel: ({ entries, values }) => kernelOfCopy('panels_place', entries, values),
  reads: { fields: ['columns', 'entries'], range: entriesOfSlices, writes: ['colIdx', 'values'] },
  run(job, begin, end) {
    const { panels } = job;
    for (let slice = begin; slice < end; slice++) {
      for (let tile = panels * slice; tile < panels * (slice + 1); tile++) start(job, tile);
      placeSlice(job, slice);
      for (let tile = panels * slice; tile < panels * (slice + 1); tile++) orderSingles(job, slice, tile);
    }
  },
};

type Visit = (tile: number, first: number, length: number, row: number, base: number) => void;

/** Visits the entries of each row of a slice in each tile, with the row in its slice and the first column of the panel. */
function walk({ rows, sliceRows, panelCols, panels, rowPtr, columns }: Tiles, slice: number, visit: Visit): void {
  const first = slice * sliceRows;
  const last = Math.min(first + sliceRows, rows);
  for (let row = first, k = rowPtr[first]!; row < last; row++) {
    const rowEnd = rowPtr[row + 1]!;
    while (k < rowEnd) {
      const panel = (columns[k]! / panelCols) >>> 0;
      const limit = (panel + 1) * panelCols;
      let next = k + 1;
      while (next < rowEnd && columns[next]! < limit) next++;
      visit(panels * slice + panel, k, next - k, row - first, panel * panelCols);
      k = next;
    }
  }
}

function entriesOfSlices({ sliceRows, rowPtr }: Tiles, begin: number, end: number): readonly [number, number] {
  return entriesOfRows(rowPtr, sliceRows * begin, sliceRows * end);
}

/** The first word of rowIdx and the first entry of each component of a tile: what pieces do not hold is in runs. */
function start({ entryPtr, piecePtr, nextWord, nextEntry }: PlaceTiles, tile: number): void {
  const first = COMPONENTS * tile;
  nextWord.set(piecePtr.subarray(first, first + COMPONENTS), first);
  let entry = entryPtr[tile + 1]!;
  for (let at = first + COMPONENTS - 1, width = 1; at > first; at--, width *= 2) {
    entry -= width * (piecePtr[at + 1]! - piecePtr[at]!);
    nextEntry[at] = entry;
  }
  nextEntry[first] = entryPtr[tile]!;
}

/** Row by row: the first entries of a row in a tile are its run, the others its pieces from the widest on. */
function placeSlice(job: PlaceTiles, slice: number): void {
  const { columns, entries, rowIdx, colIdx, values, nextWord, nextEntry } = job;
  const hasValues = entries.length > 0;
  walk(job, slice, (tile, first, length, row, base) => {
    let k = first;
    const copy = (component: number, count: number) => {
      let place = nextEntry[component]!;
      for (const end = k + count; k < end; k++, place++) {
        colIdx[place] = columns[k]! - base;
        if (hasValues) values[place] = entries[k]!;
      }
      nextEntry[component] = place;
    };
    const runs = Math.floor(length / WIDEST);
    if (runs > 0) {
      rowIdx[nextWord[COMPONENTS * tile]!++] = row;
      rowIdx[nextWord[COMPONENTS * tile]!++] = runs;
      copy(COMPONENTS * tile, runs * WIDEST);
    }
    for (let bits = length % WIDEST; bits > 0; ) {
      const bit = exponent(bits);
      const component = COMPONENTS * tile + COMPONENTS - 1 - bit;
      rowIdx[nextWord[component]!++] = row;
      copy(component, 1 << bit);
      bits -= 1 << bit;
    }
  });
}

/** Puts the pieces of one entry of a tile, in order of rows, in order of buckets of columns. */
function orderSingles(job: PlaceTiles, slice: number, tile: number): void {
  const { sliceRows, entryPtr, piecePtr, entries, bucketCount } = job;
  const firstWord = piecePtr[COMPONENTS * (tile + 1) - 1]!;
  const count = piecePtr[COMPONENTS * (tile + 1)]! - firstWord;
  const first = entryPtr[tile + 1]! - count;
  const rowIdx = job.rowIdx.subarray(firstWord, firstWord + count);
  const colIdx = job.colIdx.subarray(first, first + count);
  const values = job.values.subarray(first, first + count);
  const heldRows = job.heldRows.subarray(sliceRows * slice);
  const heldCols = job.heldCols.subarray(sliceRows * slice);
  const heldValues = job.heldValues.subarray(sliceRows * slice);
  const buckets = job.buckets.subarray(bucketCount * slice, bucketCount * (slice + 1)).fill(0);
  const hasValues = entries.length > 0;
  heldRows.set(rowIdx);
  heldCols.set(colIdx);
  if (hasValues) heldValues.set(values);
  for (const col of colIdx) buckets[Math.floor(col / BUCKET)]!++;
  for (let bucket = 0, before = 0; bucket < bucketCount; bucket++) {
    before += buckets[bucket]!;
    buckets[bucket] = before - buckets[bucket]!;
  }
  for (let k = 0; k < count; k++) {
    const place = buckets[Math.floor(heldCols[k]! / BUCKET)]!++;
    rowIdx[place] = heldRows[k]!;
    colIdx[place] = heldCols[k]!;
    if (hasValues) values[place] = heldValues[k]!;
  }
}

/** The exponent of the highest power of two in a number. */
function exponent(number: number): number {
  return 31 - Math.clz32(number);
}
