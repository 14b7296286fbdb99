/** The methods of the registry as functions, so that a new one is tested like all others. */
import type { VectorLike } from '#dist/index.node.js';
import type { LinearOperator } from '#dist/operators/operator.js';
import type { Transposable } from '#dist/solvers/bidiagonalize.js';
import { solveWith } from '#dist/solvers/iterate.js';
import { methodOf } from '#dist/solvers/methods.js';
import type { Solution, SolveOptions } from '#dist/solvers/solution.js';

export type Solve = (A: LinearOperator, b: VectorLike, options?: SolveOptions) => Solution;

/** @param spec name and parameters: `gmres?restart=5` */
export function solveBy(spec: string): Solve {
  const { kind, steps } = methodOf(spec);
  return (A, b, options) =>
    solveWith(steps, A, b, options, kind.solves === 'any' ? (A as Transposable).transposed() : undefined);
}
