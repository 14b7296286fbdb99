/**
 * `solve`: A x = b from a matrix. It makes the operator and the preconditioner, chooses what the caller does not name (`setup.ts`), and goes
 * on with another method if a chosen one finds that it cannot solve the system.
 */
import { knownKeys } from '../core/checks.js';
import type { MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { Owned } from '../core/owned.js';
import { Engine } from '../operators/engine.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { VectorLike } from '../operators/operator.js';
import { SOLVE_OPTIONS } from './arguments.js';
import { drain, drainInSlices } from './drain.js';
import { iterate } from './iterate.js';
import { Setup, type SolveDecision, type SolveSystemOptions } from './setup.js';
import type { Solution, Step } from './solution.js';

/** `products`, `setupMs` and `solveMs` are those of all methods that were run. */
export interface SystemSolution extends Solution {
  readonly decision: SolveDecision;
  /** The format of the matrix. */
  readonly format: string;
}

/**
 * Solves A x = b for any matrix; in the sense of least squares if it is not square. No option is needed.
 *
 * @param matrix a matrix of the library, or arrays; or the operator of a matrix, which the next solve can use again
 * @param b length `rows`, in any space
 * @throws SparlaneError `structure`, `shape` or `argument` for an invalid matrix, vector or option; `heap`; errors of products. A solve that
 *   does not converge is not an error: see `Solution.reason`
 *
 * @example
 * const { x, converged, decision } = solve(engine, matrix, b);
 */
export function solve(
  engine: Engine,
  matrix: MatrixInput | MatrixOperator,
  b: VectorLike,
  options: SolveSystemOptions = {},
): SystemSolution {
  return drain(solveSteps(engine, matrix, b, options));
}

/** `signal` ends the solve between two steps. */
export interface SolveAsyncOptions extends Omit<SolveSystemOptions, 'onStep'> {
  /** Called about every 50 ms with the latest step. */
  readonly onProgress?: (step: Step) => unknown;
}

/**
 * The same without blocking the event loop: the iterations run in slices of some 50 ms, the set-up in one. An abort of the signal ends
 * the solve with the reason `stopped`, and x as it is.
 *
 * @throws never; the promise rejects with the errors of `solve`
 */
export async function solveAsync(
  engine: Engine,
  matrix: MatrixInput | MatrixOperator,
  b: VectorLike,
  options: SolveAsyncOptions = {},
): Promise<SystemSolution> {
  knownKeys<SolveAsyncOptions>('options', options, ASYNC_OPTIONS);
  const { onProgress, ...others } = options;
  return drainInSlices(solveSteps(engine, matrix, b, others), onProgress);
}

const OPTIONS: Record<keyof SolveSystemOptions, true> = { ...SOLVE_OPTIONS, method: true, format: true, order: true };
const { onStep: _, ...WITHOUT_CALLBACK } = OPTIONS;
const ASYNC_OPTIONS: Record<keyof SolveAsyncOptions, true> = { ...WITHOUT_CALLBACK, onProgress: true };

/** The same step by step: the caller may do other work between two of them, or end the solve by `return()`. */
export function* solveSteps(
  engine: Engine,
  matrix: MatrixInput | MatrixOperator,
  b: VectorLike,
  options: SolveSystemOptions = {},
): Generator<Step, SystemSolution> {
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
  knownKeys<SolveSystemOptions>('options', options, OPTIONS);
  const { method: _method, preconditioner: _given, format: _format, order: _order, ...given } = options;
  let begin = performance.now();
  using owned = new Owned();
  const setup = new Setup(engine, matrix, options, owned);
  const right = setup.there(b);
  const limits = given.x0 === undefined ? given : { ...given, x0: setup.there(given.x0) };
  let [setupMs, solveMs, products] = [0, 0, 0];
  for (let place = 0; ; place++) {
    const { method, M } = setup.prepare(place);
    const At = method.kind.solves === 'any' ? setup.A.transposed() : undefined;
    setupMs += performance.now() - begin;
    const solution = yield* iterate(method.steps, setup.A, right, { ...limits, ...(M && { preconditioner: M }) }, At);
    solveMs += solution.solveMs;
    products += solution.products;
    setup.note(solution);
    if (place + 1 < setup.plans.length && hasFailed(solution)) {
      solution.x.dispose();
      begin = performance.now();
      continue;
    }
    const { format } = setup.A;
    setup.back(solution.x);
    return { ...solution, products, setupMs, solveMs, decision: setup.decision(), format };
  }
}

/** Whether the method cannot solve the system, and another one may. */
function hasFailed({ reason, residualNorms }: Solution): boolean {
  if (reason === 'not-finite') return Number.isFinite(residualNorms[0]);
  return reason === 'not-definite' || reason === 'breakdown';
}
