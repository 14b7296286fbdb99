/** The rows in which pivots are expected: an order of the rows that puts large entries on the diagonal. */
import type { PlacedPattern } from '../../core/transpose.js';
import type { FloatArray } from '../../core/types.js';
import { largestProduct } from './matching.js';

/** A diagonal is large enough if each entry is this share of the largest one of its column: what pivoting accepts. */
const LEAST_DIAGONAL = 0.001;

/**
 * The row of the expected pivot of each column of A. The diagonal, where all of it is large enough: then the pattern stays as symmetric as it is.
 * Otherwise the entries of the largest product, of which few are refused as pivots: on a chemical plant of 13 k rows (bayer10) 20, with half
 * the entries in the factors, and 1,100 with a transversal that ignores the values.
 *
 * @returns undefined if there is no such row for some column: no values of the entries make the matrix regular
 */
export function pivotRows(columns: PlacedPattern, values: FloatArray): Uint32Array | undefined {
  const reals = values instanceof Float64Array ? values : Float64Array.from(values);
  if (hasLargeDiagonal(columns, reals)) return Uint32Array.from({ length: columns.ptr.length - 1 }, (_, j) => j);
  return largestProduct(columns, columns.source, reals);
}

function hasLargeDiagonal({ ptr, idx, source }: PlacedPattern, values: Float64Array): boolean {
  for (let j = 0; j + 1 < ptr.length; j++) {
    let own = 0;
    let largest = 0;
    for (let k = ptr[j]!, end = ptr[j + 1]!; k < end; k++) {
      const size = Math.abs(values[source[k]!]!);
      if (idx[k] === j) own = size;
      if (size > largest) largest = size;
    }
    if (!(own > 0 && own >= LEAST_DIAGONAL * largest)) return false;
  }
  return true;
}
