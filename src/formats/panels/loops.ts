/** The loops of a conversion to panels; `panels.ts` defines the layout. Units: slices. */
import type { FloatArray } from '../../core/types.js';
import type { Loop } from '../layout/loop.js';
import { WIDEST } from '../layout/pieces.js';

/** Log2 of the widest piece. */
const WIDEST_BIT = 4;

/** Runs of a multiple of 32 entries, and pieces of 16, 8, 4, 2 and 1 entries. */
export const COMPONENTS = 6;

/** Columns in whose order pieces of one entry are stored: four cache lines of f64. */
const BUCKET = 32;

type CountTiles = {
  readonly rows: number;
  readonly sliceRows: number;
  readonly panelCols: number;
  /** Tiles per slice. */
  readonly panels: number;
  readonly rowPtr: Uint32Array;
  readonly columns: Uint32Array;
  /** For each tile, its entries. */
  readonly entries: Uint32Array;
  /** For each component of each tile, its words of rowIdx. */
  readonly words: Uint32Array;
};

export const countTiles: Loop<CountTiles> = {
  fields: ['rows', 'sliceRows', 'panelCols', 'panels', 'rowPtr', 'columns', 'entries', 'words'],
  run({ rows, sliceRows, panelCols, panels, rowPtr, columns, entries, words }, begin, end) {
    entries.fill(0, panels * begin, panels * end);
    words.fill(0, COMPONENTS * panels * begin, COMPONENTS * panels * end);
    for (let slice = begin; slice < end; slice++) {
      const last = Math.min((slice + 1) * sliceRows, rows);
      for (let i = slice * sliceRows; i < last; i++) {
        const rowEnd = rowPtr[i + 1]!;
        for (let k = rowPtr[i]!; k < rowEnd; ) {
          const panel = (columns[k]! / panelCols) >>> 0;
          const next = endOfPanel(columns, k, rowEnd, (panel + 1) * panelCols);
          const tile = panels * slice + panel;
          const length = next - k;
          entries[tile]! += length;
          let component = COMPONENTS * tile;
          if (length >= WIDEST) words[component]! += 2;
          for (let bit = WIDEST_BIT; bit >= 0; bit--) words[++component]! += (length >>> bit) & 1;
          k = next;
        }
      }
    }
  },
};

type PlaceTiles = Omit<CountTiles, 'entries' | 'words'> & {
  /** Values or codes; empty for a pattern. */
  readonly entries: FloatArray | Uint8Array;
  /** As in the layout. */
  readonly entryPtr: Uint32Array;
  readonly piecePtr: Uint32Array;
  readonly rowIdx: Uint16Array;
  readonly colIdx: Uint16Array;
  readonly values: FloatArray | Uint8Array;
};

export const placeTiles: Loop<PlaceTiles> = {
  fields: [
    ...(['rows', 'sliceRows', 'panelCols', 'panels', 'rowPtr', 'columns'] as const),
    ...(['entries', 'entryPtr', 'piecePtr', 'rowIdx', 'colIdx', 'values'] as const),
  ],
  run(job, begin, end) {
    const { panelCols, panels, entryPtr, piecePtr } = job;
    const components = COMPONENTS * panels;
    const places = new Uint32Array(components);
    const buckets = Math.ceil(panelCols / BUCKET);
    const singles = new Uint32Array(buckets * panels);
    for (let slice = begin; slice < end; slice++) {
      const ptr = piecePtr.subarray(components * slice, components * (slice + 1) + 1);
      startPlaces(places, entryPtr.subarray(panels * slice), ptr);
      countSingles(job, slice, singles.fill(0), buckets);
      startBuckets(singles, buckets, places);
      placeSlice(job, slice, places, ptr, singles, buckets);
    }
  },
};

