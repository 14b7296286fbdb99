/**
 * Symmetric successive over-relaxation: M = (D / ω + L) (ω / (2 − ω) D⁻¹) (D / ω + U), for A = L + D + U. ω = 1: symmetric Gauss–Seidel.
 *
 * Source: Young 1971; Saad 2003, §10.2.
 * Differs: blocks and order as in `ic0`.
 * For: as `ic0`, which takes fewer iterations; without a factorization, so it cannot break down and an update costs next to nothing.
 */

import type { FloatArray } from '../core/types.js';
import { invertibleDiagonal } from './diagonal.js';
import type { PreconditionerKind } from './preconditioner.js';
import { BLOCKS_PARAMETER, ORDER_PARAMETER } from './triangular/arrange.js';
import type { Refactor } from './triangular/factors.js';
import { SlicedPreconditioner } from './triangular/sliced.js';
import type { PlacedTriangle } from './triangular/split.js';

export const SSOR: PreconditionerKind = {
  name: 'ssor',
  summary: 'symmetric successive over-relaxation, in blocks of rows',
  source: 'Young 1971; Saad 2003, §10.2',
  suits: 'matrices with a large diagonal',
  parameters: {
    omega: { kind: 'number', default: 1, min: 0.01, max: 1.99, doc: 'relaxation; 1: symmetric Gauss–Seidel' },
    order: ORDER_PARAMETER,
    blocks: BLOCKS_PARAMETER,
  },
  matrices: 'square',
  isSymmetric: true,
  prepare(engine, preparation, values) {
    const refactor = relaxation(values.omega as number);
    return SlicedPreconditioner.make(engine, preparation, values, { form: 'lu', isSymmetric: true, refactor });
  },
};

/** As (I + L') D' (I + U'), with L' = ω L D⁻¹, D' = D / (ω (2 − ω)), U' = ω D⁻¹ U. */
function relaxation(omega: number): Refactor {
  return (triangles, { diagonal: places, lower, upper }, values) => {
    const diagonal = invertibleDiagonal('matrix', places, values);
    scale(lower, values, triangles.lower, (_, column) => omega / diagonal[column]!);
    scale(upper!, values, triangles.upper, (row) => omega / diagonal[row]!);
    for (let i = 0; i < diagonal.length; i++) triangles.inverse[i] = (omega * (2 - omega)) / diagonal[i]!;
    return 0;
  };
}

function scale(
  { ptr, idx, from }: PlacedTriangle,
  values: FloatArray,
  target: FloatArray,
  factor: (row: number, column: number) => number,
): void {
  for (let i = 0; i + 1 < ptr.length; i++)
    for (let k = ptr[i]!; k < ptr[i + 1]!; k++) target[k] = values[from[k]!]! * factor(i, idx[k]!);
}
