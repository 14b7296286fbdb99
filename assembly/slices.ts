/**
 * Triangular solves in slices of four rows: y ← α M⁻¹ x + β y, for M = B⁻¹ (I + L) (I + U) A⁻¹ with diagonal B (`before`) and A (`after`).
 * A unit is a piece: consecutive slices that are solved one after the other. The rows of a slice do not need each other, so they are lanes
 * of vector registers, and the chain of rows that wait for each other has one link a slice, not one a row. Layout:
 * `src/backends/team/slices.ts`.
 *
 *     forward     w ← (I + L)⁻¹ B x, slices ascending
 *     backward    w ← (I + U)⁻¹ w, slices descending; y ← α A w + β y
 *
 * Values are stored negated, so a step adds a product. Elements of x and y are found by `order`; w has an element for each lane. Columns
 * are lanes; those of 16 bits count from the slice's base. A lane without a row repeats the first one, so it writes what that one writes.
 */
import { gather32, gather64, madd32, madd64, values32, values64 } from './lanes';
import { Operands } from './operands';
import { word } from './word';

@unmanaged
export class SlicesHeader {
  /** u32, pieces: the first slice of each, and the one after its last. */
  first!: usize;
  last!: usize;
  /** u32, lanes: the element of x and y. */
  order!: usize;
  /** Of the type of x, lanes. */
  work!: usize;
  before!: usize;
  after!: usize;
  /** u32, slices + 1: steps of four entries; u32, slices: the lane from which columns count; columns; values. */
  lowerPtr!: usize;
  lowerBase!: usize;
  lowerIdx!: usize;
  lower!: usize;
  upperPtr!: usize;
  upperBase!: usize;
  upperIdx!: usize;
  upper!: usize;
}

/** V8 replaces its baseline code only between two calls of a function. */
export const SLAB: u32 = 512;

export function slices_forward_f64(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f64, u32, f64>(header, operands.x, piece);
}

export function slices_forward_mixed(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f32, u32, f64>(header, operands.x, piece);
}

export function slices_forward_f32(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f32, u32, f32>(header, operands.x, piece);
}

export function slices16_forward_f64(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f64, u16, f64>(header, operands.x, piece);
}

export function slices16_forward_mixed(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f32, u16, f64>(header, operands.x, piece);
}

export function slices16_forward_f32(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++) forward<f32, u16, f32>(header, operands.x, piece);
}

export function slices_backward_f64(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f64, u32, f64>(header, operands, piece - 1);
}

export function slices_backward_mixed(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f32, u32, f64>(header, operands, piece - 1);
}

export function slices_backward_f32(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f32, u32, f32>(header, operands, piece - 1);
}

export function slices16_backward_f64(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f64, u16, f64>(header, operands, piece - 1);
}

export function slices16_backward_mixed(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f32, u16, f64>(header, operands, piece - 1);
}

export function slices16_backward_f32(header: SlicesHeader, operands: Operands, begin: u32, end: u32): void {
  for (let piece = end; piece > begin; piece--) backward<f32, u16, f32>(header, operands, piece - 1);
}

@inline
function forward<V, I, X>(header: SlicesHeader, x: usize, piece: u32): void {
  const last = load<u32>(word(header.last, piece));
  for (let slice = load<u32>(word(header.first, piece)); slice < last; slice += SLAB)
    forwardSlices<V, I, X>(header, x, slice, min(slice + SLAB, last));
}

@inline
function backward<V, I, X>(header: SlicesHeader, operands: Operands, piece: u32): void {
  const first = load<u32>(word(header.first, piece));
  for (let end = load<u32>(word(header.last, piece)); end > first; ) {
    const begin = end - min(SLAB, end - first);
    backwardSlices<V, I, X>(header, operands.y, begin, end, <X>operands.alpha, <X>operands.beta);
    end = begin;
  }
}

function forwardSlices<V, I, X>(header: SlicesHeader, x: usize, begin: u32, end: u32): void {
  let order = word(header.order, begin << 2);
  let before = header.before + ((<usize>begin) << (2 + alignof<X>()));
  let to = header.work + ((<usize>begin) << (2 + alignof<X>()));
  let ptr = word(header.lowerPtr, begin);
  let base = word(header.lowerBase, begin);
  const step = <usize>load<u32>(ptr);
  let idx = header.lowerIdx + (step << (2 + alignof<I>()));
  let values = header.lower + (step << (2 + alignof<V>()));
  for (let slice = begin; slice < end; slice++) {
    const steps = <usize>load<u32>(ptr, 4) - <usize>load<u32>(ptr);
    const w = workFrom<I, X>(header, base);
    const lastIdx = idx + (steps << (2 + alignof<I>()));
    if (sizeof<X>() === 4) {
      let sums = f32x4.mul(v128.load(before), gatherRows32(x, order));
      for (; idx < lastIdx; idx += sizeof<I>() << 2, values += sizeof<V>() << 2)
        sums = madd32(sums, values32<V>(values, 0, 0), gather32<I>(w, idx, 0));
      v128.store(to, sums);
    } else {
      let sums0 = f64x2.mul(v128.load(before), gatherRows64(x, order));
      let sums1 = f64x2.mul(v128.load(before, 16), gatherRows64(x, order + 8));
      for (; idx < lastIdx; idx += sizeof<I>() << 2, values += sizeof<V>() << 2) {
        sums0 = madd64(sums0, values64<V>(values, 0, 0), gather64<I>(w, idx, 0));
        sums1 = madd64(sums1, values64<V>(values, 0, 2), gather64<I>(w, idx, 2));
      }
      v128.store(to, sums0);
      v128.store(to, sums1, 16);
    }
    order += 16;
    before += sizeof<X>() << 2;
    to += sizeof<X>() << 2;
    ptr += 4;
    base += 4;
  }
}

