/**
 * Hub columns first: in a power-law matrix most entries read a few elements of x; these then share cache lines and stay
 * cached.
 *
 * Source: "hub sorting", Zhang et al., "Making caches work for graph analytics", 2017; Faldu, Diamond & Grot, "A closer look
 *   at lightweight graph reordering", 2019, §2. Columns with more entries than the mean come first, the fullest one leading;
 *   the others keep their order, and with it the locality of the source.
 */
import { csrMatrix, type MatrixInput } from '../core/csr.js';
import { byAscendingKey } from './counting-sort.js';

/** An order of the columns; rows keep their order. O(cols + nnz). @throws as `csrMatrix` */
export function hubsFirst(input: MatrixInput): { readonly colOrder: Uint32Array } {
  const { cols, nnz, colIdx } = csrMatrix(input);
  const entries = new Uint32Array(cols);
  for (let k = 0; k < nnz; k++) entries[colIdx[k]!]!++;
  let most = 0;
  for (let j = 0; j < cols; j++) most = Math.max(most, entries[j]!);
  const isHub = (count: number) => count * cols > nnz;
  return { colOrder: byAscendingKey(entries.map((count) => (isHub(count) ? most - count : most))) };
}
