/** Loops of a conversion to chunks that find their widths; their TypeScript, which defines them, is `src/formats/sell/chunk-loops.ts`. */
import { BLOCK_CHUNKS, CutRowsHeader, LengthsHeader, MeasureChunksHeader, REST_COST, REST_ROW_COST } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** Units: rows. */
export function sell_lengths(header: LengthsHeader, operands: Operands, begin: u32, end: u32): void {
  for (let i = begin; i < end; i++) {
    const ptr = word(header.rowPtr, i);
    store<u32>(word(header.lengths, i), load<u32>(ptr, 4) - load<u32>(ptr));
  }
}

/** The row at a place; 0 for `rowOf`: rows are in order. */
@inline
export function rowAt(rowOf: usize, place: u32): u32 {
  return rowOf === 0 ? place : load<u32>(word(rowOf, place));
}

/** Units: blocks. */
export function sell_measure(header: MeasureChunksHeader, operands: Operands, begin: u32, end: u32): void {
  const height = header.chunkHeight;
  for (let block = begin; block < end; block++) {
    let saving: i64 = 0;
    const last = min((block + 1) * BLOCK_CHUNKS, header.chunks);
    for (let chunk = block * BLOCK_CHUNKS; chunk < last; chunk++) {
      // The three longest rows, longest first, and the shortest one. Lanes without a row have length 0.
      let first: u32 = 0;
      let second: u32 = 0;
      let third: u32 = 0;
      let least: u32 = 0xffff_ffff;
      for (let lane: u32 = 0; lane < height; lane++) {
        const place = chunk * height + lane;
        const length = place < header.rows ? load<u32>(word(header.lengths, rowAt(header.rowOf, place))) : 0;
        least = min(least, length);
        third = max(third, min(second, length));
        second = max(second, min(first, length));
        first = max(first, length);
      }
      let width = first;
      if (first !== least) {
        // As wide as the longest third of the rows: of 4 the second one, of 8 the third one.
        const typical = height === 4 ? second : third;
        const saved = savedByCut(<i64>height, <i64>first, <i64>second, <i64>typical);
        if (saved > 0) {
          width = typical;
          saving += saved;
        }
      }
      store<u32>(word(header.whole, chunk), multiple(first, header.widthMultiple));
      store<u32>(word(header.cut, chunk), multiple(width, header.widthMultiple));
    }
    store<f64>(header.saved + ((<usize>block) << 3), <f64>saving);
  }
}

@inline
function multiple(width: u32, step: u32): u32 {
  return ((width + step - 1) / step) * step;
}

/** Only the first and the second row can be longer than the typical one. */
@inline
function savedByCut(height: i64, first: i64, second: i64, typical: i64): i64 {
  let saving = height * (first - typical);
  if (first > typical) saving -= <i32>REST_COST * (first - typical) + <i32>REST_ROW_COST;
  if (second > typical) saving -= <i32>REST_COST * (second - typical) + <i32>REST_ROW_COST;
  return saving;
}

/** Units: blocks. */
export function sell_cut(header: CutRowsHeader, operands: Operands, begin: u32, end: u32): void {
  const height = header.chunkHeight;
  for (let block = begin; block < end; block++) {
    let inside: u64 = 0;
    let most: u32 = 0;
    const last = min((block + 1) * BLOCK_CHUNKS, header.chunks);
    for (let chunk = block * BLOCK_CHUNKS; chunk < last; chunk++) {
      const limit = load<u32>(word(header.widths, chunk));
      const places = min((chunk + 1) * height, header.rows);
      for (let place = chunk * height; place < places; place++) {
        const row = rowAt(header.rowOf, place);
        const length = min(load<u32>(word(header.lengths, row)), limit);
        store<u32>(word(header.rowLength, row), length);
        inside += length;
        most = max(most, length);
      }
    }
    store<f64>(header.entries + ((<usize>block) << 3), <f64>inside);
    store<u32>(word(header.longest, block), most);
  }
}
