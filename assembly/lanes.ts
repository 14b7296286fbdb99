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
