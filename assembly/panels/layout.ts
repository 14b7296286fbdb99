/** The loops of a conversion to panels; their TypeScript, which defines them, is `src/formats/panels/loops.ts`. */
import { COMPONENTS, CountTilesHeader, PlaceTilesHeader, TilesHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { RUN_SHIFT } from './panels';

/** Log2 of the columns of a bucket. */
const BUCKET_SHIFT: u32 = 5;

/** Units: slices. */
export function panels_count(header: CountTilesHeader, operands: Operands, begin: u32, end: u32): void {
  const panels = header.panels;
  memory.fill(word(header.lengths, panels * begin), 0, (<usize>(panels * (end - begin))) << 2);
  memory.fill(word(header.words, COMPONENTS * panels * begin), 0, (<usize>(COMPONENTS * panels * (end - begin))) << 2);
  for (let slice = begin; slice < end; slice++) walk<CountTilesHeader, void, void>(header, slice);
}

/** Values of type S are stored as V. Units: slices. */
export function panels_place<S, V>(header: PlaceTilesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let slice = begin; slice < end; slice++) {
    const first = header.panels * slice;
    for (let tile = first; tile < first + header.panels; tile++) start(header, tile);
    walk<PlaceTilesHeader, S, V>(header, slice);
    for (let tile = first; tile < first + header.panels; tile++) orderSingles<V>(header, slice, tile);
  }
}

/** The first word of rowIdx and the first entry of each component of a tile. */
function start(header: PlaceTilesHeader, tile: u32): void {
  const ptr = word(header.piecePtr, COMPONENTS * tile);
  const nextWord = word(header.nextWord, COMPONENTS * tile);
  const nextEntry = word(header.nextEntry, COMPONENTS * tile);
  memory.copy(nextWord, ptr, COMPONENTS << 2);
  let entry = load<u32>(word(header.entryPtr, tile), 4);
  for (let component = COMPONENTS - 1; component > 0; component--) {
    entry -= (load<u32>(word(ptr, component), 4) - load<u32>(word(ptr, component))) << (COMPONENTS - 1 - component);
    store<u32>(word(nextEntry, component), entry);
  }
  store<u32>(nextEntry, load<u32>(word(header.entryPtr, tile)));
}

/** Finds the entries of each row of a slice in each tile: counts them, if S is void, or places them. */
function walk<H extends TilesHeader, S, V>(header: H, slice: u32): void {
  const panelCols = header.panelCols;
  const first = header.sliceRows * slice;
  const last = min(first + header.sliceRows, header.rows);
  const firstTile = header.panels * slice;
  let at = word(header.columns, load<u32>(word(header.rowPtr, first)));
  for (let row = first; row < last; row++) {
    const rowEnd = word(header.columns, load<u32>(word(header.rowPtr, row), 4));
    while (at < rowEnd) {
      const panel = load<u32>(at) / panelCols;
      const base = panel * panelCols;
      let next = at + 4;
      while (next < rowEnd && load<u32>(next) - base < panelCols) next += 4;
      const length = <u32>((next - at) >> 2);
      if (isVoid<S>()) countPieces(changetype<CountTilesHeader>(header), firstTile + panel, length);
      else placePieces<S, V>(changetype<PlaceTilesHeader>(header), firstTile + panel, at, length, row - first, base);
      at = next;
    }
  }
}

@inline
function countPieces(header: CountTilesHeader, tile: u32, length: u32): void {
  add(word(header.lengths, tile), length);
  const words = word(header.words, COMPONENTS * tile);
  if (length >>> RUN_SHIFT !== 0) add(words, 2);
  for (let bits = length & ((1 << RUN_SHIFT) - 1); bits !== 0; bits &= bits - 1) add(word(words, COMPONENTS - 1 - ctz(bits)), 1);
}

/** Adds to a word; returns what it was. */
@inline
function add(at: usize, count: u32): u32 {
  const before = load<u32>(at);
  store<u32>(at, before + count);
  return before;
}

