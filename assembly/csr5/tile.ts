/**
 * The computation of CSR5 inside one tile of four lanes × σ steps, in f64 and in f32. Entry 4 step + lane of `colIdx` and
 * `values` is entry σ lane + step of the tile; bit 16 lane + step of `ends` is set if a row ends there.
 */
import { gather32, gather64, madd32, madd64, put, values32, values64 } from '../lanes';

/**
 * Writes the running sums of a tile, step by step, to `sums`; `open` belongs to the first row that ends. Returns the open sum
 * after the tile.
 */
export function runningSums<V, X>(x: usize, colIdx: usize, values: usize, desc: usize, sigma: u32, sums: usize, open: X): X {
  if (sizeof<X>() === 4) return <X>runningSums32<V>(x, colIdx, values, desc, sigma, sums, <f32>open);
  return <X>runningSums64<V>(x, colIdx, values, desc, sigma, sums, <f64>open);
}

function runningSums64<V>(x: usize, colIdx: usize, values: usize, desc: usize, sigma: u32, sums: usize, open: f64): f64 {
  const ends0 = v128.load32x2_u(desc);
  const ends1 = v128.load32x2_u(desc, 8);
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  let bit = i64x2.splat(1);
  let at = sums;
  for (let left = sigma >> 1; left > 0; left--) {
    sum0 = running64<V>(sum0, x, colIdx, values, at, 0);
    sum1 = running64<V>(sum1, x, colIdx, values, at, 2);
    sum0 = open64(sum0, ends0, bit);
    sum1 = open64(sum1, ends1, bit);
    bit = i64x2.add(bit, bit);
    sum0 = running64<V>(sum0, x, colIdx, values, at, 4);
    sum1 = running64<V>(sum1, x, colIdx, values, at, 6);
    sum0 = open64(sum0, ends0, bit);
    sum1 = open64(sum1, ends1, bit);
    bit = i64x2.add(bit, bit);
    colIdx += 32;
    values += 8 << alignof<V>();
    at += 64;
  }
  if (sigma & 1) {
    sum0 = open64(running64<V>(sum0, x, colIdx, values, at, 0), ends0, bit);
    sum1 = open64(running64<V>(sum1, x, colIdx, values, at, 2), ends1, bit);
  }
  const last: u32 = 1 << (sigma - 1);
  open = join<f64>(sums, load<u16>(desc), last, open, f64x2.extract_lane(sum0, 0));
  open = join<f64>(sums + 8, load<u16>(desc, 4), last, open, f64x2.extract_lane(sum0, 1));
  open = join<f64>(sums + 16, load<u16>(desc, 8), last, open, f64x2.extract_lane(sum1, 0));
  return join<f64>(sums + 24, load<u16>(desc, 12), last, open, f64x2.extract_lane(sum1, 1));
}

/** Adds the entries from `offset` on to the sums of two lanes, and stores the sums there. */
@inline
function running64<V>(sum: v128, x: usize, colIdx: usize, values: usize, at: usize, offset: usize): v128 {
  sum = madd64(sum, values64<V>(values, 0, offset), gather64<u32>(x, colIdx, offset));
  v128.store(at + (offset << 3), sum);
  return sum;
}

/** The sums of two lanes, 0 where a row ends. */
@inline
function open64(sum: v128, ends: v128, bit: v128): v128 {
  return v128.and(sum, i64x2.eq(v128.and(ends, bit), i64x2.splat(0)));
}

function runningSums32<V>(x: usize, colIdx: usize, values: usize, desc: usize, sigma: u32, sums: usize, open: f32): f32 {
  const ends = v128.load(desc);
  let sum = f32x4.splat(0);
  let bit = i32x4.splat(1);
  let at = sums;
  for (let left = sigma >> 1; left > 0; left--) {
    sum = open32(running32<V>(sum, x, colIdx, values, at, 0), ends, bit);
    bit = i32x4.add(bit, bit);
    sum = open32(running32<V>(sum, x, colIdx, values, at, 4), ends, bit);
    bit = i32x4.add(bit, bit);
    colIdx += 32;
    values += 8 << alignof<V>();
    at += 32;
  }
  if (sigma & 1) sum = open32(running32<V>(sum, x, colIdx, values, at, 0), ends, bit);
  const last: u32 = 1 << (sigma - 1);
  open = join<f32>(sums, load<u16>(desc), last, open, f32x4.extract_lane(sum, 0));
  open = join<f32>(sums + 4, load<u16>(desc, 4), last, open, f32x4.extract_lane(sum, 1));
  open = join<f32>(sums + 8, load<u16>(desc, 8), last, open, f32x4.extract_lane(sum, 2));
  return join<f32>(sums + 12, load<u16>(desc, 12), last, open, f32x4.extract_lane(sum, 3));
}

