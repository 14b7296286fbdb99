/** The loop that writes chunks; its TypeScript, which defines it, is `src/formats/sell/loops.ts`. */
import { Operands } from './operands';
import { rowAt } from './sell-chunk-layout';
import { word } from './word';

@unmanaged
class PlaceChunksHeader {
  rows!: u32;
  chunkHeight!: u32;
  /** The value of padding: 0, or its code. */
  zero!: u32;
  rowPtr!: usize;
  columns!: usize;
  entries!: usize;
  /** Of an element of `rowLength`: 1, 2 or 4. */
  lengthBytes!: u32;
  rowLength!: usize;
  rowOf!: usize;
  chunkBase!: usize;
  chunkPtr!: usize;
  colIdx!: usize;
  values!: usize;
}

export function sell_place_f64(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u32, f64, f64>(header, begin, end);
}

export function sell_place_widened(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u32, f32, f64>(header, begin, end);
}

export function sell_place_mixed(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u32, f64, f32>(header, begin, end);
}

export function sell_place_f32(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u32, f32, f32>(header, begin, end);
}

export function sell_place_codes(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u32, u8, u8>(header, begin, end);
}

export function sell16_place_f64(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u16, f64, f64>(header, begin, end);
}

export function sell16_place_widened(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u16, f32, f64>(header, begin, end);
}

export function sell16_place_mixed(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u16, f64, f32>(header, begin, end);
}

export function sell16_place_f32(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u16, f32, f32>(header, begin, end);
}

export function sell16_place_codes(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  place<u16, u8, u8>(header, begin, end);
}

@inline
function lengthOf(header: PlaceChunksHeader, row: u32): u32 {
  if (header.lengthBytes === 1) return load<u8>(header.rowLength + row);
  if (header.lengthBytes === 2) return load<u16>(header.rowLength + ((<usize>row) << 1));
  return load<u32>(word(header.rowLength, row));
}

/** Columns are stored as I, values of type V as S. Units: chunks. */
function place<I, V, S>(header: PlaceChunksHeader, begin: u32, end: u32): void {
  const height = header.chunkHeight;
  const colStep = (<usize>height) << alignof<I>();
  const valueStep = (<usize>height) << alignof<S>();
  for (let chunk = begin; chunk < end; chunk++) {
    const chunkBegin = load<u32>(word(header.chunkPtr, chunk));
    const chunkEnd = load<u32>(word(header.chunkPtr, chunk), 4);
    const base = header.chunkBase === 0 ? 0 : load<u32>(word(header.chunkBase, chunk));
    const lastColumn = header.colIdx + ((<usize>chunkEnd) << alignof<I>());
    for (let lane: u32 = 0; lane < height; lane++) {
      let colIdx = header.colIdx + ((<usize>(chunkBegin + lane)) << alignof<I>());
      let values = header.values + ((<usize>(chunkBegin + lane)) << alignof<S>());
      // The last chunk may have lanes without a row.
      const at = chunk * height + lane;
      let last: u32 = 0;
      if (at < header.rows) {
        const row = rowAt(header.rowOf, at);
        const k = load<u32>(word(header.rowPtr, row));
        let column = word(header.columns, k);
        let entry = header.entries + ((<usize>k) << alignof<V>());
        for (const rowEnd = column + ((<usize>lengthOf(header, row)) << 2); column < rowEnd; column += 4) {
          last = load<u32>(column) - base;
          store<I>(colIdx, <I>last);
          store<S>(values, <S>load<V>(entry));
          colIdx += colStep;
          values += valueStep;
          entry += sizeof<V>();
        }
      }
      for (; colIdx < lastColumn; colIdx += colStep, values += valueStep) {
        store<I>(colIdx, <I>last);
        store<S>(values, <S>header.zero);
      }
    }
  }
}
