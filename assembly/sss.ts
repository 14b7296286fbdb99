/**
 * SSS: y ← α A x + β y where A is symmetric and one triangle is stored. Layout: `src/formats/sss.ts`.
 *
 * `sss`: over the blocks of rows [begin, end). An entry (i, j), j < i, adds to yᵢ and, as its mirror image, to yⱼ: in y
 * itself where row j is the block's own, which was written before, or else in the block's halo, memory that nobody else
 * writes to. `sss_halos` then adds the halos to y, in the order of the blocks; over the blocks whose rows they belong to.
 */
import { put } from './lanes';

@unmanaged
class SssHeader {
  rows!: u32;
  blocks!: u32;
  /** What a mirror image is multiplied by: 1 or −1. */
  sign!: i32;
  /** Of the entries below the diagonal, as colIdx and values are. */
  rowPtr!: usize;
  colIdx!: usize;
  values!: usize;
  diagonal!: usize;
  /** u32, in rows, blocks + 1. */
  blockPtr!: usize;
  /** u32: the row that a block's halo begins with; it ends before the block. */
  haloBegin!: usize;
  /** u32, in elements of y, blocks + 1. */
  haloPtr!: usize;
  halos!: usize;
}

export function sss_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  blocks<f64, f64>(changetype<SssHeader>(header), x, y, begin, end, alpha, beta);
}

export function sss_spmv_mixed(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  blocks<f32, f64>(changetype<SssHeader>(header), x, y, begin, end, alpha, beta);
}

export function sss_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  blocks<f32, f32>(changetype<SssHeader>(header), x, y, begin, end, <f32>alpha, <f32>beta);
}

export function sss_halos_spmv_f64(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  for (let block = begin; block < end; block++) addHalos<f64>(changetype<SssHeader>(header), y, block);
}

export function sss_halos_spmv_f32(header: usize, x: usize, y: usize, begin: u32, end: u32, carry: usize, alpha: f64, beta: f64): void {
  for (let block = begin; block < end; block++) addHalos<f32>(changetype<SssHeader>(header), y, block);
}

function at(array: usize, index: u32): u32 {
  return load<u32>(array + (<usize>index << 2));
}

function blocks<V, X>(header: SssHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  for (let block = begin; block < end; block++) {
    const row = at(header.blockPtr, block);
    const rowEnd = at(header.blockPtr, block + 1);
    const haloBegin = at(header.haloBegin, block);
    const halo = header.halos + (<usize>at(header.haloPtr, block) << alignof<X>());
    memory.fill(halo, 0, <usize>(row - haloBegin) << alignof<X>());
    rows<V, X>(header, x, y, halo - (<usize>haloBegin << alignof<X>()), row, rowEnd, alpha, beta);
  }
}

/** The rows of a block. `halo` is where row 0 would be, if the halo began with it. */
function rows<V, X>(header: SssHeader, x: usize, y: usize, halo: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const mirrorAlpha = <X>header.sign * alpha;
  let ptr = header.rowPtr + (<usize>begin << 2);
  let k = load<u32>(ptr);
  let colIdx = header.colIdx + (<usize>k << 2);
  let values = header.values + (<usize>k << alignof<V>());
  let diagonal = header.diagonal + (<usize>begin << alignof<V>());
  const toX = x - y;
  const last = y + (<usize>end << alignof<X>());
  for (let yRow = y + (<usize>begin << alignof<X>()); yRow < last; yRow += sizeof<X>()) {
    ptr += 4;
    const next = load<u32>(ptr);
    const xRow = load<X>(yRow + toX);
    const scaled = mirrorAlpha * xRow;
    let sum = <X>load<V>(diagonal) * xRow;
    let left = next - k;
    if (left > 0 && load<u32>(colIdx) < begin) {
      const others = columnsBelow(colIdx, left, begin);
      sum += rowAndMirror<V, X>(colIdx, values, others, x, halo, scaled);
      colIdx += <usize>others << 2;
      values += <usize>others << alignof<V>();
      left -= others;
    }
    sum += rowAndMirror<V, X>(colIdx, values, left, x, y, scaled);
    put<X>(yRow, sum, alpha, beta);
    colIdx += <usize>left << 2;
    values += <usize>left << alignof<V>();
    diagonal += sizeof<V>();
    k = next;
  }
}

/** How many of a row's first columns, at least one, are less than a bound. */
function columnsBelow(colIdx: usize, left: u32, bound: u32): u32 {
  let count: u32 = 1;
  while (count < left && at(colIdx, count) < bound) count++;
  return count;
}

/** Σ values[k] · x[colIdx[k]]; and target[colIdx[k]] += values[k] · scaled, where columns differ from each other. */
// @ts-ignore: decorator
@inline
function rowAndMirror<V, X>(colIdx: usize, values: usize, left: u32, x: usize, target: usize, scaled: X): X {
  let sum0: X = 0;
  let sum1: X = 0;
  for (; left > 1; left -= 2) {
    const column0 = <usize>load<u32>(colIdx) << alignof<X>();
    const column1 = <usize>load<u32>(colIdx, 4) << alignof<X>();
    const value0 = <X>load<V>(values);
    const value1 = <X>load<V>(values, sizeof<V>());
    sum0 += value0 * load<X>(x + column0);
    sum1 += value1 * load<X>(x + column1);
    store<X>(target + column0, load<X>(target + column0) + value0 * scaled);
    store<X>(target + column1, load<X>(target + column1) + value1 * scaled);
    colIdx += 8;
    values += 2 << alignof<V>();
  }
  if (left) {
    const column = <usize>load<u32>(colIdx) << alignof<X>();
    const value = <X>load<V>(values);
    sum0 += value * load<X>(x + column);
    store<X>(target + column, load<X>(target + column) + value * scaled);
  }
  return sum0 + sum1;
}

/** Adds to the rows of a block what later blocks have for them. */
function addHalos<X>(header: SssHeader, y: usize, block: u32): void {
  const begin = at(header.blockPtr, block);
  const end = at(header.blockPtr, block + 1);
  for (let other = block + 1; other < header.blocks; other++) {
    const haloBegin = at(header.haloBegin, other);
    const first = max(haloBegin, begin);
    const halo = header.halos + (<usize>(at(header.haloPtr, other) + first - haloBegin) << alignof<X>());
    if (first < end) addTo<X>(y + (<usize>first << alignof<X>()), halo, end - first);
  }
}

/** `count` elements of y += those of a halo. */
function addTo<X>(y: usize, halo: usize, count: u32): void {
  const last = y + (<usize>count << alignof<X>());
  for (; y + 16 <= last; y += 16, halo += 16) v128.store(y, v128.add<X>(v128.load(y), v128.load(halo)));
  for (; y < last; y += sizeof<X>(), halo += sizeof<X>()) store<X>(y, load<X>(y) + load<X>(halo));
}
