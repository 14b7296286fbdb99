/**
 * Triangular solves in slices: y ← α M⁻¹ x + β y, for M = B⁻¹ (I + L) (I + U) A⁻¹ with diagonal B (`before`) and A (`after`). A unit is a
 * piece: consecutive slices that are solved one after the other.
 *
 *     forward     w ← (I + L)⁻¹ B x, slices ascending
 *     backward    w ← (I + U)⁻¹ w, slices descending; y ← α A w + β y
 *
 * This file has what all slices share. There are three kinds, each chosen where it is the fastest (`src/preconditioners/triangular/slices.ts`, `src/preconditioners/triangular/groups.ts`):
 *
 *     slice-lanes.ts     four rows that do not need each other: short rows
 *     slice-rows.ts      one row: long rows
 *     slice-groups.ts    up to four rows with the same columns, which need each other: the unknowns of a node
 *
 * Values are stored negated, so a step adds a product. Elements of x and y are found by `order`; w has an element for each lane. Columns
 * are lanes; those of 16 bits count from the slice's base. A lane without a row repeats the first one, so it writes what that one writes.
 *
 * Both passes read values and columns in the order of the memory. Groups of elasticity 28³, one thread of an AMD EPYC at 2 cores,
 * 22 November 2026: backward 4.6 ms from the last group of the memory to the first, which no prefetcher follows, and 1.1 ms so; forward 1.1 ms.
 */
import { SlicesHeader } from '../../build/headers';
import { gather32, gather64 } from '../lanes';
import { Operands } from '../operands';
import { word } from '../word';

/** Slices of a call; more are halved, as the rows in `assembly/algebra/windows.ts`. */
const SLAB: u32 = 512;

/** The pieces [begin, end) of a header H, whose `forward` solves consecutive slices. */
@inline
export function forwardPieces<H, V, I, X>(header: H, operands: Operands, begin: u32, end: u32): void {
  for (let piece = begin; piece < end; piece++)
    forwardSlices<H, V, I, X>(header, operands.x, load<u32>(word(header.first, piece)), load<u32>(word(header.last, piece)));
}

function forwardSlices<H, V, I, X>(header: H, x: usize, begin: u32, end: u32): void {
  if (end - begin > SLAB) {
    const middle = begin + ((end - begin) >> 1);
    forwardSlices<H, V, I, X>(header, x, begin, middle);
    forwardSlices<H, V, I, X>(header, x, middle, end);
  } else header.forward<V, I, X>(x, begin, end);
}

/** The same backward. */
@inline
export function backwardPieces<H, V, I, X>(header: H, operands: Operands, begin: u32, end: u32): void {
  const alpha = <X>operands.alpha;
  const beta = <X>operands.beta;
  for (let piece = end; piece-- > begin; ) {
    const first = load<u32>(word(header.first, piece));
    backwardSlices<H, V, I, X>(header, operands.y, first, load<u32>(word(header.last, piece)), alpha, beta);
  }
}

function backwardSlices<H, V, I, X>(header: H, y: usize, begin: u32, end: u32, alpha: X, beta: X): void {
  if (end - begin > SLAB) {
    const middle = begin + ((end - begin) >> 1);
    backwardSlices<H, V, I, X>(header, y, middle, end, alpha, beta);
    backwardSlices<H, V, I, X>(header, y, begin, middle, alpha, beta);
  } else header.backward<V, I, X>(y, begin, end, alpha, beta);
}

/** The element of w from which the columns of a slice count. */
@inline
export function workFrom<I, X>(header: SlicesHeader, base: usize): usize {
  return header.work + (sizeof<I>() === 2 ? (<usize>load<u32>(base)) << alignof<X>() : 0);
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
