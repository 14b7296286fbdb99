/**
 * A transversal of the largest product: the rows are permuted so that the product of the moduli on the diagonal is as large as it can be.
 *
 * Source: Duff & Koster, "On algorithms for permuting large entries to the diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22, 2001
 *   (MC64); `assembly/order/matching.ts`.
 * Cost: O(n (n + nnz) log n) at worst; a few times nnz where large entries are easy to find.
 */
import type { Pattern } from '../../core/transpose.js';
import { OrderMemory } from '../../reorder/order-memory.js';

/**
 * @param columns the rows of each column of a square matrix
 * @param source the place of each entry among the values
 * @returns the row of each column; undefined if there is no transversal of all columns
 */
export function largestProduct(
  { ptr, idx }: Pattern,
  source: Uint32Array,
  values: Float64Array,
): Uint32Array | undefined {
  const n = ptr.length - 1;
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const sizes = new Uint32Array(source.length);
  for (let k = 0; k < source.length; k++) sizes[k] = words[2 * source[k]! + 1]! & 0x7fff_ffff;
  using memory = OrderMemory.take();
  const rowOf = memory.reserve(n);
  const isFound = memory.run.largestProduct(n, memory.place(ptr), memory.place(idx), memory.place(sizes), rowOf);
  return isFound === 0 ? undefined : memory.read(rowOf, n);
}
