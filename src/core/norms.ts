/** Norms of numbers on the caller's thread. */
import type { FloatArray } from './types.js';

/** Norms between these come from squares that neither vanish nor overflow. */
const LEAST = 1e-140;
const GREATEST = 1e150;

/** √Σ xᵢ², of numbers of any size; not finite if one of them is not. */
export function norm2(x: FloatArray): number {
  const norm = normOf(x, 1);
  if (norm > LEAST && norm < GREATEST) return norm;
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
