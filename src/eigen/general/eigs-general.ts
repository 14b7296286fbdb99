/**
 * `eigsGeneral`: some eigenvalues of a square matrix that need not be symmetric. `krylov-schur.ts` has the method.
 *
 * For: convection, Markov chains, stability: eigenvalues may be complex. `eigs` is for symmetric matrices: it knows more of them, is faster, and
 *   finds all copies of a multiple eigenvalue.
 */
import { boolean, callback, finite, integer, knownKeys, oneOf, within } from '../../core/checks.js';
import { checkSignal, drain, drainInSlices } from '../../core/drain.js';
import { mismatch } from '../../core/errors.js';
import { Owned } from '../../core/owned.js';
import { Engine } from '../../engine/engine.js';
import { totalOf } from '../../memory/space.js';
import type { Vector } from '../../memory/vector.js';
import { checkOperator, usualLimit } from '../../solvers/arguments.js';
import { reported } from '../factoring.js';
import { takeMass, takeOperator } from '../given.js';
import { DEFAULT_TOLERANCE, LEAST_STEPS, usualBasisSize } from '../limits.js';
import type { EigenMatrix, EigenReason, EigenStep, EigsOptions } from '../method.js';
import { Residuals } from '../residuals.js';
import type { ComplexNumber } from './complex-residual.js';
import type { GeneralOutcome } from './general-search.js';
import { krylovSchurSteps } from './krylov-schur.js';
import { type LeftEigenvectors, type LeftProblem, leftSteps } from './left-vectors.js';
import { spectralMapSteps, type WhichGeneral } from './spectral-map.js';

/** `eigsGeneral` takes these options. */
export interface EigsGeneralOptions extends Pick<EigsOptions, 'maxIterations' | 'start' | 'signal' | 'onProgress'> {
  /** B of A x = λ B x: any square matrix. It is factored, and must then be regular, unless `which` is `nearest`. Default: the identity. */
  readonly B?: EigenMatrix;
  /** Default `largest`: the largest modulus. */
  readonly which?: WhichGeneral;
  /**
   * For `nearest`: the number to which eigenvalues are near. Default 0. A must be a matrix, which is factored. A complex one stands for its conjugate, too:
   * eigenvalues come in pairs, and each is as near as the nearer of the two. Its factors are those of a matrix of twice the size.
   */
  readonly shift?: number | { readonly real: number; readonly imaginary: number };
  /**
   * A pair has converged if ‖A x − λ B x‖₂ is at most `tolerance` · max(|λ| ‖B x‖₂, 1e-4 (‖A‖ + |λ| ‖B‖) ‖x‖₂), or 100 units of rounding of (‖A‖ + |λ| ‖B‖)
   * ‖x‖₂. From 0 to 1. Default 1e-8.
   */
  readonly tolerance?: number;
  /** Whether left eigenvectors are found, too: `GeneralEigenSolution.left`. A must be a matrix, or have `transposed()`. Default: false. */
  readonly left?: boolean;
  /** Vectors that are kept in memory: more of them need fewer steps. At least k + 3. Default: 2 k + 10, and at least 30. For a complex shift 2 k in place of k. */
  readonly basisSize?: number;
}

/** `eigsGeneral` returns this. */
export interface GeneralEigenSolution {
  /**
   * In the order of `which`; k of them, or one more if the last one is complex. A complex λ is followed by its conjugate, that with the positive
   * imaginary part first.
   */
  readonly values: { readonly real: Float64Array; readonly imaginary: Float64Array };
  /**
   * Blocks in the space of A: eigenvector j, of norm 1, is column j of `real` + i · column j of `imaginary`, which is 0 for a real λ. The caller
   * disposes both.
   */
  readonly vectors: { readonly real: Vector; readonly imaginary: Vector };
  /** ‖A x − λ B x‖₂ of each pair, computed from the vectors at the end. */
  readonly residualNorms: Float64Array;
  /** The values whose residuals meet the tolerance. */
  readonly converged: number;
  /** With the option `left`: a left eigenvector of each value, and the condition number of the value. */
  readonly left?: LeftEigenvectors;
  readonly reason: Exclude<EigenReason, 'incomplete'>;
  /** The number of times that A, or the factors, were applied. */
  readonly iterations: number;
  /** Products with A, those of the residuals included. */
  readonly products: number;
  /** Time of operators and factors. */
  readonly setupMs: number;
  readonly solveMs: number;
}

const WHICH: readonly WhichGeneral[] = ['largest', 'largest-real', 'smallest-real', 'largest-imaginary', 'nearest'];

const OPTIONS: Record<keyof EigsGeneralOptions, true> = {
  B: true,
  which: true,
  shift: true,
  left: true,
  tolerance: true,
  maxIterations: true,
  start: true,
  basisSize: true,
  signal: true,
  onProgress: true,
};

/** A basis has room for the wanted pairs, one more value of the last one, and a step. */
const BESIDE = 3;

/**
 * Finds k eigenvalues of a square matrix, or of A x = λ B x, and their vectors. A search that does not converge is not an error; see `reason`.
 *
 * @param A a matrix of the library, arrays of one, an array of rows, or any linear operator
 * @param k from 1 to the size of A
 * @throws SparlaneError `argument`, `shape` or `structure` for a wrong argument or matrix; `heap`; `backend` for factors of an engine on a device; errors of products
 *
 * @example
 * const { values, vectors } = eigsGeneral(engine, matrix, 6, { which: 'largest-real' });
 */
