/** Whether the numbers of a matrix are symmetric up to rounding: those of assembled elements, and of A D Aᵀ, are not exactly. */
import type { CsrMatrix } from '../../core/csr.js';
import type { FloatArray } from '../../core/types.js';

/** Largest difference of an entry and that across the diagonal, as a share of the largest entries of both rows. */
const ROUNDING = 1e-10;

/**
 * The first entry that differs from that across the diagonal, or undefined.
 *
 * @param matrix of a symmetric pattern @param values its numbers
 */
export function firstAsymmetry({ rows, rowPtr, colIdx }: CsrMatrix, values: FloatArray): number | undefined {
  const largest = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let most = 0;
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) most = Math.max(most, Math.abs(values[k]!));
    largest[i] = most;
  }
  // Rows are visited in order, so the cursor of row j is at the entry across the diagonal.
  const cursor = rowPtr.slice(0, rows);
  for (let i = 0; i < rows; i++) {
    for (let k = cursor[i]!, end = rowPtr[i + 1]!; k < end; k++) {
      const j = colIdx[k]!;
      if (j === i) continue;
      const difference = Math.abs(values[cursor[j]!++]! - values[k]!);
      if (difference > ROUNDING * Math.min(largest[i]!, largest[j]!)) return k;
    }
  }
  return undefined;
}
