/**
 * The vocabulary of the row kernels: vectors of x gathered by column, fused multiply-add, sums across lanes.
 *
 * WebAssembly has no gather, so vectors are built from scalar loads (`movsd` + `movhpd` on x86). All function decorators
 * of this folder live in this file: Biome cannot parse them. `V` is the type of the values, `X` of x, y and the sums.
 */

/** acc + a · b in two f64 lanes; one rounding in the relaxed-SIMD binary, two in the other. */
// @ts-ignore: decorator
@inline
export function madd64(acc: v128, a: v128, b: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(a, b, acc);
  return f64x2.add(acc, f64x2.mul(a, b));
}

/** acc + a · b in four f32 lanes. */
// @ts-ignore: decorator
@inline
export function madd32(acc: v128, a: v128, b: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, acc);
  return f32x4.add(acc, f32x4.mul(a, b));
}

/** Two values as f64 lanes, widened where they are stored as f32. */
// @ts-ignore: decorator
@inline
export function values64<V>(values: usize, offset: usize): v128 {
  if (sizeof<V>() == 4) return f64x2.promote_low_f32x4(v128.load64_zero(values + (offset << 2)));
  return v128.load(values + (offset << 3));
}

/** One value in lane 0, the other lane zero. */
// @ts-ignore: decorator
@inline
export function value64<V>(values: usize): v128 {
  if (sizeof<V>() == 4) return f64x2.promote_low_f32x4(v128.load32_zero(values));
  return v128.load64_zero(values);
}

/** [ x[colIdx[k]], x[colIdx[k + 1]] ], with colIdx pointing at entry k − offset. */
// @ts-ignore: decorator
@inline
export function gather64(x: usize, colIdx: usize, offset: usize): v128 {
  const low = v128.load64_zero(x + (<usize>load<u32>(colIdx + (offset << 2)) << 3));
  return v128.load64_lane(x + (<usize>load<u32>(colIdx + (offset << 2), 4) << 3), low, 1);
}

/** Four f32 of x by column. */
// @ts-ignore: decorator
@inline
export function gather32(x: usize, colIdx: usize, offset: usize): v128 {
  let lanes = v128.load32_zero(x + (<usize>load<u32>(colIdx + (offset << 2)) << 2));
  lanes = v128.load32_lane(x + (<usize>load<u32>(colIdx + (offset << 2), 4) << 2), lanes, 1);
  lanes = v128.load32_lane(x + (<usize>load<u32>(colIdx + (offset << 2), 8) << 2), lanes, 2);
  return v128.load32_lane(x + (<usize>load<u32>(colIdx + (offset << 2), 12) << 2), lanes, 3);
}

/** Two f32 of x by column in lanes 0 and 1, zeros above. */
// @ts-ignore: decorator
@inline
export function gather32pair(x: usize, colIdx: usize): v128 {
  const low = v128.load32_zero(x + (<usize>load<u32>(colIdx) << 2));
  return v128.load32_lane(x + (<usize>load<u32>(colIdx, 4) << 2), low, 1);
}

/** y ← α · sum + β · y at one address; β = 0 overwrites, NaN included. */
// @ts-ignore: decorator
@inline
export function put<X>(at: usize, sum: X, alpha: X, beta: X): void {
  store<X>(at, beta == <X>0 ? alpha * sum : alpha * sum + beta * load<X>(at));
}

/**
 * How a row takes the entries left over by its loop: by branches, which cost nothing where the row before was as long, or
 * branch-free, reading on past the row's end and masking what is not its own, which saves a misprediction per row where it
 * was not (road network 0.98 → 1.66 × plain C, 9-point Laplacian 1.53 → 1.39 ×). Tags for the type parameter `Tail`.
 */
export type Branching = u8;
export type BranchFree = u16;

/**
 * Σ values[k] · x[colIdx[k]] over one row of `left` entries. The order of summation depends on `left` only: four (f32:
 * eight) running sums, then what is left over; so neither the tail, nor parts, nor formats that use it change a bit.
 * BranchFree reads up to 4 entries past the row's end.
 */
