/**
 * Complex numbers in kernels: pairs (re, im) of type V or X in memory, two f64 lanes in registers. Layouts: `src/complex/stored.ts`.
 *
 * A row is summed without shuffles. With a = (ar, ai) as it is stored, and each part of x in both lanes,
 *
 *     S = Σ a · xr = (Σ ar xr, Σ ai xr)
 *     T = Σ a · xi = (Σ ar xi, Σ ai xi)
 *
 * and only at its end Σ a x = (S₀ − T₁, S₁ + T₀), or Σ ā x = (S₀ + T₁, T₀ − S₁): conjugation costs nothing. Sums are f64, also of f32.
 */
import { ComplexHeader } from '../../build/headers';
import { madd64 } from '../lanes';

/** The pair at an address. */
@inline
export function pairAt<V>(at: usize): v128 {
  if (sizeof<V>() === 4) return f64x2.promote_low_f32x4(v128.load64_zero(at));
  return v128.load(at);
}

/** One number in both lanes. */
@inline
export function bothLanes<X>(at: usize): v128 {
  if (sizeof<X>() === 4) return f64x2.splat(<f64>load<f32>(at));
  return v128.load64_splat(at);
}

/** S + a · xr, for the element of x at an address. */
@inline
export function addReal<X>(sum: v128, a: v128, x: usize): v128 {
  return madd64(sum, a, bothLanes<X>(x));
}

/** T + a · xi. */
@inline
export function addImaginary<X>(sum: v128, a: v128, x: usize): v128 {
  return madd64(sum, a, bothLanes<X>(x + sizeof<X>()));
}

/** log2 of the bytes of a pair. */
@inline
export function pairShift<V>(): usize {
  return alignof<V>() + 1;
}

/** The signs of S in a sum: those of a matrix, or of its conjugate. */
@inline
export function signsOf(header: ComplexHeader): v128 {
  return f64x2(1, header.conjugate ? -1 : 1);
}

/** The signs of T with its lanes exchanged. */
@inline
export function exchangedSignsOf(header: ComplexHeader): v128 {
  return f64x2(header.conjugate ? 1 : -1, 1);
}

/** α Σ a x of a row. Products with signs are exact, so the sum is rounded once. */
@inline
function sumOf(s: v128, t: v128, signs: v128, exchanged: v128): v128 {
  return f64x2.add(f64x2.mul(s, signs), f64x2.mul(i64x2.shuffle(t, t, 1, 0), exchanged));
}

/** y ← α Σ a x + β y for the pair of a row; β = 0 overwrites, NaN included. */
@inline
export function putPair<X>(at: usize, s: v128, t: v128, signs: v128, exchanged: v128, alpha: f64, beta: f64): void {
  let result = f64x2.mul(f64x2.splat(alpha), sumOf(s, t, signs, exchanged));
  if (beta !== 0) result = f64x2.add(result, f64x2.mul(f64x2.splat(beta), pairAt<X>(at)));
  storePair<X>(at, result);
}

@inline
export function storePair<X>(at: usize, pair: v128): void {
  if (sizeof<X>() === 4) v128.store64_lane(at, f32x4.demote_f64x2_zero(pair), 0);
  else v128.store(at, pair);
}

/** One row of `width` entries that follow each other. Columns are stored as I, from the one of which x is the element. */
@inline
export function putRow<V, I, X>(
  at: usize,
  x: usize,
  colIdx: usize,
  values: usize,
  width: u32,
  signs: v128,
  exchanged: v128,
  alpha: f64,
  beta: f64,
): void {
  let s = f64x2.splat(0);
  let t = f64x2.splat(0);
  for (const last = colIdx + ((<usize>width) << alignof<I>()); colIdx < last; colIdx += sizeof<I>()) {
    const a = pairAt<V>(values);
    const element = x + ((<usize>load<I>(colIdx)) << pairShift<X>());
    s = addReal<X>(s, a, element);
    t = addImaginary<X>(t, a, element);
    values += 2 * sizeof<V>();
  }
  putPair<X>(at, s, t, signs, exchanged, alpha, beta);
}
