/**
 * `svds`: some singular values and vectors of a matrix of any shape, A V = U Σ. It chooses a method where the caller names none, and computes the residuals
 * of what the method returns.
 */
import { normsOf } from '../../algebra/rows.js';
import type { CsrMatrix } from '../../core/csr.js';
import { drain, drainInSlices } from '../../core/drain.js';
import { mismatch } from '../../core/errors.js';
import { Declined, isRefusal } from '../../direct/choose.js';
import type { Engine } from '../../engine/engine.js';
import { Vector } from '../../memory/vector.js';
import { readNorm } from '../../solvers/norms.js';
import { Workspace } from '../../solvers/workspace.js';
import { Basis } from '../basis/basis.js';
import { reported } from '../factoring.js';
import { refuseLarge } from '../inverse/shift-invert.js';
import { crossSvd } from './cross.js';
import { golubKahan } from './golub-kahan.js';
import { InverseMap } from './inverse-map.js';
import { randomizedSvd } from './randomized-svd.js';
import {
  isSmall,
  type SingularMatrix,
  type SingularMethod,
  type SingularOutcome,
  type SingularProblem,
  type SvdsOptions,
  type SvdsReason,
  type SvdsSolution,
  type SvdsStep,
} from './singular.js';
import { rayleighRitz } from './singular-ritz.js';
import { SingularSetup } from './singular-setup.js';

/** Vectors of a basis for the smallest values without the inverse: Lanczos finds them last. Chosen. */
const LEAST_FOR_SMALLEST = 100;
/** A value of a singular matrix counts as 0 beside a norm of 1, if a regularized inverse knows it to few digits. Chosen. */
const ZERO = 1e-3;

/**
 * Finds k singular values of A with their vectors: A vⱼ = σⱼ uⱼ and Aᵀ uⱼ = σⱼ vⱼ. No option is needed.
 *
 * @param matrix A: a matrix of the library, arrays of one, an array of rows, or an operator with `transposed()`
 * @param k from 1 to the rows or columns of A, whichever are fewer
 * @throws SparlaneError `shape` or `argument` for a wrong argument; `heap`; errors of products. A search that does not converge is not an error: see
 *   `SvdsSolution.reason`
 *
 * @example
 * const { values, U, V } = svds(engine, documents, 10); // latent semantic analysis
 */
export function svds(engine: Engine, matrix: SingularMatrix, k: number, options: SvdsOptions = {}): SvdsSolution {
  return drain(svdsSteps(engine, matrix, k, options));
}

/**
 * The same without blocking the event loop, in slices of some 50 ms. An abort of the signal ends the search with the reason `stopped` and the best
 * triplets so far; during a factorization, when there are none, it rejects.
 *
 * @throws never; the promise rejects with the errors of `svds`
 */
export async function svdsAsync(
  engine: Engine,
  matrix: SingularMatrix,
  k: number,
  options: SvdsOptions = {},
): Promise<SvdsSolution> {
  return drainInSlices(svdsSteps(engine, matrix, k, options));
}

/** The same step by step. @throws as `svds` */
export function* svdsSteps(
  engine: Engine,
  matrix: SingularMatrix,
  k: number,
  options: SvdsOptions,
): Generator<SvdsStep, SvdsSolution> {
  const begin = performance.now();
  using setup = new SingularSetup(engine, matrix, k, options);
  const { method: chosen, map: made } = yield* chooseMethod(engine, setup);
  using map = made;
  const setupMs = performance.now() - begin;
  const { method, outcome } = yield* search(setup, chosen, map);
  const found = finished(setup.problem, outcome);
  const [U, V] = setup.isWide ? [outcome.V, outcome.U] : [outcome.U, outcome.V];
  const { iterations, errorBound } = outcome;
  return {
    ...{ values: outcome.values, U, V, ...found, iterations, solves: map?.solves ?? 0 },
    ...(errorBound !== undefined && { errorBound }),
    decision: { method, reasons: [...setup.reasons] },
    ...{ setupMs, solveMs: performance.now() - begin - setupMs },
  };
}

/** The method, and the inverse that it needs. @throws the reason of the signal, if it aborts a factorization */
function* chooseMethod(
  engine: Engine,
  { method, problem, matrix, crossBasis, reasons, signal }: SingularSetup,
): Generator<SvdsStep, { readonly method: SingularMethod; readonly map?: InverseMap }> {
  if (method === 'inverse' && matrix === undefined)
    throw mismatch('argument', 'method', 'lanczos, for an operator without entries or over ranks', method);
  if (method === 'lanczos' || method === 'randomized') return { method };
  if (problem.which === 'largest') return { method: crossBasis === undefined ? 'lanczos' : 'cross' };
  if (method === 'auto' && problem.size <= LEAST_FOR_SMALLEST) {
    reasons.push(`lanczos: a basis of ${problem.size} vectors has all singular values`);
    return { method: 'lanczos' };
  }
  if (matrix === undefined || (method === 'auto' && engine.space.heap === undefined)) {
    reasons.push(
      `lanczos: ${matrix === undefined ? 'an operator without entries, or over ranks,' : 'a GPU'} has no factors`,
    );
    return { method: 'lanczos' };
  }
  try {
    const refuse = method === 'auto' ? refuseLarge : undefined;
    const { report, isStopped } = problem;
    const map = yield* reported(InverseMap.steps(engine, problem.A, matrix, refuse), { report, isStopped, signal });
    reasons.push(
      map.isRegularized
        ? 'inverse: A is singular, or nearly so: its factors are those of a regularized matrix'
        : 'inverse: the smallest singular values are the largest ones of the inverse',
    );
    return { method: 'inverse', map };
  } catch (error) {
    if (method === 'inverse' || !(error instanceof Declined || isRefusal(error))) throw error;
    reasons.push(`not inverse: ${(error as Error).message}`);
    return { method: 'lanczos' };
  }
}

