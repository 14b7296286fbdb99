/** Loops over columns that are counted from a base; their TypeScript, which defines them, is `src/formats/layout/column-loops.ts`. */
import { FindBasesHeader, PlaceOffsetsHeader, SPAN } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** Units: groups. */
export function columns_bases(header: FindBasesHeader, operands: Operands, begin: u32, end: u32): void {
  const groupRows = header.groupRows;
  for (let group = begin; group < end; group++) {
    let least = header.greatest;
    let most: u32 = 0;
    const first = groupRows === 0 ? load<u32>(word(header.groupPtr, group)) : group * groupRows;
    const last = groupRows === 0 ? load<u32>(word(header.groupPtr, group), 4) : min(first + groupRows, header.rows);
    for (let place = first; place < last; place++) {
      const row = header.rowOf === 0 ? place : load<u32>(word(header.rowOf, place));
      const ptr = word(header.rowPtr, row);
      const k = load<u32>(ptr);
      const rowEnd = header.rowLength === 0 ? load<u32>(ptr, 4) : k + load<u32>(word(header.rowLength, row));
      if (k === rowEnd) continue;
      least = min(least, load<u32>(word(header.colIdx, k)));
      most = max(most, load<u32>(word(header.colIdx, rowEnd) - 4));
    }
    if (most >= least + SPAN) {
      lower(header.tooWide, group);
      return;
    }
    store<u32>(word(header.bases, group), least);
  }
}

/** Stores a number in a word if it is less than the one there, whatever other threads do. */
function lower(at: usize, value: u32): void {
  for (let known = atomic.load<u32>(at); value < known; known = atomic.load<u32>(at))
    if (atomic.cmpxchg<u32>(at, known, value) === known) return;
}

/** Units: groups. */
export function columns_place(header: PlaceOffsetsHeader, operands: Operands, begin: u32, end: u32): void {
  for (let group = begin; group < end; group++) {
    const base = load<u32>(word(header.bases, group));
    const ptr = word(header.groupPtr, group);
    const last = load<u32>(word(header.rowPtr, load<u32>(ptr, 4)));
    for (let k = load<u32>(word(header.rowPtr, load<u32>(ptr))); k < last; k++)
      store<u16>(header.colIdx + ((<usize>k) << 1), <u16>(load<u32>(word(header.columns, k)) - base));
  }
}
