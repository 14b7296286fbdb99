/** The loops of a conversion to DIA; their TypeScript, which defines them, is `src/formats/dia/loops.ts` and `diagonal-loops.ts`. */
import { Operands } from './operands';
import { word } from './word';

@unmanaged
class MarkDiagonalsHeader {
  rows!: u32;
  rowPtr!: usize;
  colIdx!: usize;
  occupied!: usize;
}

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

@unmanaged
class CountDiagonalsHeader {
  cols!: u32;
  chunkHeight!: u32;
  diagonals!: u32;
  offsets!: usize;
  counts!: usize;
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

@unmanaged
class PlaceDiagonalsHeader {
  rows!: u32;
  chunkHeight!: u32;
  diagonals!: u32;
  rowPtr!: usize;
  colIdx!: usize;
  values!: usize;
  offsets!: usize;
  counts!: usize;
  chunkPtr!: usize;
  data!: usize;
  zeroCount!: usize;
}

export function dia_place_f64(header: PlaceDiagonalsHeader, operands: Operands, begin: u32, end: u32): void {
  place<f64, f64>(header, begin, end);
}

export function dia_place_widened(header: PlaceDiagonalsHeader, operands: Operands, begin: u32, end: u32): void {
  place<f32, f64>(header, begin, end);
}

export function dia_place_mixed(header: PlaceDiagonalsHeader, operands: Operands, begin: u32, end: u32): void {
  place<f64, f32>(header, begin, end);
}

export function dia_place_f32(header: PlaceDiagonalsHeader, operands: Operands, begin: u32, end: u32): void {
  place<f32, f32>(header, begin, end);
}

/** Values of type V are stored as S. Units: chunks. */
function place<V, S>(header: PlaceDiagonalsHeader, begin: u32, end: u32): void {
  const height = <i32>header.chunkHeight;
  const stride = (<usize>height) << alignof<S>();
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
      let to = chunkBegin + ((<usize>lane) << alignof<S>());
      if (lane < lanes) {
        const row = <u32>chunkRow + lane;
        const k = load<u32>(word(header.rowPtr, row));
        const last = word(header.colIdx, load<u32>(word(header.rowPtr, row), 4));
        let value = header.values + ((<usize>k) << alignof<V>());
        let offset = word(header.offsets, first);
        for (let at = word(header.colIdx, k); at < last; at += 4) {
          const wanted = load<i32>(at) - <i32>row;
          for (; load<i32>(offset) < wanted; offset += 4, to += stride) store<S>(to, 0);
          const stored = <S>load<V>(value);
          store<S>(to, stored);
          if (stored === 0) zeros++;
          offset += 4;
          to += stride;
          value += sizeof<V>();
        }
      }
      for (; to < chunkEnd; to += stride) store<S>(to, 0);
    }
  }
  atomic.add<u32>(header.zeroCount, zeros);
}
