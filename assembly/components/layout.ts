/** The loops of a conversion to components; their TypeScript, which defines them, is `src/formats/components/loops.ts`. */
import { COMPONENTS, CountPiecesHeader, PlacePiecesHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** log2 of the entries of the widest piece. */
const WIDEST_SHIFT: u32 = COMPONENTS - 1;

/** Units: slices. */
export function components_count(header: CountPiecesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let slice = begin; slice < end; slice++) {
    const first = slice * header.sliceRows;
    const last = min(first + header.sliceRows, header.rows);
    const counts = word(header.counts, COMPONENTS * slice);
    memory.fill(counts, 0, COMPONENTS << 2);
    let rowBegin = load<u32>(word(header.rowPtr, first));
    store<u32>(word(header.entryPtr, slice), rowBegin);
    for (let i = first; i < last; i++) {
      const rowEnd = load<u32>(word(header.rowPtr, i), 4);
      const length = rowEnd - rowBegin;
      rowBegin = rowEnd;
      store<u32>(counts, load<u32>(counts) + (length >>> WIDEST_SHIFT));
      // Bit 4 of the rest is a piece of 16 entries, the second component.
      for (let component: u32 = 1; component < COMPONENTS; component++) {
        const count = word(counts, component);
        store<u32>(count, load<u32>(count) + ((length >>> (WIDEST_SHIFT - component)) & 1));
      }
    }
  }
}

/** Values of type S are stored as V. Units: slices. */
export function components_place<S, V>(header: PlacePiecesHeader, operands: Operands, begin: u32, end: u32): void {
  const hasValues = header.entries !== 0;
  for (let slice = begin; slice < end; slice++) {
    const first = slice * header.sliceRows;
    const last = min(first + header.sliceRows, header.rows);
    const piece = load<u32>(word(header.piecePtr, COMPONENTS * slice));
    const start = load<u32>(word(header.entryPtr, slice));
    let rowIdx = header.rowIdx + ((<usize>piece) << 1);
    let colIdx = word(header.colIdx, start);
    let value = header.values + ((<usize>start) << alignof<V>());
    for (let component: u32 = 0; component < COMPONENTS; component++) {
      const width: u32 = 1 << (WIDEST_SHIFT - component);
      for (let i = first; i < last; i++) {
        const rowBegin = load<u32>(word(header.rowPtr, i));
        const length = load<u32>(word(header.rowPtr, i), 4) - rowBegin;
        const rowEnd = rowBegin + length - (length & (width - 1));
        // Wider pieces hold the multiple of twice the width; the widest component holds all of its pieces.
        let k = component === 0 ? rowBegin : rowBegin + length - (length & (2 * width - 1));
        while (k < rowEnd) {
          store<u16>(rowIdx, <u16>(i - first));
          rowIdx += 2;
          copyWords(colIdx, word(header.columns, k), width);
          colIdx += (<usize>width) << 2;
          const pieceEnd = k + width;
          if (!hasValues) k = pieceEnd;
          for (; k < pieceEnd; k++, value += sizeof<V>()) store<V>(value, <V>load<S>(header.entries + ((<usize>k) << alignof<S>())));
        }
      }
    }
  }
}

/** Copies a power of two of words. `memory.copy` would be a call, which takes longer for so few. */
@inline
function copyWords(to: usize, from: usize, count: u32): void {
  if (count === 1) store<u32>(to, load<u32>(from));
  else if (count === 2) store<u64>(to, load<u64>(from));
  else for (const last = to + ((<usize>count) << 2); to < last; to += 16, from += 16) v128.store(to, v128.load(from));
}
