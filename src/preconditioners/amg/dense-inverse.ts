/**
 * The inverse of the coarsest matrix of multigrid, for a device: factors would solve it on the CPU, far from the vectors. It is computed there, by
 * factors, and multiplied by as any other matrix.
 *
 * Cost: n² numbers; a product reads them all, which takes a device less time than it takes to start a few kernels up to some 1000 rows.
 */
import { newMatrix } from '../../algebra/new-matrix.js';
import type { CsrMatrix } from '../../core/csr.js';
import { drain } from '../../core/drain.js';
import { mismatch } from '../../core/errors.js';
import type { FloatArray } from '../../core/types.js';
import { factorSteps, methodsFor } from '../../direct/choose.js';
import type { Engine } from '../../engine/engine.js';
import { compose } from '../composed.js';
import type { Preconditioner, Preparation } from '../preconditioner.js';

/** Rows of a coarsest level, at most: 128 MB in f64. Chosen. */
const MOST_ROWS = 4000;

/** @throws SparlaneError `backend` for too many rows; as `direct` */
export function denseInverse(engine: Engine, preparation: Preparation): Preconditioner {
  const { matrix } = preparation;
  const { rows } = matrix;
  return compose(engine, preparation, true, (parts) => {
    const inverse = parts.operator(fullRows(rows, rows, inverseOf(engine, matrix, matrix.values)));
    return {
      compute: (x, y) => inverse.operator.apply(x, y),
      refill: (values) => inverse.refill(inverseOf(engine, matrix, values)),
      entries: rows ** 2,
    };
  });
}

/** Makes rows without zeros. @param values row by row */
export function fullRows(rows: number, cols: number, values: Float64Array): CsrMatrix {
  const rowPtr = Uint32Array.from({ length: rows + 1 }, (_, i) => i * cols);
  return newMatrix({ rows, cols, rowPtr, colIdx: Uint32Array.from(values, (_, k) => k % cols), values });
}

/** Returns A⁻¹, row by row. @throws SparlaneError `backend` for too many rows; as `direct` */
export function inverseOf(engine: Engine, matrix: CsrMatrix, values: FloatArray): Float64Array {
  const { rows } = matrix;
  if (rows > MOST_ROWS)
    throw mismatch('backend', 'amg', `a coarsest level of at most ${MOST_ROWS} rows on a device`, rows, { rows });
  using scope = engine.context.heap.scope();
  const columns = scope.array(Float64Array, rows ** 2).fill(0);
  for (let i = 0; i < rows; i++) columns[i * rows + i] = 1;
  const reasons: string[] = [];
  const wish = { order: 'auto', stored: 'f64' } as const;
  using factors = drain(
    factorSteps(engine, { ...matrix, values }, values, methodsFor('auto', matrix, reasons), wish, reasons),
  ).factors;
  factors.solve(columns, rows);
  return Float64Array.from({ length: rows ** 2 }, (_, k) => columns[(k % rows) * rows + Math.floor(k / rows)]!);
}
