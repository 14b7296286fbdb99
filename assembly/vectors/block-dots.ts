/**
 * Sums over the rows of blocks of vectors, for one chunk of 1024 rows: dot products by column, and Xᵀ Y. All sums are f64, and each
 * chunk stores its own, at `other`: those of all chunks for the first result, then for the second one.
 */
import { CHUNK_ELEMENTS } from '../../build/headers';
import { madd64 } from '../lanes';
import { BlockOperation, pair } from './vector-operation';

/** Column j of x times column j of y, two columns at a time. Each sum has the order, and so the bits, of `dot` of two vectors. */
export function columnDots<X>(operation: BlockOperation, chunk: u32, count: u32): void {
  const step = (<usize>operation.xStride) << alignof<X>();
  const x = operation.x + <usize>(chunk * CHUNK_ELEMENTS) * step;
  const y = operation.y + <usize>(chunk * CHUNK_ELEMENTS) * step;
  for (let j: u32 = 0; j < operation.xColumns; j += 2) {
    const at = (<usize>j) << alignof<X>();
    const sums = twoDots<X>(x + at, y + at, step, count);
    store<f64>(placeOf(operation, j, chunk), f64x2.extract_lane(sums, 0));
    if (j + 1 < operation.xColumns) store<f64>(placeOf(operation, j + 1, chunk), f64x2.extract_lane(sums, 1));
  }
}

/** The sum of a chunk for one result. */
@inline
function placeOf(operation: BlockOperation, result: u32, chunk: u32): usize {
  return operation.other + ((<usize>(result * operation.chunks + chunk)) << 3);
}

/** Each lane is a column, and adds the elements of its column as the lanes of `dot` do: element i to sum i mod 8. */
function twoDots<X>(x: usize, y: usize, step: usize, count: u32): v128 {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  let s4 = f64x2.splat(0);
  let s5 = f64x2.splat(0);
  let s6 = f64x2.splat(0);
  let s7 = f64x2.splat(0);
  for (; count > 7; count -= 8) {
    s0 = madd64(s0, pair<X>(x, 0), pair<X>(y, 0));
    s1 = madd64(s1, pair<X>(x + step, 0), pair<X>(y + step, 0));
    s2 = madd64(s2, pair<X>(x + 2 * step, 0), pair<X>(y + 2 * step, 0));
    s3 = madd64(s3, pair<X>(x + 3 * step, 0), pair<X>(y + 3 * step, 0));
    s4 = madd64(s4, pair<X>(x + 4 * step, 0), pair<X>(y + 4 * step, 0));
    s5 = madd64(s5, pair<X>(x + 5 * step, 0), pair<X>(y + 5 * step, 0));
    s6 = madd64(s6, pair<X>(x + 6 * step, 0), pair<X>(y + 6 * step, 0));
    s7 = madd64(s7, pair<X>(x + 7 * step, 0), pair<X>(y + 7 * step, 0));
    x += step << 3;
    y += step << 3;
  }
  const even = f64x2.add(f64x2.add(s0, s2), f64x2.add(s4, s6));
  const odd = f64x2.add(f64x2.add(s1, s3), f64x2.add(s5, s7));
  let sum = f64x2.add(even, odd);
  for (; count > 0; count--, x += step, y += step) sum = f64x2.add(sum, f64x2.mul(pair<X>(x, 0), pair<X>(y, 0)));
  return sum;
}

/**
 * Xᵀ Y: columns a of x times columns b of y, in tiles of 2 × 8 results, whose sums stay in registers over the chunk. y has more
 * than one column. A sum adds the rows in order: Xᵀ X is symmetric to the last bit. All results of 64 rows before the next 64, so that
 * these stay in L1, is not faster: 0.9 to 1.2 × for 2 to 64 columns (two shared cores of an Intel Xeon, Node 20, November 2026).
 */
export function gram<X>(operation: BlockOperation, chunk: u32, count: u32): void {
  const columns = operation.xColumns;
  for (let a: u32 = 0; a < (columns & ~1); a += 2) tiles<X>(2, operation, chunk, count, a);
  if (columns & 1) tiles<X>(1, operation, chunk, count, columns - 1);
}

/** `height` columns of x, a constant, from `a` on, times all of y. */
@inline
function tiles<X>(height: u32, operation: BlockOperation, chunk: u32, count: u32, a: u32): void {
  const pairs = (operation.yColumns + 1) >> 1;
  let b: u32 = 0;
  for (; b + 4 <= pairs; b += 4) tile<X>(height, 4, operation, chunk, count, a, b << 1);
  if (pairs & 2) {
    tile<X>(height, 2, operation, chunk, count, a, b << 1);
    b += 2;
  }
  if (pairs & 1) tile<X>(height, 1, operation, chunk, count, a, b << 1);
}

/** The results [a, a + height) × [b, b + 2 width); height and width are constants. */
@inline
function tile<X>(height: u32, width: u32, operation: BlockOperation, chunk: u32, count: u32, a: u32, b: u32): void {
  const xStep = (<usize>operation.xStride) << alignof<X>();
  const yStep = (<usize>operation.yStride) << alignof<X>();
  let x = operation.x + <usize>(chunk * CHUNK_ELEMENTS) * xStep + ((<usize>a) << alignof<X>());
  let y = operation.y + <usize>(chunk * CHUNK_ELEMENTS) * yStep + ((<usize>b) << alignof<X>());
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  let t0 = f64x2.splat(0);
  let t1 = f64x2.splat(0);
  let t2 = f64x2.splat(0);
  let t3 = f64x2.splat(0);
  for (; count > 0; count--, x += xStep, y += yStep) {
    const xa = f64x2.splat(<f64>load<X>(x));
    const xb = height > 1 ? f64x2.splat(<f64>load<X>(x, sizeof<X>())) : xa;
    const y0 = pair<X>(y, 0);
    s0 = madd64(s0, xa, y0);
    if (height > 1) t0 = madd64(t0, xb, y0);
    if (width > 1) {
      const y1 = pair<X>(y, 2);
      s1 = madd64(s1, xa, y1);
      if (height > 1) t1 = madd64(t1, xb, y1);
    }
    if (width > 2) {
      const y2 = pair<X>(y, 4);
      s2 = madd64(s2, xa, y2);
      if (height > 1) t2 = madd64(t2, xb, y2);
      const y3 = pair<X>(y, 6);
      s3 = madd64(s3, xa, y3);
      if (height > 1) t3 = madd64(t3, xb, y3);
    }
  }
  putRow(width, operation, chunk, a, b, s0, s1, s2, s3);
  if (height > 1) putRow(width, operation, chunk, a + 1, b, t0, t1, t2, t3);
}

@inline
function putRow(width: u32, operation: BlockOperation, chunk: u32, a: u32, b: u32, s0: v128, s1: v128, s2: v128, s3: v128): void {
  putPair(operation, chunk, a, b, s0);
  if (width > 1) putPair(operation, chunk, a, b + 2, s1);
  if (width > 2) {
    putPair(operation, chunk, a, b + 4, s2);
    putPair(operation, chunk, a, b + 6, s3);
  }
}

/** The results (a, b) and (a, b + 1), if y has the latter column. */
function putPair(operation: BlockOperation, chunk: u32, a: u32, b: u32, sums: v128): void {
  const first = a * operation.yColumns + b;
  store<f64>(placeOf(operation, first, chunk), f64x2.extract_lane(sums, 0));
  if (b + 1 < operation.yColumns) store<f64>(placeOf(operation, first + 1, chunk), f64x2.extract_lane(sums, 1));
}
