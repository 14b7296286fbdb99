/** The loops of a conversion to DIA; their TypeScript, which defines them, is `src/formats/dia/loops.ts` and `src/formats/dia/diagonal-loops.ts`. */
import { CountDiagonalsHeader, MarkDiagonalsHeader, PlaceDiagonalsHeader } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

/** Units: rows. */
export function dia_mark(header: MarkDiagonalsHeader, operands: Operands, begin: u32, end: u32): void {
  let at = word(header.colIdx, load<u32>(word(header.rowPtr, begin)));
  for (let i = begin; i < end; i++) {
    const toDiagonal = header.rows - i;
    const last = word(header.colIdx, load<u32>(word(header.rowPtr, i), 4));
    for (; at < last; at += 4) {
      const diagonal = load<u32>(at) + toDiagonal;
      const bits = word(header.occupied, diagonal >>> 5);
      const bit: u32 = 1 << (diagonal & 31);
      // Another thread may have set it meanwhile: it stays set.
      if ((load<u32>(bits) & bit) === 0) atomic.or<u32>(bits, bit);
    }
  }
}

/** Units: chunks. */
export function dia_count(header: CountDiagonalsHeader, operands: Operands, begin: u32, end: u32): void {
  const height = <i32>header.chunkHeight;
  const cols = <i32>header.cols;
  let first = header.diagonals;
  let last = header.diagonals;
  for (let chunk = begin; chunk < end; chunk++) {
    const row = <i32>chunk * height;
    while (first > 0 && load<i32>(word(header.offsets, first) - 4) > -height - row) first--;
    while (last > 0 && load<i32>(word(header.offsets, last) - 4) >= cols - row) last--;
    store<u32>(word(header.counts, chunk), last - first);
  }
}

/** Values of type S are stored as V. Units: chunks. */
export function dia_place<S, V>(header: PlaceDiagonalsHeader, operands: Operands, begin: u32, end: u32): void {
  const height = <i32>header.chunkHeight;
  const stride = (<usize>height) << alignof<V>();
  let first = header.diagonals;
  let zeros: u32 = 0;
  for (let chunk = begin; chunk < end; chunk++) {
    const chunkRow = <i32>chunk * height;
    const count = load<u32>(word(header.counts, chunk));
    if (count === 0) continue;
    while (first > 0 && load<i32>(word(header.offsets, first) - 4) > -height - chunkRow) first--;
    const chunkBegin = header.data + <usize>load<u32>(word(header.chunkPtr, chunk)) * stride;
    const chunkEnd = chunkBegin + <usize>count * stride;
    const lanes = min(<u32>height, header.rows - <u32>chunkRow);
    for (let lane: u32 = 0; lane < <u32>height; lane++) {
      let to = chunkBegin + ((<usize>lane) << alignof<V>());
      if (lane < lanes) {
        const row = <u32>chunkRow + lane;
        const k = load<u32>(word(header.rowPtr, row));
        const last = word(header.colIdx, load<u32>(word(header.rowPtr, row), 4));
        let value = header.values + ((<usize>k) << alignof<S>());
        let offset = word(header.offsets, first);
        for (let at = word(header.colIdx, k); at < last; at += 4) {
          const wanted = load<i32>(at) - <i32>row;
          for (; load<i32>(offset) < wanted; offset += 4, to += stride) store<V>(to, 0);
          const stored = <V>load<S>(value);
          store<V>(to, stored);
          if (stored === 0) zeros++;
          offset += 4;
          to += stride;
          value += sizeof<S>();
        }
      }
      for (; to < chunkEnd; to += stride) store<V>(to, 0);
    }
  }
  atomic.add<u32>(header.zeroCount, zeros);
}
