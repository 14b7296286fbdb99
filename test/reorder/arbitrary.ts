/** Random orders, and matrices in a random order. */
import fc from 'fast-check';
import type { CsrMatrix } from '#dist/core/csr.js';
import { permutation, randomStream } from '#dist/gallery/draw.js';
import { permuteMatrix } from '#dist/index.node.js';

export function orderOf(length: number): fc.Arbitrary<Uint32Array> {
  const indices = Array.from({ length }, (_, i) => i);
  return fc.shuffledSubarray(indices, { minLength: length }).map((order) => Uint32Array.from(order));
}

export function orderingOf({ rows, cols }: CsrMatrix): fc.Arbitrary<{ rowOrder: Uint32Array; colOrder: Uint32Array }> {
  return fc.record({ rowOrder: orderOf(rows), colOrder: orderOf(cols) });
}

/** The same matrix with its rows and columns in a random order. */
export function shuffled(matrix: CsrMatrix, seed = 7): CsrMatrix {
  const order = permutation(randomStream(seed, 'structure'), matrix.rows);
  return permuteMatrix(matrix, { rowOrder: order, colOrder: order });
}