/** The element of w from which the columns of a slice count. */
@inline
export function workFrom<I, X>(header: SlicesHeader, base: usize): usize {
  return header.work + (sizeof<I>() === 2 ? (<usize>load<u32>(base)) << alignof<X>() : 0);
}

function backwardSlices<V, I, X>(header: SlicesHeader, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  for (let slice = end; slice-- > begin; ) {
    const ptr = word(header.upperPtr, slice);
    const step = <usize>load<u32>(ptr);
    const steps = <usize>load<u32>(ptr, 4) - step;
    let idx = header.upperIdx + (step << (2 + alignof<I>()));
    let values = header.upper + (step << (2 + alignof<V>()));
    const w = workFrom<I, X>(header, word(header.upperBase, slice));
    const lanes = (<usize>slice) << (2 + alignof<X>());
    const own = header.work + lanes;
    const after = header.after + lanes;
    const order = word(header.order, slice << 2);
    const lastIdx = idx + (steps << (2 + alignof<I>()));
    if (sizeof<X>() === 4) {
      let sums = v128.load(own);
      for (; idx < lastIdx; idx += sizeof<I>() << 2, values += sizeof<V>() << 2)
        sums = madd32(sums, values32<V>(values, 0, 0), gather32<I>(w, idx, 0));
      v128.store(own, sums);
      putRows32(y, order, f32x4.mul(sums, v128.load(after)), <f32>alpha, <f32>beta);
    } else {
      let sums0 = v128.load(own);
      let sums1 = v128.load(own, 16);
      for (; idx < lastIdx; idx += sizeof<I>() << 2, values += sizeof<V>() << 2) {
        sums0 = madd64(sums0, values64<V>(values, 0, 0), gather64<I>(w, idx, 0));
        sums1 = madd64(sums1, values64<V>(values, 0, 2), gather64<I>(w, idx, 2));
      }
      v128.store(own, sums0);
      v128.store(own, sums1, 16);
      const results0 = f64x2.mul(sums0, v128.load(after));
      const results1 = f64x2.mul(sums1, v128.load(after, 16));
      putRows64(y, order, results0, results1, <f64>alpha, <f64>beta);
    }
  }
}

/** The elements of x of two rows. */
@inline
export function gatherRows64(x: usize, order: usize): v128 {
  return gather64<u32>(x, order, 0);
}

/** The elements of x of four rows. */
@inline
export function gatherRows32(x: usize, order: usize): v128 {
  return gather32<u32>(x, order, 0);
}

/** The element of y of a lane. */
@inline
function element<X>(y: usize, order: usize, offset: usize): usize {
  return y + ((<usize>load<u32>(order + offset)) << alignof<X>());
}

/** y ← α results + β y; β = 0 overwrites y, NaN included. All elements are read before one is written: lanes may repeat a row. */
@inline
export function putRows64(y: usize, order: usize, results0: v128, results1: v128, alpha: f64, beta: f64): void {
  if (alpha !== 1 || beta !== 0) {
    results0 = f64x2.mul(f64x2.splat(alpha), results0);
    results1 = f64x2.mul(f64x2.splat(alpha), results1);
    if (beta !== 0) {
      results0 = f64x2.add(results0, f64x2.mul(f64x2.splat(beta), gatherRows64(y, order)));
      results1 = f64x2.add(results1, f64x2.mul(f64x2.splat(beta), gatherRows64(y, order + 8)));
    }
  }
  v128.store64_lane(element<f64>(y, order, 0), results0, 0);
  v128.store64_lane(element<f64>(y, order, 4), results0, 1);
  v128.store64_lane(element<f64>(y, order, 8), results1, 0);
  v128.store64_lane(element<f64>(y, order, 12), results1, 1);
}

/** The same for elements of f32. */
@inline
export function putRows32(y: usize, order: usize, results: v128, alpha: f32, beta: f32): void {
  if (alpha !== 1 || beta !== 0) {
    results = f32x4.mul(f32x4.splat(alpha), results);
    if (beta !== 0) results = f32x4.add(results, f32x4.mul(f32x4.splat(beta), gatherRows32(y, order)));
  }
  v128.store32_lane(element<f32>(y, order, 0), results, 0);
  v128.store32_lane(element<f32>(y, order, 4), results, 1);
  v128.store32_lane(element<f32>(y, order, 8), results, 2);
  v128.store32_lane(element<f32>(y, order, 12), results, 3);
}
