/**
 * `solve`: A x = b from a matrix, for one right-hand side. It prepares a solver, which chooses what the caller does not name (`setup.ts`), and goes
 * on with another method if a chosen one finds that it cannot solve the system.
 */
import { knownKeys } from '../core/checks.js';
import type { ComplexMatrix } from '../core/complex.js';
import { drain, drainInSlices } from '../core/drain.js';
import type { Engine } from '../engine/engine.js';
import type { VectorInput } from '../operators/operator.js';
import { SOLVE_OPTIONS } from './arguments.js';
import type { Step } from './solution.js';
import { type SystemSolution, solveSteps } from './solver.js';
import type { SolveSystemOptions, SystemMatrix } from './system.js';

/**
 * Solves A x = b for any matrix; in the sense of least squares if it is not square. No option is needed.
 *
 * @param matrix a matrix of the library, arrays of one, or an array of rows `[[4, 1], [1, 3]]`; or the operator of a matrix, which the next solve can use again. Of a complex
 *   matrix b and x are pairs (re, im)
 * @param b length `rows`, in any space, or an array of numbers
 * @throws SparlaneError `structure`, `shape` or `argument` for an invalid matrix, vector or option; `heap`; errors of products. A solve that
 *   does not converge is not an error: see `Solution.reason`
 *
 * @example
 * const { x, converged, decision } = solve(engine, matrix, b);
 */
export function solve(
  engine: Engine,
  matrix: SystemMatrix | ComplexMatrix,
  b: VectorInput,
  options: SolveSystemOptions = {},
): SystemSolution {
  knownKeys<SolveSystemOptions>('options', options, OPTIONS);
  return drain(solveSteps(engine, matrix, b, options));
}

/** `signal` ends the solve between two steps. */
export interface SolveAsyncOptions extends Omit<SolveSystemOptions, 'onStep'> {
  /** Called about every 50 ms with the latest step. */
  readonly onProgress?: (step: Step) => unknown;
}

/**
 * The same without blocking the event loop, in slices of some 50 ms. An abort of the signal ends the solve with the reason `stopped`, and x as it
 * is, also while multigrid or factors are made.
 *
 * @throws never; the promise rejects with the errors of `solve`
 */
export async function solveAsync(
  engine: Engine,
  matrix: SystemMatrix | ComplexMatrix,
  b: VectorInput,
  options: SolveAsyncOptions = {},
): Promise<SystemSolution> {
  knownKeys<SolveAsyncOptions>('options', options, ASYNC_OPTIONS);
  const { onProgress, ...others } = options;
  return drainInSlices(solveSteps(engine, matrix, b, others), onProgress);
}

const OPTIONS: Record<keyof SolveSystemOptions, true> = {
  ...SOLVE_OPTIONS,
  method: true,
  format: true,
  order: true,
  nullSpace: true,
  limitMs: true,
};
const { onStep: _, ...WITHOUT_CALLBACK } = OPTIONS;
const ASYNC_OPTIONS: Record<keyof SolveAsyncOptions, true> = { ...WITHOUT_CALLBACK, onProgress: true };
