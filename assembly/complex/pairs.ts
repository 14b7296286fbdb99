/**
 * Complex numbers in kernels: pairs (re, im) of type V or X in memory, two f64 lanes in registers. Layouts: `src/complex/stored.ts`.
 *
 * A row is summed with a = (ar, ai) and x = (xr, xi) as they are stored, and with x exchanged, lane by lane:
 *
 *     S = Σ a · (xr, xi) = (Σ ar xr, Σ ai xi)
 *     T = Σ a · (xi, xr) = (Σ ar xi, Σ ai xr)
 *
 * and only at its end Σ a x = (S₀ − S₁, T₀ + T₁), or Σ ā x = (S₀ + S₁, T₀ − T₁): conjugation costs nothing. Sums are f64, also of f32. With each part of x
 * loaded into both lanes in place of the exchange, rows of SELL took 1.17 times as long, of c64 1.4 times; of CSR as long, of c64 1.16 times (5 points on 60²,
 * AMD EPYC, Node 20, 2026-11-26).
 */
import { ComplexHeader } from '../../build/headers';
import { madd64 } from '../lanes';

/** Loads pair n after an address. n is a constant up to 7: its place is part of the instruction. */
@inline
export function pairAt<V>(at: usize, n: u32): v128 {
  if (sizeof<V>() === 4) return f64x2.promote_low_f32x4(v128.load64_zero(at + ((<usize>n) << 3)));
  if (n === 1) return v128.load(at, 16);
  if (n === 2) return v128.load(at, 32);
  if (n === 3) return v128.load(at, 48);
  if (n === 4) return v128.load(at, 64);
  if (n === 5) return v128.load(at, 80);
  if (n === 6) return v128.load(at, 96);
  if (n === 7) return v128.load(at, 112);
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

/** Returns (xi, xr) for x = (xr, xi). */
@inline
export function exchanged(x: v128): v128 {
  return i64x2.shuffle(x, x, 1, 0);
}

/** A pair has 2^pairShift bytes. */
@inline
export function pairShift<V>(): usize {
  return alignof<V>() + 1;
}

/** Returns the signs that S₁ and T₁ are multiplied by in a sum, which differ for a matrix and for its conjugate. */
@inline
export function signsOf(header: ComplexHeader): v128 {
  return f64x2(header.conjugate ? 1 : -1, header.conjugate ? -1 : 1);
}

/** Returns Σ a x of a row. Products with signs are exact, so the sum is rounded once. */
@inline
function sumOf(s: v128, t: v128, signs: v128): v128 {
  return f64x2.add(i64x2.shuffle(s, t, 0, 2), f64x2.mul(i64x2.shuffle(s, t, 1, 3), signs));
}

/** y ← α Σ a x + β y for the pair of a row; β = 0 overwrites, NaN included. */
@inline
export function putPair<X>(at: usize, s: v128, t: v128, signs: v128, alpha: f64, beta: f64): void {
  let result = f64x2.mul(f64x2.splat(alpha), sumOf(s, t, signs));
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
export function putRow<V, I, X>(at: usize, x: usize, colIdx: usize, values: usize, width: u32, signs: v128, alpha: f64, beta: f64): void {
  let s = f64x2.splat(0);
  let t = f64x2.splat(0);
  for (const last = colIdx + ((<usize>width) << alignof<I>()); colIdx < last; colIdx += sizeof<I>()) {
    const a = pairAt<V>(values, 0);
    const element = pairAt<X>(x + ((<usize>load<I>(colIdx)) << pairShift<X>()), 0);
    s = madd64(s, a, element);
    t = madd64(t, a, exchanged(element));
    values += 2 * sizeof<V>();
  }
  putPair<X>(at, s, t, signs, alpha, beta);
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
    const elementA = pairAt<X>(x + ((<usize>load<I>(colsA)) << pairShift<X>()), 0);
    sA = madd64(sA, a, elementA);
    tA = madd64(tA, a, exchanged(elementA));
    const b = pairAt<V>(valuesB, 0);
    const elementB = pairAt<X>(x + ((<usize>load<I>(colsB)) << pairShift<X>()), 0);
    sB = madd64(sB, b, elementB);
    tB = madd64(tB, b, exchanged(elementB));
    colsA += sizeof<I>();
    colsB += sizeof<I>();
    valuesA += 2 * sizeof<V>();
    valuesB += 2 * sizeof<V>();
  }
  for (; colsA < lastA; colsA += sizeof<I>(), valuesA += 2 * sizeof<V>()) {
    const a = pairAt<V>(valuesA, 0);
    const element = pairAt<X>(x + ((<usize>load<I>(colsA)) << pairShift<X>()), 0);
    sA = madd64(sA, a, element);
    tA = madd64(tA, a, exchanged(element));
  }
  for (; colsB < lastB; colsB += sizeof<I>(), valuesB += 2 * sizeof<V>()) {
    const b = pairAt<V>(valuesB, 0);
    const element = pairAt<X>(x + ((<usize>load<I>(colsB)) << pairShift<X>()), 0);
    sB = madd64(sB, b, element);
    tB = madd64(tB, b, exchanged(element));
  }
  putPair<X>(atA, sA, tA, signs, alpha, beta);
  putPair<X>(atB, sB, tB, signs, alpha, beta);
}