export function eigsGeneral(
  engine: Engine,
  A: EigenMatrix,
  k: number,
  options: EigsGeneralOptions = {},
): GeneralEigenSolution {
  return drain(eigsGeneralSteps(engine, A, k, options));
}

/**
 * The same without blocking the event loop, in slices of some 50 ms. An abort of the signal ends the search with the reason `stopped` and the best
 * pairs so far; before the first step it rejects.
 *
 * @throws never; the promise rejects with the errors of `eigsGeneral`
 */
export async function eigsGeneralAsync(
  engine: Engine,
  A: EigenMatrix,
  k: number,
  options: EigsGeneralOptions = {},
): Promise<GeneralEigenSolution> {
  return drainInSlices(eigsGeneralSteps(engine, A, k, options));
}

/** The same step by step. @throws as `eigsGeneral`; the reason of the signal, if it aborts before there are pairs */
export function* eigsGeneralSteps(
  engine: Engine,
  given: EigenMatrix,
  k: number,
  options: EigsGeneralOptions,
): Generator<EigenStep, GeneralEigenSolution> {
  const begin = performance.now();
  if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
  knownKeys<EigsGeneralOptions>('options', options, OPTIONS);
  const which = oneOf('which', options.which ?? 'largest', WHICH);
  if (options.shift !== undefined && which !== 'nearest')
    throw mismatch('argument', 'shift', "none unless which is 'nearest'", options.shift);
  const shift = checkShift(options.shift ?? 0);
  const tolerance = within('tolerance', options.tolerance ?? DEFAULT_TOLERANCE, 0, 1);
  const { start, onProgress } = options;
  const isTwoSided = boolean('left', options.left ?? false);
  const signal = checkSignal(options.signal);
  if (onProgress !== undefined) callback('onProgress', onProgress);
  using owned = new Owned();
  const { operator: A, matrix } = takeOperator(engine, owned, 'A', given);
  checkOperator(A, 'square');
  const mass = options.B === undefined ? undefined : takeMass(engine, owned, options.B, A);
  const B = mass?.operator;
  const size = totalOf(A.space, A.rows);
  integer('k', k, 1, size);
  const limit = integer('maxIterations', options.maxIterations ?? usualLimit(size, LEAST_STEPS), 1);
  // By a complex shift, vectors have twice the size, and each value may need two of them.
  const parts = shift.imaginary === 0 ? 1 : 2;
  const least = Math.min(parts * k + BESIDE, parts * size);
  const asked = integer('basisSize', options.basisSize ?? usualBasisSize(parts * k), least);
  const basisSize = Math.min(asked, parts * size);
  const facts = {
    which,
    shift: shift.real,
    imaginary: shift.imaginary,
    k,
    tolerance,
    limit,
    basisSize,
    left: isTwoSided,
  };
  A.space.ranks?.compare('eigsGeneral', facts);
  signal?.throwIfAborted();
  using residuals = new Residuals({ A, B, matrix, mass: mass?.matrix, tolerance });
  const problem = { engine, A, matrix, mass, which, shift, residuals, owned };
  let isRefused = false;
  const report = (step: EigenStep) => {
    isRefused ||= onProgress?.(step) === false;
  };
  const isStopped = () => isRefused || signal?.aborted === true;
  const map = yield* reported(spectralMapSteps(problem), { report, isStopped, signal });
  const setupMs = performance.now() - begin;
  const search = { A, B, map, size, k, tolerance, limit, basisSize, start, isStopped, report };
  const outcome = yield* krylovSchurSteps(search, residuals);
  const products = outcome.products + map.products * outcome.iterations;
  const right = { ...outcome, products };
  if (!isTwoSided) return { ...right, setupMs, solveMs: performance.now() - begin - setupMs };
  const both = yield* withLeft({ ...search, engine, matrix, mass, which, shift, owned }, right);
  return { ...both, setupMs, solveMs: performance.now() - begin - setupMs };
}

/** The solution with left vectors. An error frees the right ones. */
function* withLeft(
  problem: LeftProblem,
  right: GeneralOutcome,
): Generator<EigenStep, GeneralOutcome & { readonly left: LeftEigenvectors }> {
  let isDone = false;
  try {
    const { left, iterations, products } = yield* leftSteps(problem, right);
    isDone = true;
    const isWhole = left.converged === right.values.real.length;
    return {
      ...right,
      left,
      reason: right.reason === 'tolerance' && !isWhole ? (problem.isStopped() ? 'stopped' : 'stagnated') : right.reason,
      iterations: right.iterations + iterations,
      products: right.products + products,
    };
  } finally {
    if (!isDone) for (const block of Object.values(right.vectors)) block.dispose();
  }
}

/** @throws SparlaneError `argument` */
function checkShift(shift: NonNullable<EigsGeneralOptions['shift']>): ComplexNumber {
  if (typeof shift === 'number') return { real: finite('shift', shift), imaginary: 0 };
  if (typeof shift !== 'object' || shift === null)
    throw mismatch('argument', 'shift', 'a number, or { real, imaginary }', shift);
  knownKeys<ComplexNumber>('shift', shift, { real: true, imaginary: true });
  return { real: finite('shift.real', shift.real), imaginary: finite('shift.imaginary', shift.imaginary) };
}