// @ts-ignore: decorator
@inline
export function rowSum<V, X, Tail>(x: usize, colIdx: usize, values: usize, left: u32): X {
  if (sizeof<X>() == 4) return <X>rowSum32<Tail>(x, colIdx, values, left);
  return <X>rowSum64<V, Tail>(x, colIdx, values, left);
}

/** sum0 takes entries 0 1 mod 4, sum1 entries 2 3 mod 4. */
// @ts-ignore: decorator
@inline
function rowSum64<V, Tail>(x: usize, colIdx: usize, values: usize, left: u32): f64 {
  let sum0 = f64x2.splat(0);
  let sum1 = f64x2.splat(0);
  for (; left > 3; left -= 4) {
    sum0 = madd64(sum0, values64<V>(values, 0), gather64(x, colIdx, 0));
    sum1 = madd64(sum1, values64<V>(values, 2), gather64(x, colIdx, 2));
    colIdx += 16;
    values += 4 << alignof<V>();
  }
  if (sizeof<Tail>() == sizeof<BranchFree>()) {
    const pair = left & 2;
    sum0 = maskedMadd64(sum0, values64<V>(values, 0), gather64(x, colIdx, 0), pair >> 1);
    colIdx += pair << 2;
    values += pair << alignof<V>();
    sum1 = maskedMadd64(sum1, value64<V>(values), v128.load64_zero(x + (<usize>load<u32>(colIdx) << 3)), left & 1);
  } else {
    if (left & 2) {
      sum0 = madd64(sum0, values64<V>(values, 0), gather64(x, colIdx, 0));
      colIdx += 8;
      values += 2 << alignof<V>();
    }
    if (left & 1) sum1 = madd64(sum1, value64<V>(values), v128.load64_zero(x + (<usize>load<u32>(colIdx) << 3)));
  }
  const sum = f64x2.add(sum0, sum1);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** sum0 takes entries 0 … 3 mod 8, sum1 entries 4 … 7 mod 8. */
// @ts-ignore: decorator
@inline
function rowSum32<Tail>(x: usize, colIdx: usize, values: usize, left: u32): f32 {
  let sum0 = f32x4.splat(0);
  let sum1 = f32x4.splat(0);
  for (; left > 7; left -= 8) {
    sum0 = madd32(sum0, v128.load(values), gather32(x, colIdx, 0));
    sum1 = madd32(sum1, v128.load(values, 16), gather32(x, colIdx, 4));
    colIdx += 32;
    values += 32;
  }
  if (left & 4) {
    sum0 = madd32(sum0, v128.load(values), gather32(x, colIdx, 0));
    colIdx += 16;
    values += 16;
  }
  if (sizeof<Tail>() == sizeof<BranchFree>()) {
    const pair = left & 2;
    sum1 = maskedMadd32(sum1, v128.load64_zero(values), gather32pair(x, colIdx), pair >> 1);
    colIdx += pair << 2;
    values += pair << 2;
    sum0 = maskedMadd32(sum0, v128.load32_zero(values), v128.load32_zero(x + (<usize>load<u32>(colIdx) << 2)), left & 1);
  } else {
    if (left & 2) {
      sum1 = madd32(sum1, v128.load64_zero(values), gather32pair(x, colIdx));
      colIdx += 8;
      values += 8;
    }
    if (left & 1) sum0 = madd32(sum0, v128.load32_zero(values), v128.load32_zero(x + (<usize>load<u32>(colIdx) << 2)));
  }
  const sum = f32x4.add(sum0, sum1);
  const low = f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1);
  const high = f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3);
  return low + high;
}

/** acc + a · b where `taken` is 1, acc where it is 0, whatever a and b hold. */
// @ts-ignore: decorator
@inline
function maskedMadd64(acc: v128, a: v128, b: v128, taken: u32): v128 {
  const mask = i64x2.splat(-(<i64>taken));
  return madd64(acc, v128.and(a, mask), v128.and(b, mask));
}

/** The same in f32 lanes. */
// @ts-ignore: decorator
@inline
function maskedMadd32(acc: v128, a: v128, b: v128, taken: u32): v128 {
  const mask = i32x4.splat(-(<i32>taken));
  return madd32(acc, v128.and(a, mask), v128.and(b, mask));
}
