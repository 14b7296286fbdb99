/**
 * Y ← a X C + b Y for one chunk of 1024 rows of blocks of vectors and a small dense C, in the type of the blocks: at `other`, row by
 * row, padded like the rows of Y. Y may be X: two rows at a time are then copied behind C, to a place that belongs to the chunk.
 *
 * Two rows times four vectors of columns stay in registers; sums run over the columns of X in order. Of a Y of one column, a sum is that of every second
 * vector of columns, then of both, then of lanes.
 */
import { CHUNK_ELEMENTS } from '../../build/headers';
import { madd32, madd64, put, putVector } from '../lanes';
import { BlockOperation } from './vector-operation';

export function combine<X>(operation: BlockOperation, chunk: u32, count: u32): void {
  const xStep = (<usize>operation.xStride) << alignof<X>();
  const yStep = (<usize>operation.yStride) << alignof<X>();
  let x = operation.x + <usize>(chunk * CHUNK_ELEMENTS) * xStep;
  let y = operation.y + <usize>(chunk * CHUNK_ELEMENTS) * yStep;
  if (operation.yStride === 1) {
    for (; count > 0; count--, x += xStep, y += yStep) oneColumn<X>(operation, x, y);
    return;
  }
  const isInPlace = operation.x === operation.y;
  const copied = operation.other + <usize>operation.xColumns * yStep + <usize>(2 * chunk) * xStep;
  for (; count > 1; count -= 2) {
    if (isInPlace) memory.copy(copied, x, 2 * xStep);
    row<X>(2, operation, isInPlace ? copied : x, xStep, y, yStep);
    x += 2 * xStep;
    y += 2 * yStep;
  }
  if (count === 0) return;
  if (isInPlace) memory.copy(copied, x, xStep);
  row<X>(1, operation, isInPlace ? copied : x, xStep, y, yStep);
}

/** One row of Y or, if `height` is 2, two; `height` is a constant. */
@inline
function row<X>(height: u32, operation: BlockOperation, x: usize, xStep: usize, y: usize, yStep: usize): void {
  const last = y + yStep;
  let c = operation.other;
  for (; y + 64 <= last; y += 64, c += 64) tile<X>(height, 4, operation, x, xStep, y, yStep, c);
  if (y + 32 <= last) {
    tile<X>(height, 2, operation, x, xStep, y, yStep, c);
    y += 32;
    c += 32;
  }
  if (y < last) tile<X>(height, 1, operation, x, xStep, y, yStep, c);
}

/** A row of a Y of one column, which has no padding, as C has none. */
@inline
function oneColumn<X>(operation: BlockOperation, x: usize, y: usize): void {
  const lanes: u32 = 16 >> alignof<X>();
  let s0 = v128.splat<X>(0);
  let s1 = v128.splat<X>(0);
  let c = operation.other;
  let left = operation.xColumns;
  for (; left >= 2 * lanes; left -= 2 * lanes, x += 32, c += 32) {
    s0 = madd<X>(s0, v128.load(x), v128.load(c));
    s1 = madd<X>(s1, v128.load(x, 16), v128.load(c, 16));
  }
  if (left >= lanes) {
    s0 = madd<X>(s0, v128.load(x), v128.load(c));
    left -= lanes;
    x += 16;
    c += 16;
  }
  let sum = sumOfLanes<X>(v128.add<X>(s0, s1));
  for (; left > 0; left--, x += sizeof<X>(), c += sizeof<X>()) sum += load<X>(x) * load<X>(c);
  put<X>(y, sum, <X>operation.a, <X>operation.b);
}

@inline
function sumOfLanes<X>(sums: v128): X {
  if (sizeof<X>() === 8) return <X>(f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1));
  const low = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1);
  return <X>(low + (f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3)));
}

@inline
function madd<X>(sum: v128, a: v128, b: v128): v128 {
  return sizeof<X>() === 4 ? madd32(sum, a, b) : madd64(sum, a, b);
}

/** `width` vectors of columns, of C at `c`, for one row or two; both numbers are constants. */
@inline
function tile<X>(height: u32, width: u32, operation: BlockOperation, x: usize, xStep: usize, y: usize, yStep: usize, c: usize): void {
  const zero = v128.splat<X>(0);
  let s0 = zero;
  let s1 = zero;
  let s2 = zero;
  let s3 = zero;
  let t0 = zero;
  let t1 = zero;
  let t2 = zero;
  let t3 = zero;
  for (let left = operation.xColumns; left > 0; left--, x += sizeof<X>(), c += yStep) {
    const xa = v128.load_splat<X>(x);
    const xb = height > 1 ? v128.load_splat<X>(x + xStep) : xa;
    const c0 = v128.load(c);
    s0 = madd<X>(s0, xa, c0);
    if (height > 1) t0 = madd<X>(t0, xb, c0);
    if (width > 1) {
      const c1 = v128.load(c, 16);
      s1 = madd<X>(s1, xa, c1);
      if (height > 1) t1 = madd<X>(t1, xb, c1);
    }
    if (width > 2) {
      const c2 = v128.load(c, 32);
      s2 = madd<X>(s2, xa, c2);
      if (height > 1) t2 = madd<X>(t2, xb, c2);
      const c3 = v128.load(c, 48);
      s3 = madd<X>(s3, xa, c3);
      if (height > 1) t3 = madd<X>(t3, xb, c3);
    }
  }
  const alpha = <X>operation.a;
  const beta = <X>operation.b;
  putAll<X>(width, y, s0, s1, s2, s3, alpha, beta);
  if (height > 1) putAll<X>(width, y + yStep, t0, t1, t2, t3, alpha, beta);
}

@inline
function putAll<X>(width: u32, y: usize, s0: v128, s1: v128, s2: v128, s3: v128, alpha: X, beta: X): void {
  putVector<X>(y, s0, alpha, beta);
  if (width > 1) putVector<X>(y + 16, s1, alpha, beta);
  if (width > 2) {
    putVector<X>(y + 32, s2, alpha, beta);
    putVector<X>(y + 48, s3, alpha, beta);
  }
}
