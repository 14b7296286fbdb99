/** Computes norms of arrays on the caller's thread. */
import type { FloatArray } from './types.js';

/** From this norm of f64 on, elements whose squares vanish are below 2⁻⁸⁷ of it. */
export const LEAST_NORM: number = 2 ** -450;

/** The unit roundoff of a precision is half the distance from 1 to the next number. */
export const UNIT_ROUNDOFF: { readonly f64: number; readonly f32: number } = { f64: 2 ** -53, f32: 2 ** -24 };

/** √Σ xᵢ², of numbers of any size; not finite if one of them is not. */
export function norm2(x: FloatArray): number {
  const norm = normOf(x, 1);
  if (norm >= LEAST_NORM && norm < Number.POSITIVE_INFINITY) return norm;
  const largest = largestModulus(x);
  return largest > 0 && largest < Number.POSITIVE_INFINITY ? largest * normOf(x, largest) : largest;
}

function normOf(x: FloatArray, scale: number): number {
  let squares = 0;
  for (let i = 0; i < x.length; i++) squares += (x[i]! / scale) ** 2;
  return Math.sqrt(squares);
}

/** max |xᵢ|; 0 for no numbers, NaN if one of them is. */
export function largestModulus(x: FloatArray): number {
  let largest = 0;
  for (let i = 0; i < x.length; i++) largest = Math.max(largest, Math.abs(x[i]!));
  return largest;
}
