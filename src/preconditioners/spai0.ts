/**
 * The sparse approximate inverse of the pattern of the diagonal: M⁻¹ = diag(m) with the least ‖I − M⁻¹ A‖ in the Frobenius norm, so
 * mᵢ = aᵢᵢ / Σⱼ aᵢⱼ².
 *
 * Source: Bröker & Grote, "Sparse approximate inverse smoothers for geometric and algebraic multigrid", 2002.
 * For: a smoother without a parameter; as a preconditioner it is much like `jacobi`, and has no zero where A has one on its diagonal.
 */
import { SparlaneError } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import { DiagonalPreconditioner } from './diagonal.js';
import type { PreconditionerKind } from './preconditioner.js';

export const SPAI0: PreconditionerKind = {
  name: 'spai0',
  summary: 'the diagonal matrix nearest to the inverse',
  source: 'Bröker & Grote 2002',
  suits: 'smoothing; any device',
  parameters: {},
  matrices: 'square',
  isSymmetric: true,
  prepare({ space }, preparation) {
    const { rows, rowPtr, colIdx, values: first } = preparation.matrix;
    const compute = (values: FloatArray) => {
      const diagonal = new Float64Array(rows);
      for (let i = 0; i < rows; i++) {
        let [own, squares] = [0, 0];
        const unit = unitOf(values, rowPtr[i]!, rowPtr[i + 1]!);
        for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
          const value = values[k]! / unit;
          if (colIdx[k] === i) own = value;
          squares += value * value;
        }
        diagonal[i] = own / squares / unit;
        if (!Number.isFinite(diagonal[i])) throw notInvertible(i);
      }
      return diagonal;
    };
    return new DiagonalPreconditioner(space, preparation, compute, compute(first));
  },
};

/** A power of two of the size of the numbers, so that their squares neither overflow nor vanish; no bits change. */
function unitOf(values: FloatArray, begin: number, end: number): number {
  let greatest = 0;
  for (let k = begin; k < end; k++) greatest = Math.max(greatest, Math.abs(values[k]!));
  return greatest > 0 && greatest < Number.POSITIVE_INFINITY ? 2 ** Math.floor(Math.log2(greatest)) : 1;
}

function notInvertible(row: number): SparlaneError {
  const text = `matrix: expected finite numbers, not all of them 0, whose inverses are finite, got others in row ${row}`;
  return new SparlaneError('structure', text, { row });
}
