/** Numbers of factors that are stored as f64 or f32, read as f64. */

/** Loads two consecutive numbers. */
@inline
export function pair<V>(at: usize): v128 {
  return sizeof<V>() === 8 ? v128.load(at) : f64x2.promote_low_f32x4(v128.load64_zero(at));
}

/** Loads one number into the first lane; the second is 0. */
@inline
export function single<V>(at: usize): v128 {
  return sizeof<V>() === 8 ? v128.load64_zero(at) : f64x2.promote_low_f32x4(v128.load32_zero(at));
}

/** Loads one number into both lanes. */
@inline
export function splat<V>(at: usize): v128 {
  return sizeof<V>() === 8 ? v128.load64_splat(at) : f64x2.promote_low_f32x4(v128.load32_splat(at));
}

/** to ← from, f32 to f64. @param count even */
export function promote(from: usize, to: usize, count: usize): void {
  for (; count > 0; count -= 2, from += 8, to += 16) v128.store(to, f64x2.promote_low_f32x4(v128.load64_zero(from)));
}

/** to ← from, f64 to the nearest f32. @param count even */
export function demote(from: usize, to: usize, count: usize): void {
  for (; count > 0; count -= 2, from += 16, to += 8) v128.store64_lane(to, f32x4.demote_f64x2_zero(v128.load(from)), 0);
}
