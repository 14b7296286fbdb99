/** The loops of a conversion to SSS; their TypeScript, which defines them, is `src/formats/sss/loops.ts`. */
import { SPAN } from './layout-columns';
import { Operands } from './operands';
import { word } from './word';

@unmanaged
class CompareImagesHeader {
  rows!: u32;
  sign!: i32;
  rowPtr!: usize;
  colIdx!: usize;
  reals!: usize;
  stored!: usize;
  cursors!: usize;
  lowerPtr!: usize;
  found!: usize;
}

export function sss_compare_f64(header: CompareImagesHeader, operands: Operands, begin: u32, end: u32): void {
  if (begin < end) compare<f64, f64>(header);
}

export function sss_compare_widened(header: CompareImagesHeader, operands: Operands, begin: u32, end: u32): void {
  if (begin < end) compare<f32, f64>(header);
}

export function sss_compare_mixed(header: CompareImagesHeader, operands: Operands, begin: u32, end: u32): void {
  if (begin < end) compare<f64, f32>(header);
}

export function sss_compare_f32(header: CompareImagesHeader, operands: Operands, begin: u32, end: u32): void {
  if (begin < end) compare<f32, f32>(header);
}

/** Values of type V are compared as S. One unit: the matrix. */
function compare<V, S>(header: CompareImagesHeader): void {
  const rows = header.rows;
  memory.copy(header.cursors, header.rowPtr, (<usize>rows) << 2);
  store<u32>(header.lowerPtr, 0);
  let below: u32 = 0;
  let bandwidth: u32 = 0;
  let rowBegin: u32 = 0;
  for (let i: u32 = 0; i < rows; i++) {
    const rowEnd = load<u32>(word(header.rowPtr, i), 4);
    let k = load<u32>(word(header.cursors, i));
    below += k - rowBegin;
    store<u32>(word(header.lowerPtr, i), below, 4);
    if (k > rowBegin) bandwidth = max(bandwidth, i - load<u32>(word(header.colIdx, rowBegin)));
    if (k < rowEnd && load<u32>(word(header.colIdx, k)) === i) k++;
    for (; k < rowEnd; k++) {
      const j = load<u32>(word(header.colIdx, k));
      const cursor = word(header.cursors, j);
      const image = load<u32>(cursor);
      const isImage = j > i && image < load<u32>(word(header.rowPtr, j), 4) && load<u32>(word(header.colIdx, image)) === i;
      if (!isImage || !areSame(realAt<V, S>(header, image), header.sign * realAt<V, S>(header, k))) {
        store<u32>(header.found, i, 4);
        store<u32>(header.found, k, 8);
        return;
      }
      store<u32>(cursor, image + 1);
    }
    rowBegin = rowEnd;
  }
  store<u32>(header.found, bandwidth);
}

@inline
function realAt<V, S>(header: CompareImagesHeader, k: u32): f64 {
  return <f64>(<S>load<V>(header.reals + ((<usize>k) << alignof<V>())));
}

/** The bits of infinity without the sign, which are above those of all numbers and below those of NaN. */
const INFINITY: u64 = 0xffe0_0000_0000_0000;

/** As `Object.is`: zeros differ by their sign, and all NaN are the same. */
@inline
function areSame(a: f64, b: f64): bool {
  const bits = reinterpret<u64>(a);
  const others = reinterpret<u64>(b);
  return bits === others || (bits << 1 > INFINITY && others << 1 > INFINITY);
}

@unmanaged
class PlaceTriangleHeader {
  /** 1 if columns have 16 bits. */
  isNear!: u32;
  rowPtr!: usize;
  columns!: usize;
  reals!: usize;
  lowerPtr!: usize;
  colIdx!: usize;
  values!: usize;
  diagonal!: usize;
}

export function sss_place_f64(header: PlaceTriangleHeader, operands: Operands, begin: u32, end: u32): void {
  place<f64, f64>(header, begin, end);
}

export function sss_place_widened(header: PlaceTriangleHeader, operands: Operands, begin: u32, end: u32): void {
  place<f32, f64>(header, begin, end);
}

export function sss_place_mixed(header: PlaceTriangleHeader, operands: Operands, begin: u32, end: u32): void {
  place<f64, f32>(header, begin, end);
}

export function sss_place_f32(header: PlaceTriangleHeader, operands: Operands, begin: u32, end: u32): void {
  place<f32, f32>(header, begin, end);
}

/** Values of type V are stored as S. Units: rows. */
function place<V, S>(header: PlaceTriangleHeader, begin: u32, end: u32): void {
  const isNear = header.isNear !== 0;
  let to = load<u32>(word(header.lowerPtr, begin));
  for (let i = begin; i < end; i++) {
    const last = load<u32>(word(header.lowerPtr, i), 4);
    let at = word(header.columns, load<u32>(word(header.rowPtr, i)));
    let real = header.reals + ((<usize>load<u32>(word(header.rowPtr, i))) << alignof<V>());
    for (; to < last; to++) {
      if (isNear) store<u16>(header.colIdx + ((<usize>to) << 1), <u16>(load<u32>(at) - i + SPAN));
      else store<u32>(word(header.colIdx, to), load<u32>(at));
      store<S>(header.values + ((<usize>to) << alignof<S>()), <S>load<V>(real));
      at += 4;
      real += sizeof<V>();
    }
    const hasDiagonal = at < word(header.columns, load<u32>(word(header.rowPtr, i), 4)) && load<u32>(at) === i;
    store<S>(header.diagonal + ((<usize>i) << alignof<S>()), hasDiagonal ? <S>load<V>(real) : 0);
  }
}