/** Counts the pieces of one entry by bucket of columns. */
function countSingles(job: PlaceTiles, slice: number, singles: Uint32Array, buckets: number): void {
  const { rows, sliceRows, panelCols, rowPtr, columns } = job;
  const last = Math.min((slice + 1) * sliceRows, rows);
  for (let i = slice * sliceRows; i < last; i++) {
    const rowEnd = rowPtr[i + 1]!;
    for (let k = rowPtr[i]!; k < rowEnd; ) {
      const panel = (columns[k]! / panelCols) >>> 0;
      const next = endOfPanel(columns, k, rowEnd, (panel + 1) * panelCols);
      // The last entry of an odd number is the piece of one.
      const bucket = ((columns[next - 1]! - panel * panelCols) / BUCKET) >>> 0;
      singles[buckets * panel + bucket]! += (next - k) & 1;
      k = next;
    }
  }
}

/** Row by row: the first entries of a row in a tile are its run, the others its pieces from the widest on. */
function placeSlice(
  { rows, sliceRows, panelCols, rowPtr, columns, entries, rowIdx, colIdx, values }: PlaceTiles,
  slice: number,
  places: Uint32Array,
  ptr: Uint32Array,
  singles: Uint32Array,
  buckets: number,
): void {
  const hasValues = entries.length > 0;
  const words = ptr.slice();
  const first = slice * sliceRows;
  const last = Math.min(first + sliceRows, rows);
  for (let i = first; i < last; i++) {
    const rowEnd = rowPtr[i + 1]!;
    for (let k = rowPtr[i]!; k < rowEnd; ) {
      const panel = (columns[k]! / panelCols) >>> 0;
      const base = panel * panelCols;
      const next = endOfPanel(columns, k, rowEnd, base + panelCols);
      let component = COMPONENTS * panel;
      let width = next - k - ((next - k) % WIDEST);
      if (width > 0) {
        rowIdx[words[component]!++] = i - first;
        rowIdx[words[component]!++] = width / WIDEST;
      }
      for (let bit = WIDEST_BIT; next - k > 1; bit--) {
        let place = places[component]!;
        for (const pieceEnd = k + width; k < pieceEnd; k++, place++) {
          colIdx[place] = columns[k]! - base;
          if (hasValues) values[place] = entries[k]!;
        }
        places[component++] = place;
        width = (next - k) & (1 << bit);
        if (width > 1) rowIdx[words[component]!++] = i - first;
      }
      if (k === next) continue;
      const single = COMPONENTS * panel + COMPONENTS - 1;
      const col = columns[k]! - base;
      const place = singles[buckets * panel + ((col / BUCKET) >>> 0)]!++;
      rowIdx[ptr[single]! + place - places[single]!] = i - first;
      colIdx[place] = col;
      if (hasValues) values[place] = entries[k]!;
      k = next;
    }
  }
}

/** The first place of each bucket, from its number of entries. */
function startBuckets(singles: Uint32Array, buckets: number, places: Uint32Array): void {
  for (let bucket = 0, place = 0; bucket < singles.length; bucket++) {
    if (bucket % buckets === 0) place = places[COMPONENTS * (bucket / buckets) + COMPONENTS - 1]!;
    const count = singles[bucket]!;
    singles[bucket] = place;
    place += count;
  }
}

/** The first entry of each component of a slice's tiles: what pieces do not hold is in runs. */
function startPlaces(places: Uint32Array, entryPtr: Uint32Array, piecePtr: Uint32Array): void {
  for (let component = places.length - 1; component >= 0; component--) {
    const tile = Math.floor(component / COMPONENTS);
    const bit = COMPONENTS - 1 - (component % COMPONENTS);
    const after = bit === 0 ? entryPtr[tile + 1]! : places[component + 1]!;
    const isRun = bit > WIDEST_BIT;
    places[component] = isRun ? entryPtr[tile]! : after - (piecePtr[component + 1]! - piecePtr[component]!) * 2 ** bit;
  }
}

/** The first entry from k on whose column is not below the limit. */
function endOfPanel(columns: Uint32Array, k: number, rowEnd: number, limit: number): number {
  let next = k + 1;
  while (next < rowEnd && columns[next]! < limit) next++;
  return next;
}