/** What was found, and by which method: `lanczos` takes the place of `cross` where that declines. */
function* search(
  setup: SingularSetup,
  method: SingularMethod,
  map: InverseMap | undefined,
): Generator<SvdsStep, { readonly method: SingularMethod; readonly outcome: SingularOutcome }> {
  if (method !== 'cross') return { method, outcome: yield* searchBy(setup, method, map) };
  const outcome = yield* crossSvd({ ...setup.problem, basisSize: setup.crossBasis! });
  if (typeof outcome !== 'string') return { method, outcome };
  setup.reasons.push(`not cross: ${outcome}`);
  return { method: 'lanczos', outcome: yield* golubKahan(setup.problem) };
}

function* searchBy(
  { problem, matrix, oversampling, powerIterations }: SingularSetup,
  method: SingularMethod,
  map: InverseMap | undefined,
): Generator<SvdsStep, SingularOutcome> {
  if (method === 'randomized') return yield* randomizedSvd(problem, { oversampling, powerIterations });
  if (map === undefined && problem.which === 'smallest') {
    const basisSize = Math.min(problem.size, Math.max(problem.basisSize, LEAST_FOR_SMALLEST));
    return yield* golubKahan({ ...problem, basisSize });
  }
  if (map === undefined) return yield* golubKahan(problem);
  const norm = boundOfNorm(matrix!);
  const inverse: SingularProblem = { ...problem, A: map.forward, At: map.back, which: 'largest', isInverse: true };
  const found = rayleighRitz(problem, yield* golubKahan(inverse), map, norm);
  return map.isRegularized ? yield* beyondZeros(problem, inverse, map, found) : found;
}

/**
 * The same with values that are not 0 from a second search, in which those that are do not take part. The first answer stands where there are none of either
 * kind, or the search was ended.
 */
function* beyondZeros(
  problem: SingularProblem,
  inverse: SingularProblem,
  map: InverseMap,
  found: SingularOutcome,
): Generator<SvdsStep, SingularOutcome> {
  const { values, norm } = found;
  const zeros = values.filter((value) => value <= ZERO * norm).length;
  if (found.reason !== 'tolerance' || zeros === 0 || zeros === values.length) return found;
  const { space, vectorType, cols } = problem.A;
  using zeroVectors = new Basis({ space, vectorType, cols }, zeros);
  using x = new Vector(space, vectorType, cols);
  for (let j = values.length - zeros; j < values.length; j++) {
    found.V.copyColumnTo(j, x);
    zeroVectors.append(x);
  }
  using deflated = map.without(zeroVectors);
  const k = values.length - zeros;
  const basisSize = Math.min(inverse.basisSize, cols);
  const rest = yield* golubKahan({ ...inverse, A: deflated, At: deflated, k, basisSize });
  const V = new Vector(space, vectorType, cols, undefined, values.length);
  // Zeros first: what others are made orthogonal to.
  for (let j = 0; j < values.length; j++) {
    if (j < zeros) zeroVectors.copyTo(j, x);
    else if (j - zeros < rest.V.columns) rest.V.copyColumnTo(j - zeros, x);
    else found.V.copyColumnTo(j - zeros, x);
    V.setColumn(j, x);
  }
  for (const block of [found.U, found.V, rest.V]) block.dispose();
  const iterations = found.iterations + rest.iterations;
  const all = rayleighRitz(problem, { ...rest, V, iterations }, map, norm);
  return { ...all, products: found.products + all.products };
}

/** √(‖A‖₁ ‖A‖∞) ≥ ‖A‖₂ */
function boundOfNorm(matrix: CsrMatrix): number {
  const [rows, columns] = (['rows', 'columns'] as const).map((lines) =>
    normsOf(matrix, lines, 'one').reduce((most, norm) => Math.max(most, norm), 0),
  );
  return Math.sqrt(rows!) * Math.sqrt(columns!);
}

/** The residuals of triplets, and what they say. */
function finished(problem: SingularProblem, outcome: SingularOutcome) {
  const { values, norm } = outcome;
  const residualNorms = outcome.residualNorms ?? residualsOf(problem, outcome);
  const converged = residualNorms.filter((residual, j) => isSmall(problem, residual, values[j]!, norm)).length;
  let reason: SvdsReason = outcome.reason;
  if (residualNorms.some(Number.isNaN)) reason = 'not-finite';
  else if (reason === 'tolerance' && converged < problem.k) reason = 'stagnated';
  const products = outcome.products + (outcome.residualNorms === undefined ? 2 * values.length : 0);
  return { residualNorms, converged, reason, products };
}

function residualsOf({ A, At }: SingularProblem, { values, U, V }: SingularOutcome): Float64Array {
  using work = new Workspace(A);
  const [u, v] = [work.vector('b'), work.vector('x')];
  const [left, right] = [work.vector('b'), work.vector('x')];
  const scalar = work.scalar();
  return values.map((value, j) => {
    if (!Number.isFinite(value)) return Number.NaN;
    U.copyColumnTo(j, u);
    V.copyColumnTo(j, v);
    A.apply(v, left);
    At.apply(u, right);
    return Math.max(readNorm(left.axpy(-value, u), scalar), readNorm(right.axpy(-value, v), scalar));
  });
}
