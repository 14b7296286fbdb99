/**
 * Rows by length, the longest first: formats that pad rows to the longest of a chunk (SELL, ELL, HYB) then pad least, and
 * loops over rows of equal length miss fewer branches. Stable: rows of equal length keep their order, and some locality.
 *
 * Source: Kreutzer et al., "A unified sparse matrix data format …", 2014, §2 (there within a window σ; here σ = rows).
 */
import { csrMatrix, type MatrixInput } from '../core/csr.js';
import { byAscendingKey } from './counting-sort.js';

/** An order of the rows; columns keep their order. O(rows + longest row). @throws as `csrMatrix` */
export function byRowLength(input: MatrixInput): { readonly rowOrder: Uint32Array } {
  const { rows, rowPtr } = csrMatrix(input);
  let longest = 0;
  for (let i = 0; i < rows; i++) longest = Math.max(longest, rowPtr[i + 1]! - rowPtr[i]!);
  return {
    rowOrder: byAscendingKey(Uint32Array.from({ length: rows }, (_, i) => longest - rowPtr[i + 1]! + rowPtr[i]!)),
  };
}
