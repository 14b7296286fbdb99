/** The loops of a conversion to SSS; their TypeScript, which defines them, is `src/formats/sss/loops.ts`. */
import { CompareImagesHeader, PlaceTriangleHeader, SPAN } from '../../build/headers';
import { Operands } from '../operands';
import { word } from '../word';

export function sss_compare<S, V>(header: CompareImagesHeader, operands: Operands, begin: u32, end: u32): void {
  if (begin < end) compare<S, V>(header);
}

/** Values of type S are compared as V. One unit: the matrix. */
function compare<S, V>(header: CompareImagesHeader): void {
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
      if (!isImage || !areSame(realAt<S, V>(header, image), header.sign * realAt<S, V>(header, k))) {
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
function realAt<S, V>(header: CompareImagesHeader, k: u32): f64 {
  return <f64>(<V>load<S>(header.reals + ((<usize>k) << alignof<S>())));
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

/** Values of type S are stored as V. Units: rows. */
export function sss_place<S, V>(header: PlaceTriangleHeader, operands: Operands, begin: u32, end: u32): void {
  const isNear = header.isNear !== 0;
  let to = load<u32>(word(header.lowerPtr, begin));
  for (let i = begin; i < end; i++) {
    const last = load<u32>(word(header.lowerPtr, i), 4);
    let at = word(header.columns, load<u32>(word(header.rowPtr, i)));
    let real = header.reals + ((<usize>load<u32>(word(header.rowPtr, i))) << alignof<S>());
    for (; to < last; to++) {
      if (isNear) store<u16>(header.colIdx + ((<usize>to) << 1), <u16>(load<u32>(at) - i + SPAN));
      else store<u32>(word(header.colIdx, to), load<u32>(at));
      store<V>(header.values + ((<usize>to) << alignof<V>()), <V>load<S>(real));
      at += 4;
      real += sizeof<S>();
    }
    const hasDiagonal = at < word(header.columns, load<u32>(word(header.rowPtr, i), 4)) && load<u32>(at) === i;
    store<V>(header.diagonal + ((<usize>i) << alignof<V>()), hasDiagonal ? <V>load<S>(real) : 0);
  }
}
