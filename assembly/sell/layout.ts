/** The loop that writes chunks; its TypeScript, which defines it, is `src/formats/sell/loops.ts`. */
import { PlaceChunksHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';
import { rowAt } from './chunk-layout';

@inline
function lengthOf(header: PlaceChunksHeader, row: u32): u32 {
  if (header.lengthBytes === 1) return load<u8>(header.rowLength + row);
  if (header.lengthBytes === 2) return load<u16>(header.rowLength + ((<usize>row) << 1));
  return load<u32>(word(header.rowLength, row));
}

/** Columns are stored as I, values of type S as V. Units: chunks. */
export function sell_place<I, S, V>(header: PlaceChunksHeader, operands: Operands, begin: u32, end: u32): void {
  const height = header.chunkHeight;
  const colStep = (<usize>height) << alignof<I>();
  const valueStep = (<usize>height) << alignof<V>();
  for (let chunk = begin; chunk < end; chunk++) {
    const chunkBegin = load<u32>(word(header.chunkPtr, chunk));
    const chunkEnd = load<u32>(word(header.chunkPtr, chunk), 4);
    const base = header.chunkBase === 0 ? 0 : load<u32>(word(header.chunkBase, chunk));
    const lastColumn = header.colIdx + ((<usize>chunkEnd) << alignof<I>());
    for (let lane: u32 = 0; lane < height; lane++) {
      let colIdx = header.colIdx + ((<usize>(chunkBegin + lane)) << alignof<I>());
      let values = header.values + ((<usize>(chunkBegin + lane)) << alignof<V>());
      // The last chunk may have lanes without a row.
      const at = chunk * height + lane;
      let last: u32 = 0;
      if (at < header.rows) {
        const row = rowAt(header.rowOf, at);
        const k = load<u32>(word(header.rowPtr, row));
        let column = word(header.columns, k);
        let entry = header.entries + ((<usize>k) << alignof<S>());
        for (const rowEnd = column + ((<usize>lengthOf(header, row)) << 2); column < rowEnd; column += 4) {
          last = load<u32>(column) - base;
          store<I>(colIdx, <I>last);
          store<V>(values, <V>load<S>(entry));
          colIdx += colStep;
          values += valueStep;
          entry += sizeof<S>();
        }
      }
      for (; colIdx < lastColumn; colIdx += colStep, values += valueStep) {
        store<I>(colIdx, <I>last);
        store<V>(values, <V>header.zero);
      }
    }
  }
}
