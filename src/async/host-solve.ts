/** The part of the host that is loaded with the solvers: solves and factorizations, step by step. */
import type { ComplexMatrix } from '../core/complex.js';
import type { MatrixInput } from '../core/csr.js';
import { untilAborted } from '../core/drain.js';
import type { FloatArray } from '../core/types.js';
import type { FactorStep } from '../direct/method.js';
import type { Engine } from '../engine/engine.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import type { VectorInput } from '../operators/operator.js';
import { type FactorOptions, factorizationSteps } from '../preconditioners/factor.js';
import type { Factorization } from '../preconditioners/factorization.js';
import type { SetupStep } from '../preconditioners/preconditioner.js';
import type { Step } from '../solvers/solution.js';
import { Solver, type SolverOptions, solverSteps, solveSteps } from '../solvers/solver.js';
import type { SolveSystemOptions } from '../solvers/system.js';
import type { FactorSolution, FactorsInfo, SentSolution, SolverInfo } from './protocol.js';

type Matrix = MatrixInput | ComplexMatrix | MatrixOperator;

/** What a request needs that makes an object of a matrix. */
interface Making<T> {
  readonly signal: AbortSignal;
  /** Time of reading the matrix. */
  readonly sourceMs: number;
  readonly made: (object: T) => void;
}

type Given = readonly [
  engine: Engine,
  system: Solver | Matrix,
  b: VectorInput,
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

/** @param made called with the solver as soon as it is prepared */
export function* preparingSteps(
  engine: Engine,
  matrix: Matrix,
  options: SolverOptions,
  { signal, sourceMs, made }: Making<Solver>,
): Generator<SetupStep, SolverInfo> {
  const solver = yield* untilAborted(solverSteps(engine, matrix, options), signal);
  made(solver);
  return { ...infoOf(solver), sourceMs };
}

function infoOf({ rows, cols, decision, format, setupMs }: Solver): Omit<SolverInfo, 'sourceMs'> {
  return { rows, cols, decision, format, setupMs };
}

/** @param made called with the factors as soon as there are any */
export function* factoringSteps(
  engine: Engine,
  matrix: Matrix,
  options: FactorOptions,
  { signal, sourceMs, made }: Making<Factorization>,
): Generator<FactorStep, FactorsInfo> {
  const input = matrix instanceof MatrixOperator ? matrix.toCsr() : matrix;
  const factors = yield* untilAborted(factorizationSteps(engine, input, options), signal);
  made(factors);
  return factorsInfo(factors, sourceMs);
}

export function* refactoringSteps(
  factors: Factorization,
  values: FloatArray,
  signal: AbortSignal,
): Generator<FactorStep, FactorsInfo> {
  yield* untilAborted(factors.updateSteps(values), signal);
  return factorsInfo(factors, 0);
}

export function* factorSolutionSteps(
  factors: Factorization,
  given: VectorInput,
  signal: AbortSignal,
): Generator<number, FactorSolution> {
  const x = yield* untilAborted(factors.solveSteps(given), signal);
  return { x, ...factors.lastSolve! };
}

function factorsInfo(factors: Factorization, sourceMs: number): FactorsInfo {
  const { rows, logDeterminant, inertia } = factors;
  return { rows, report: factors.explain(), logDeterminant, inertia, sourceMs };
}
