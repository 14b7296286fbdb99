/** V ← the Ritz vectors of A in the space that V spans. */
import type { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import type { Basis } from '../basis/basis.js';
import { symmetricEigen } from '../dense/symmetric.js';

/** @param x one vector to work with, as y @returns the Ritz values, ascending; undefined if numbers are not finite */
export function rayleighRitz(V: Basis, A: LinearOperator, x: Vector, y: Vector): Float64Array | undefined {
  const { size } = V;
  const H = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    V.copyTo(j, x);
    A.apply(x, y);
    for (const [i, value] of V.project(y).entries()) {
      H[i * size + j]! += value / 2;
      H[j * size + i]! += value / 2;
    }
  }
  if (!H.every(Number.isFinite)) return undefined;
  const { values, vectors } = symmetricEigen(H, size);
  V.rotate(vectors, size);
  return values;
}
