/** The part of the host that is loaded with the solvers. */
import type { MatrixInput } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import type { Vector } from '../memory/vector.js';
import type { Engine } from '../operators/engine.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { Step } from '../solvers/solution.js';
import { Solver, solveSteps } from '../solvers/solver.js';
import type { SolveSystemOptions } from '../solvers/system.js';
import type { SentSolution, SolverInfo } from './protocol.js';

export { createSolver } from '../solvers/solver.js';

type Given = readonly [
  engine: Engine,
  system: Solver | MatrixInput | MatrixOperator,
  b: Vector | FloatArray,
  options: SolveSystemOptions,
  sourceMs: number,
];

/** @param given called at the first step: what the caller has disposed before is an error */
export function* solutionSteps(given: () => Given): Generator<Step, SentSolution> {
  const [engine, system, b, options, sourceMs] = given();
  const steps = system instanceof Solver ? system.steps(b, options) : solveSteps(engine, system, b, options);
  const solution = yield* steps;
  using x = solution.x;
  return { ...solution, x: x.toArray() as Float64Array, sourceMs };
}

export function infoOf({ rows, cols, decision, format, setupMs }: Solver): Omit<SolverInfo, 'sourceMs'> {
  return { rows, cols, decision, format, setupMs };
}