@inline
function running32<V>(sum: v128, x: usize, colIdx: usize, values: usize, at: usize, offset: usize): v128 {
  sum = madd32(sum, values32<V>(values, 0, offset), gather32<u32>(x, colIdx, offset));
  v128.store(at + (offset << 2), sum);
  return sum;
}

@inline
function open32(sum: v128, ends: v128, bit: v128): v128 {
  return v128.and(sum, i32x4.eq(v128.and(ends, bit), i32x4.splat(0)));
}

/**
 * Adds the open sum of the previous lanes to the first row that ends in a lane, and returns the open sum after the lane, whose
 * last sum is `tail`. Without branches: if no row ends, the sum at the last step is changed instead, which is never read.
 */
@inline
function join<X>(sums: usize, ends: u32, last: u32, open: X, tail: X): X {
  const at = sums + ((<usize>ctz(ends | last)) << (2 + alignof<X>()));
  store<X>(at, load<X>(at) + open);
  if (sizeof<X>() === 4) return <X>(tail + reinterpret<f32>(reinterpret<u32>(<f32>open) & -(<u32>(ends === 0))));
  return <X>(tail + reinterpret<f64>(reinterpret<u64>(<f64>open) & -(<u64>(ends === 0))));
}

/**
 * Computes a tile of whole rows, with the same number and lengths in every lane: `ends` are the flags of one lane. Writes the
 * rows from address `at` on; the rows of a lane lie `stride` bytes after those of the lane before. `open` belongs to the first.
 */
export function putLanes<V, X>(x: usize, colIdx: usize, values: usize, ends: u32, at: usize, stride: usize, open: X, alpha: X, beta: X): void {
  if (sizeof<X>() === 4) putLanes32<V>(x, colIdx, values, ends, at, stride, <f32>open, <f32>alpha, <f32>beta);
  else putLanes64<V>(x, colIdx, values, ends, at, stride, <f64>open, <f64>alpha, <f64>beta);
}

function putLanes64<V>(x: usize, colIdx: usize, values: usize, ends: u32, at: usize, stride: usize, open: f64, alpha: f64, beta: f64): void {
  let sum0 = f64x2.replace_lane(f64x2.splat(0), 0, open);
  while (ends !== 0) {
    let sum1 = f64x2.splat(0);
    const length = ctz(ends) + 1;
    for (let left = length; left > 0; left--) {
      sum0 = madd64(sum0, values64<V>(values, 0, 0), gather64<u32>(x, colIdx, 0));
      sum1 = madd64(sum1, values64<V>(values, 0, 2), gather64<u32>(x, colIdx, 2));
      colIdx += 16;
      values += 4 << alignof<V>();
    }
    put<f64>(at, f64x2.extract_lane(sum0, 0), alpha, beta);
    put<f64>(at + stride, f64x2.extract_lane(sum0, 1), alpha, beta);
    put<f64>(at + 2 * stride, f64x2.extract_lane(sum1, 0), alpha, beta);
    put<f64>(at + 3 * stride, f64x2.extract_lane(sum1, 1), alpha, beta);
    sum0 = f64x2.splat(0);
    ends >>= length;
    at += 8;
  }
}

function putLanes32<V>(x: usize, colIdx: usize, values: usize, ends: u32, at: usize, stride: usize, open: f32, alpha: f32, beta: f32): void {
  let sum = f32x4.replace_lane(f32x4.splat(0), 0, open);
  while (ends !== 0) {
    const length = ctz(ends) + 1;
    for (let left = length; left > 0; left--) {
      sum = madd32(sum, values32<V>(values, 0, 0), gather32<u32>(x, colIdx, 0));
      colIdx += 16;
      values += 4 << alignof<V>();
    }
    put<f32>(at, f32x4.extract_lane(sum, 0), alpha, beta);
    put<f32>(at + stride, f32x4.extract_lane(sum, 1), alpha, beta);
    put<f32>(at + 2 * stride, f32x4.extract_lane(sum, 2), alpha, beta);
    put<f32>(at + 3 * stride, f32x4.extract_lane(sum, 3), alpha, beta);
    sum = f32x4.splat(0);
    ends >>= length;
    at += 4;
  }
}

/** Writes the rows that end in a tile, from address `at` on. */
export function putRows<X>(at: usize, ends: u64, sums: usize, alpha: X, beta: X): void {
  if (beta === <X>0) {
    for (; ends !== 0; ends &= ends - 1) {
      store<X>(at, alpha * sumAt<X>(sums, ends));
      at += sizeof<X>();
    }
  } else {
    for (; ends !== 0; ends &= ends - 1) {
      store<X>(at, alpha * sumAt<X>(sums, ends) + beta * load<X>(at));
      at += sizeof<X>();
    }
  }
}

/** The sum at the first end. */
@inline
export function sumAt<X>(sums: usize, ends: u64): X {
  const bit = <usize>ctz(ends);
  return load<X>(sums + ((((bit & 15) << 2) | (bit >> 4)) << alignof<X>()));
}