/** The first entries are a run, the others pieces from the widest on. `at` is the address of the first column. */
@inline
function placePieces<S, V>(header: PlaceTilesHeader, tile: u32, at: usize, length: u32, row: u32, base: u32): void {
  const nextWord = word(header.nextWord, COMPONENTS * tile);
  const nextEntry = word(header.nextEntry, COMPONENTS * tile);
  const run = length >>> RUN_SHIFT;
  if (run !== 0) {
    const rowIdx = header.rowIdx + ((<usize>add(nextWord, 2)) << 1);
    store<u16>(rowIdx, <u16>row);
    store<u16>(rowIdx, <u16>run, 2);
    copy<S, V>(header, add(nextEntry, run << RUN_SHIFT), at, run << RUN_SHIFT, base);
    at += (<usize>run) << (RUN_SHIFT + 2);
  }
  for (let bits = length & ((1 << RUN_SHIFT) - 1); bits !== 0; ) {
    const shift: u32 = 31 - clz(bits);
    const width: u32 = 1 << shift;
    const component = COMPONENTS - 1 - shift;
    store<u16>(header.rowIdx + ((<usize>add(word(nextWord, component), 1)) << 1), <u16>row);
    copy<S, V>(header, add(word(nextEntry, component), width), at, width, base);
    at += (<usize>width) << 2;
    bits ^= width;
  }
}

@inline
function copy<S, V>(header: PlaceTilesHeader, place: u32, at: usize, count: u32, base: u32): void {
  const colIdx = header.colIdx + ((<usize>place) << 1);
  for (let k: usize = 0; k < count; k++) store<u16>(colIdx + (k << 1), <u16>(load<u32>(at + (k << 2)) - base));
  if (header.entries === 0) return;
  const from = header.entries + (((at - header.columns) >> 2) << alignof<S>());
  const values = header.values + ((<usize>place) << alignof<V>());
  for (let k: usize = 0; k < count; k++) store<V>(values + (k << alignof<V>()), <V>load<S>(from + (k << alignof<S>())));
}

/** Puts the pieces of one entry of a tile, in order of rows, in order of buckets of columns. */
function orderSingles<V>(header: PlaceTilesHeader, slice: u32, tile: u32): void {
  const firstWord = load<u32>(word(header.piecePtr, COMPONENTS * tile + COMPONENTS - 1));
  const count = <usize>(load<u32>(word(header.piecePtr, COMPONENTS * tile + COMPONENTS)) - firstWord);
  if (count < 2) return;
  const rowIdx = header.rowIdx + ((<usize>firstWord) << 1);
  const first = <usize>load<u32>(word(header.entryPtr, tile), 4) - count;
  const colIdx = header.colIdx + (first << 1);
  const values = header.values + (first << alignof<V>());
  const hasValues = header.entries !== 0;
  const held = <usize>slice * header.sliceRows;
  const heldRows = header.heldRows + (held << 1);
  const heldCols = header.heldCols + (held << 1);
  const heldValues = header.heldValues + (held << alignof<V>());
  memory.copy(heldRows, rowIdx, count << 1);
  memory.copy(heldCols, colIdx, count << 1);
  if (hasValues) memory.copy(heldValues, values, count << alignof<V>());
  const buckets = word(header.buckets, slice * header.bucketCount);
  startBuckets(buckets, header.bucketCount, heldCols, count);
  for (let k: usize = 0; k < count; k++) {
    const col = load<u16>(heldCols + (k << 1));
    const to = <usize>add(word(buckets, <u32>col >>> BUCKET_SHIFT), 1);
    store<u16>(colIdx + (to << 1), col);
    store<u16>(rowIdx + (to << 1), load<u16>(heldRows + (k << 1)));
    if (hasValues) store<V>(values + (to << alignof<V>()), load<V>(heldValues + (k << alignof<V>())));
  }
}

/** For each bucket, the number of columns in the buckets before it. */
function startBuckets(buckets: usize, bucketCount: u32, columns: usize, count: usize): void {
  memory.fill(buckets, 0, (<usize>bucketCount) << 2);
  for (let at = columns; at < columns + (count << 1); at += 2) add(word(buckets, <u32>load<u16>(at) >>> BUCKET_SHIFT), 1);
  let before: u32 = 0;
  for (let bucket: u32 = 0; bucket < bucketCount; bucket++) {
    const inBucket = load<u32>(word(buckets, bucket));
    store<u32>(word(buckets, bucket), before);
    before += inBucket;
  }
}
