/** What the tests of multigrid have in common. */
import type { CsrMatrix } from '#dist/core/csr.js';
import { drain } from '#dist/core/drain.js';
import type { Owned } from '#dist/core/owned.js';
import { cg, type Engine, type MatrixInput, type PreconditionOptions, precondition } from '#dist/index.node.js';
import { Hierarchy, type HierarchyWish } from '#dist/preconditioners/amg/hierarchy.js';
import { smoothedAggregation } from '#dist/preconditioners/amg/smoothed-aggregation.js';

/** The levels of `amg` down to a few rows. */
export const WISH = {
  coarsen: smoothedAggregation(0.08, 1),
  block: 1,
  coarsest: 4,
  near: undefined,
  isSymmetric: true,
};

/** The levels of a matrix. */
export function levelsOf(engine: Engine, matrix: CsrMatrix, wish: Partial<HierarchyWish>, owned: Owned): Hierarchy {
  return drain(Hierarchy.steps(engine, matrix, { ...WISH, ...wish }, owned));
}

/** Solves with numbers from 1 to 2 on the right. */
export function solved(
  engine: Engine,
  matrix: MatrixInput,
  spec: string,
  options: PreconditionOptions = {},
  method: typeof cg = cg,
) {
  using A = engine.operator(matrix);
  using M = precondition(engine, matrix, spec, options);
  const b = Float64Array.from({ length: A.rows }, (_, i) => 1 + ((i * 7919) % 100) / 100);
  const { x, iterations, converged } = method(A, b, { preconditioner: M });
  return { x: x.toArray(), iterations, converged };
}
