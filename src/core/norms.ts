/** Norms of numbers on the caller's thread. */
import type { FloatArray } from './types.js';

/** √Σ xᵢ², without scaling: squares must not overflow. */
export function norm2(x: FloatArray): number {
  let squares = 0;
  for (let i = 0; i < x.length; i++) squares += x[i]! ** 2;
  return Math.sqrt(squares);
}

/** max |xᵢ|; 0 for no numbers, NaN if one of them is. */
export function largestModulus(x: FloatArray): number {
  let largest = 0;
  for (let i = 0; i < x.length; i++) largest = Math.max(largest, Math.abs(x[i]!));
  return largest;
}
