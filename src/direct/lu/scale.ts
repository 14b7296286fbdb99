/** Row scaling by powers of two, which rounds nothing. */
import { mismatch } from '../../core/errors.js';

/** The biased exponent of 1, and the largest one of a finite number; the bits of the exponent in the upper word. */
const BIAS = 1023;
const LARGEST = 2046;
const SHIFT = 20;
const INFINITE = LARGEST + 1;

/**
 * scale[i] ← the power of two that takes the largest entry of row rowOrder[i] into [1, 2); the nearest one that is a normal number for rows of
 * tiny entries, and for rows of zeros.
 *
 * @throws SparlaneError `structure` for Inf and NaN, with the row
 */
export function scaleRows(rowPtr: Uint32Array, values: Float64Array, rowOrder: Uint32Array, scale: Float64Array): void {
  // Integers order numbers of one sign as they are ordered, and Inf and NaN behind them.
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const scaleWords = new Uint32Array(scale.buffer, scale.byteOffset, 2 * scale.length);
  for (let i = 0; i < rowOrder.length; i++) {
    const row = rowOrder[i]!;
    let largest = 0;
    for (let k = rowPtr[row]!, end = rowPtr[row + 1]!; k < end; k++) {
      const upper = words[2 * k + 1]! & 0x7fff_ffff;
      if (upper > largest) largest = upper;
    }
    const exponent = largest >>> SHIFT;
    if (exponent === INFINITE) throw notFinite(row, values.subarray(rowPtr[row], rowPtr[row + 1]));
    scaleWords[2 * i] = 0;
    scaleWords[2 * i + 1] = Math.min(Math.max(2 * BIAS - exponent, 1), LARGEST) << SHIFT;
  }
}

function notFinite(row: number, values: Float64Array): Error {
  const value = values.find((entry) => !Number.isFinite(entry));
  return mismatch('structure', `values of row ${row}`, 'finite numbers', value, { row });
}
