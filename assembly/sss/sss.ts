/**
 * SSS: y ← α A x + β y for a symmetric A of which one triangle is stored. Layout: `src/formats/sss/sss.ts`.
 *
 * `sss`: over the blocks of rows [begin, end). An entry (i, j), j < i, adds to yᵢ and, as its mirror image, to yⱼ: in y
 * itself if row j belongs to the block (it was then written before), otherwise in the block's halo, memory that no other block
 * writes to. In `sss16` columns have 16 bits and count from 2¹⁶ before the row. `sss_add_halos` then adds the halos to y, in the
 * order of the blocks; its range is over the blocks that own the rows.
 *
 * Four entries in adjacent columns are computed as vectors, with the same bits: in times of csr, 9-point 20² in blocks of 40, f64 1.9
 * instead of 0.85, f32 1.2 instead of 0.6; in blocks of 3, f32 0.86 instead of 0.6. (AMD EPYC Zen 4, one thread, 22 November 2026.)
 */
import { SssHeader } from '../../build/headers';
import { put } from '../lanes';
import { Operands } from '../operands';
import { rowAndMirror } from './mirror';

export function sss_spmv<V, I, X>(header: SssHeader, operands: Operands, begin: u32, end: u32): void {
  blocks<V, I, X>(header, operands.x, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
}

export function sss_add_halos<X>(header: SssHeader, operands: Operands, begin: u32, end: u32): void {
  const y = operands.y;
  for (let block = begin; block < end; block++) addHalos<X>(header, y, block);
}

function at(array: usize, index: u32): u32 {
  return load<u32>(array + ((<usize>index) << 2));
}

function blocks<V, I, X>(header: SssHeader, x: usize, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  for (let block = begin; block < end; block++) {
    const row = at(header.blockPtr, block);
    const rowEnd = at(header.blockPtr, block + 1);
    const haloBegin = at(header.haloBegin, block);
    const halo = header.halos + ((<usize>at(header.haloPtr, block)) << alignof<X>());
    memory.fill(halo, 0, (<usize>(row - haloBegin)) << alignof<X>());
    rows<V, I, X>(header, x, y, halo - ((<usize>haloBegin) << alignof<X>()), row, rowEnd, alpha, beta);
  }
}

/** Computes the rows of a block. `halo` is the address that row 0 would have in the halo. */
function rows<V, I, X>(header: SssHeader, x: usize, y: usize, halo: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  const mirrorAlpha = <X>header.sign * alpha;
  let ptr = header.rowPtr + ((<usize>begin) << 2);
  let k = load<u32>(ptr);
  let colIdx = header.colIdx + ((<usize>k) << alignof<I>());
  let values = header.values + ((<usize>k) << alignof<V>());
  let diagonal = header.diagonal + ((<usize>begin) << alignof<V>());
  for (let row = begin; row < end; row++) {
    ptr += 4;
    const next = load<u32>(ptr);
    const place = (<usize>row) << alignof<X>();
    // The base of the columns, which may be negative.
    const first: i32 = sizeof<I>() === 2 ? <i32>row - 0x10000 : 0;
    const from = (<usize>first) << alignof<X>();
    const xRow = load<X>(x + place);
    const scaled = mirrorAlpha * xRow;
    let sum = <X>load<V>(diagonal) * xRow;
    let left = next - k;
    const bound = <i32>begin - first;
    if (left > 0 && <i32>load<I>(colIdx) < bound) {
      const others = columnsBelow<I>(colIdx, left, bound);
      sum += rowAndMirror<V, I, X>(colIdx, values, others, x + from, halo + from, scaled);
      colIdx += (<usize>others) << alignof<I>();
      values += (<usize>others) << alignof<V>();
      left -= others;
    }
    sum += rowAndMirror<V, I, X>(colIdx, values, left, x + from, y + from, scaled);
    put<X>(y + place, sum, alpha, beta);
    colIdx += (<usize>left) << alignof<I>();
    values += (<usize>left) << alignof<V>();
    diagonal += sizeof<V>();
    k = next;
  }
}

/** Columns that are searched one by one, after halving: of most rows, all. */
const FEW: u32 = 16;

/** The number of a row's first columns that are below a bound; the first one is known to be. */
function columnsBelow<I>(colIdx: usize, left: u32, bound: i32): u32 {
  let count: u32 = 1;
  while (left - count > FEW) {
    const middle = (count + left) >>> 1;
    if (<i32>load<I>(colIdx + ((<usize>middle) << alignof<I>())) < bound) count = middle + 1;
    else left = middle;
  }
  while (count < left && <i32>load<I>(colIdx + ((<usize>count) << alignof<I>())) < bound) count++;
  return count;
}

/** Adds the halos of later blocks to the rows of a block. */
function addHalos<X>(header: SssHeader, y: usize, block: u32): void {
  const begin = at(header.blockPtr, block);
  const end = at(header.blockPtr, block + 1);
  for (let other = block + 1; other < header.blocks; other++) {
    const haloBegin = at(header.haloBegin, other);
    const first = max(haloBegin, begin);
    const halo = header.halos + ((<usize>(at(header.haloPtr, other) + first - haloBegin)) << alignof<X>());
    if (first < end) addTo<X>(y + ((<usize>first) << alignof<X>()), halo, end - first);
  }
}

/** `count` elements of y += those of a halo. */
function addTo<X>(y: usize, halo: usize, count: u32): void {
  const last = y + ((<usize>count) << alignof<X>());
  for (; y + 16 <= last; y += 16, halo += 16) v128.store(y, v128.add<X>(v128.load(y), v128.load(halo)));
  for (; y < last; y += sizeof<X>(), halo += sizeof<X>()) store<X>(y, load<X>(y) + load<X>(halo));
}
