/**
 * Whether factors with replaced pivots are of use: a solve for a known solution, refined. A singular matrix passes, if its factors solve a system
 * that has a solution.
 */
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../operators/engine.js';
import type { Factors } from './method.js';
import { refine } from './refine.js';

/** The largest ‖b − A x‖ / ‖b‖, and backward error of a row, with which replaced pivots count as made good. */
const MOST_ERROR = 1e-8;

/** @throws SparlaneError `structure` if pivots were replaced, and refinement does not make that good */
export function refusePoorFactors(engine: Engine, matrix: CsrMatrix, values: FloatArray, factors: Factors): void {
  const { perturbed } = factors.pivots;
  if (perturbed === 0) return;
  const { rows, rowPtr, colIdx } = matrix;
  const b = new Float64Array(rows);
  // A times a vector of 1 and −1 in a sequence that no grid has.
  const known = Float64Array.from({ length: rows }, (_, j) => ((j * j + j) % 7 < 3 ? 1 : -1));
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!, end = rowPtr[i + 1]!; k < end; k++) b[i]! += values[k]! * known[colIdx[k]!]!;
  using scope = engine.context.heap.scope();
  const work = scope.copy(Float64Array, b);
  const correct = (residual: Float64Array) => {
    work.set(residual);
    factors.solve(work, 1);
    residual.set(work);
  };
  const x = b.slice();
  correct(x);
  const { relativeResidual, backwardError } = refine(matrix, values, b, x, correct);
  if (relativeResidual <= MOST_ERROR && backwardError <= MOST_ERROR) return;
  const got = `a relative residual of ${relativeResidual.toExponential(1)}, a backward error of ${backwardError.toExponential(1)}`;
  const text = `factors: expected ${perturbed} replaced pivots to be made good by refinement, got ${got}`;
  throw new SparlaneError('structure', text, { perturbed, relativeResidual, backwardError });
}
