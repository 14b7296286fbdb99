/**
 * Scaling of rows and columns by one diagonal matrix, S A S, so that the largest entry of each row is near 1: a pivot is then small by itself, and
 * not beside a number of another unit. Interior-point methods have diagonals from 1 to 10¹². Powers of two, which round nothing.
 *
 * Source: Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices", 2001.
 */
import type { CsrMatrix } from '../../core/csr.js';
import type { FloatArray } from '../../core/types.js';

/** Passes over the entries at most: each halves the exponents that are left, of some 2000 at worst. */
const PASSES = 10;

/** The bits of the exponent in the upper word of a number, and the one of 1. */
const SHIFT = 20;
const EXPONENT = 0x7ff;
const BIAS = 1023;

type Rows = Pick<CsrMatrix, 'rows' | 'rowPtr' | 'colIdx'>;

/** Rows whose largest entries differ by fewer than so many bits are alike: a pivot of 1e-8 of the largest entry is 6e-7 of its own row at most. Chosen. */
const ALIKE_BITS = 6;

/** Numbers that differ from 1 by fewer than so many bits have room in f32. Chosen. */
const NEAR_BITS = 32;

/** The exponent of a row without entries, and of numbers near to 0: less than any other. */
const NO_EXPONENT = -EXPONENT;

/** The exponents of the diagonal of S; undefined for the identity, where the largest entries of rows are alike, and near 1. */
export type Scale = Int32Array | undefined;

/**
 * @param values finite, of a symmetric matrix
 * @param start exponents that may be near, of other values; default: those by which the diagonal becomes 1
 */
export function equilibrate(matrix: Rows, values: FloatArray, start?: Scale): Scale {
  const { rows, rowPtr, colIdx } = matrix;
  const reals = values instanceof Float64Array ? values : Float64Array.from(values);
  const words = new Uint32Array(reals.buffer, reals.byteOffset, 2 * reals.length);
  if (areAlike(rowPtr, rows, words)) return undefined;
  const exponents = start?.slice() ?? halvesOfDiagonal(matrix, words);
  let isChanged = true;
  for (let pass = 0; pass < PASSES && isChanged; pass++) {
    isChanged = false;
    const before = exponents.slice();
    for (let i = 0; i < rows; i++) {
      let largest = NO_EXPONENT;
      for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
        const exponent = (words[2 * k + 1]! >>> SHIFT) & EXPONENT;
        if (exponent > 0) largest = Math.max(largest, exponent - BIAS + before[colIdx[k]!]!);
      }
      if (largest === NO_EXPONENT) continue;
      const change = (largest + before[i]!) >> 1;
      if (change === 0) continue;
      exponents[i]! -= change;
      isChanged = true;
    }
  }
  return exponents;
}

/** The exponents that bring the diagonal near to 1. Where it has the largest entries, as in definite matrices, no others are needed. */
function halvesOfDiagonal({ rows, rowPtr, colIdx }: Rows, words: Uint32Array): Int32Array {
  const exponents = new Int32Array(rows);
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end && colIdx[k]! <= i; k++) {
      const exponent = (words[2 * k + 1]! >>> SHIFT) & EXPONENT;
      if (colIdx[k] === i && exponent > 0) exponents[i] = -((exponent - BIAS) >> 1);
    }
  return exponents;
}

/** The diagonal of S. */
export function factorsOf(scale: Scale): Float64Array | undefined {
  return scale && Float64Array.from(scale, (exponent) => 2 ** exponent);
}

/** Whether the largest entries of all rows are alike, and near 1. */
function areAlike(rowPtr: Uint32Array, rows: number, words: Uint32Array): boolean {
  let [least, most] = [EXPONENT, 0];
  for (let i = 0; i < rows; i++) {
    let largest = 0;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const exponent = (words[2 * k + 1]! >>> SHIFT) & EXPONENT;
      if (exponent > largest) largest = exponent;
    }
    if (largest < least) least = largest;
    if (largest > most) most = largest;
    if (most - least >= ALIKE_BITS) return false;
  }
  return rows === 0 || Math.max(BIAS - least, most - BIAS) < NEAR_BITS;
}

/** The values of S A S. @param factors the diagonal of S; undefined for the identity */
export function scaled(
  { rows, rowPtr, colIdx }: Rows,
  values: FloatArray,
  factors: Float64Array | undefined,
): FloatArray {
  if (factors === undefined) return values;
  const found = new Float64Array(values.length);
  for (let i = 0; i < rows; i++) {
    const own = factors[i]!;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) found[k] = values[k]! * own * factors[colIdx[k]!]!;
  }
  return found;
}
