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

/** Loads pair n after an address. n is a constant, 0 or 1: its place is part of the instruction. */
@inline
export function pairAt<V>(at: usize, n: u32): v128 {
  if (sizeof<V>() === 4) return f64x2.promote_low_f32x4(v128.load64_zero(at + ((<usize>n) << 3)));
  if (n === 1) return v128.load(at, 16);
  return v128.load(at);
}

/** Loads number n after an address into both lanes. n is a constant from 0 to 3: its place is part of the instruction. */
@inline
export function bothLanes<X>(at: usize, n: u32): v128 {
  if (sizeof<X>() === 4) return f64x2.splat(<f64>load<f32>(at + ((<usize>n) << 2)));
  if (n === 1) return v128.load64_splat(at, 8);
  if (n === 2) return v128.load64_splat(at, 16);
  if (n === 3) return v128.load64_splat(at, 24);
  return v128.load64_splat(at);
}

/** Returns S + a · xr, where x is element n after an address. */
@inline
export function addReal<X>(sum: v128, a: v128, x: usize, n: u32): v128 {
  return madd64(sum, a, bothLanes<X>(x, 2 * n));
}

/** Returns T + a · xi, where x is element n after an address. */
@inline
export function addImaginary<X>(sum: v128, a: v128, x: usize, n: u32): v128 {
  return madd64(sum, a, bothLanes<X>(x, 2 * n + 1));
}

/** A pair has 2^pairShift bytes. */
@inline
export function pairShift<V>(): usize {
  return alignof<V>() + 1;
}

/** The signs that S is multiplied by in a sum, which differ for a matrix and for its conjugate. */
@inline
export function signsOf(header: ComplexHeader): v128 {
  return f64x2(1, header.conjugate ? -1 : 1);
}

/** The signs that T, with its lanes exchanged, is multiplied by in a sum. */
@inline
export function exchangedSignsOf(header: ComplexHeader): v128 {
  return f64x2(header.conjugate ? 1 : -1, 1);
}

/** Returns Σ a x of a row. Products with signs are exact, so the sum is rounded once. */
@inline
function sumOf(s: v128, t: v128, signs: v128, exchanged: v128): v128 {
  return f64x2.add(f64x2.mul(s, signs), f64x2.mul(i64x2.shuffle(t, t, 1, 0), exchanged));
}

/** y ← α Σ a x + β y for the pair of a row; β = 0 overwrites, NaN included. */
@inline
export function putPair<X>(at: usize, s: v128, t: v128, signs: v128, exchanged: v128, alpha: f64, beta: f64): void {
  let result = f64x2.mul(f64x2.splat(alpha), sumOf(s, t, signs, exchanged));
  if (beta !== 0) result = f64x2.add(result, f64x2.mul(f64x2.splat(beta), pairAt<X>(at, 0)));
  storePair<X>(at, result);
}

@inline
export function storePair<X>(at: usize, pair: v128): void {
  if (sizeof<X>() === 4) v128.store64_lane(at, f32x4.demote_f64x2_zero(pair), 0);
  else v128.store(at, pair);
}

/** Computes one row of `width` entries that follow each other. Columns are stored as I, counted from the one whose element is at x. */
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
    const a = pairAt<V>(values, 0);
    const element = x + ((<usize>load<I>(colIdx)) << pairShift<X>());
    s = addReal<X>(s, a, element, 0);
    t = addImaginary<X>(t, a, element, 0);
    values += 2 * sizeof<V>();
  }
  putPair<X>(at, s, t, signs, exchanged, alpha, beta);
}

/**
 * Computes two rows, each as `putRow` does: it takes entries of both in turn, so that twice as many sums and cache lines are under way, and then the rest of
 * the longer row.
 */
@inline
export function putTwoRows<V, I, X>(
  atA: usize,
  atB: usize,
  x: usize,
  colsA: usize,
  colsB: usize,
  valuesA: usize,
  valuesB: usize,
  widthA: u32,
  widthB: u32,
  signs: v128,
  exchanged: v128,
  alpha: f64,
  beta: f64,
): void {
  let sA = f64x2.splat(0);
  let tA = f64x2.splat(0);
  let sB = f64x2.splat(0);
  let tB = f64x2.splat(0);
  const lastA = colsA + ((<usize>widthA) << alignof<I>());
  const lastB = colsB + ((<usize>widthB) << alignof<I>());
  const both = colsA + ((<usize>min(widthA, widthB)) << alignof<I>());
  while (colsA < both) {
    const a = pairAt<V>(valuesA, 0);
    const elementA = x + ((<usize>load<I>(colsA)) << pairShift<X>());
    sA = addReal<X>(sA, a, elementA, 0);
    tA = addImaginary<X>(tA, a, elementA, 0);
    const b = pairAt<V>(valuesB, 0);
    const elementB = x + ((<usize>load<I>(colsB)) << pairShift<X>());
    sB = addReal<X>(sB, b, elementB, 0);
    tB = addImaginary<X>(tB, b, elementB, 0);
    colsA += sizeof<I>();
    colsB += sizeof<I>();
    valuesA += 2 * sizeof<V>();
    valuesB += 2 * sizeof<V>();
  }
  for (; colsA < lastA; colsA += sizeof<I>(), valuesA += 2 * sizeof<V>()) {
    const a = pairAt<V>(valuesA, 0);
    const element = x + ((<usize>load<I>(colsA)) << pairShift<X>());
    sA = addReal<X>(sA, a, element, 0);
    tA = addImaginary<X>(tA, a, element, 0);
  }
  for (; colsB < lastB; colsB += sizeof<I>(), valuesB += 2 * sizeof<V>()) {
    const b = pairAt<V>(valuesB, 0);
    const element = x + ((<usize>load<I>(colsB)) << pairShift<X>());
    sB = addReal<X>(sB, b, element, 0);
    tB = addImaginary<X>(tB, b, element, 0);
  }
  putPair<X>(atA, sA, tA, signs, exchanged, alpha, beta);
  putPair<X>(atB, sB, tB, signs, exchanged, alpha, beta);
}
