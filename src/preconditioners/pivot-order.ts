/**
 * A preconditioner of P A, for a matrix A whose diagonal has zeros or small numbers: z ← M⁻¹ P r. The rows are permuted so that the product of the
 * diagonal is as large as it can be.
 *
 * Source: Duff & Koster 2001 (`direct/lu/matching.ts`); Benzi, Haws & Tůma, "Preconditioning highly indefinite and nonsymmetric matrices", SIAM J.
 *   Sci. Comput. 22, 2000, on what incomplete factors gain.
 */
import type { CsrMatrix } from '../core/csr.js';
import { transposedPlaces } from '../core/transpose.js';
import { pivotRows } from '../direct/lu/pivot-rows.js';
import type { Engine } from '../engine/engine.js';
import type { Vector } from '../memory/vector.js';
import { permuteMatrix } from '../reorder/permutation.js';
import { compose } from './composed.js';
import type { Preconditioner, Preparation } from './preconditioner.js';

/**
 * @param prepare makes the preconditioner of a matrix whose diagonal is large
 * @throws as `prepare`
 */
export function withPivotRows(
  engine: Engine,
  preparation: Preparation,
  prepare: (preparation: Preparation) => Preconditioner,
): Preconditioner {
  const { matrix } = preparation;
  const rowOrder = pivotRows(transposedPlaces(matrix), matrix.values);
  if (rowOrder === undefined) return prepare(preparation);
  const movedRows = rowOrder.filter((row, i) => row !== i).length;
  if (movedRows === 0) return prepare(preparation);
  const { isKnownSymmetric: _, ...ofRows } = preparation;
  const permuted = (given: CsrMatrix) => permuteMatrix(given, { rowOrder });
  return compose(engine, preparation, false, (parts) => {
    const M = parts.preconditioner(prepare({ ...ofRows, matrix: permuted(matrix) }));
    const shuffle = parts.shuffle(rowOrder);
    const [work] = parts.vectors(1) as [Vector];
    return {
      compute(x, y) {
        shuffle.gather(x, work);
        M.apply(work, y);
      },
      refill: (values) => M.update(permuted({ ...matrix, values }).values),
      entries: M.explain().entries,
      report: () => ({ ...M.explain(), movedRows }),
    };
  });
}
