/**
 * `eigsGeneral`: some eigenvalues of a square matrix that need not be symmetric. `krylov-schur.ts` has the method.
 *
 * For: convection, Markov chains, stability: eigenvalues may be complex. `eigs` is for symmetric matrices: it knows more of them, is faster, and
 *   finds all copies of a multiple eigenvalue.
 */
import { addMatrices } from '../algebra/add.js';
import { callback, finite, integer, knownKeys, oneOf, within } from '../core/checks.js';
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { checkSignal, drain, drainInSlices, untilAborted } from '../core/drain.js';
import { mismatch } from '../core/errors.js';
import { dtypeOf } from '../core/types.js';
import { Engine } from '../engine/engine.js';
import { totalOf } from '../memory/space.js';
import type { Vector } from '../memory/vector.js';
import { MatrixOperator } from '../operators/matrix-operator.js';
import { LinearOperator } from '../operators/operator.js';
import { Factorization } from '../preconditioners/factorization.js';
import { checkOperator } from '../solvers/arguments.js';
import type { ComplexNumber } from './complex-residual.js';
import { factoring } from './factoring.js';
import { krylovSchurSteps, type SpectralMap } from './krylov-schur.js';
import type { EigenMatrix, EigenReason, EigenStep, EigsOptions } from './method.js';
import { identityMatrix } from './pencil.js';
import { Residuals } from './residuals.js';

/**
 * Which eigenvalues: those of the largest modulus, with the largest or smallest real part, with the largest imaginary part by modulus, or those
 * nearest to a real shift.
 */
export type WhichGeneral = 'largest' | 'largest-real' | 'smallest-real' | 'largest-imaginary' | 'nearest';

export interface EigsGeneralOptions extends Pick<EigsOptions, 'maxIterations' | 'start' | 'signal' | 'onProgress'> {
  /** Default `largest`: the largest modulus. */
  readonly which?: WhichGeneral;
  /** For `nearest`: the number to which eigenvalues are near. Default 0. A must be a matrix, which is factored. */
  readonly shift?: number;
  /**
   * A pair has converged if ‖A x − λ x‖₂ is at most `tolerance` · max(|λ|, 1e-4 ‖A‖) ‖x‖₂, or 100 units of rounding of ‖A‖ ‖x‖₂. From 0 to 1. Default 1e-8.
   */
  readonly tolerance?: number;
  /** Vectors that are kept in memory: more of them need fewer steps. At least k + 3. Default: 2 k + 10, and at least 30. */
  readonly basisSize?: number;
}

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
  /** ‖A x − λ x‖₂ of each pair, computed from the vectors at the end. */
  readonly residualNorms: Float64Array;
  /** The values whose residuals meet the tolerance. */
  readonly converged: number;
  readonly reason: Exclude<EigenReason, 'incomplete'>;
  /** Applications of A, or of the factors. */
  readonly iterations: number;
  /** Products with A, those of the residuals included. */
  readonly products: number;
  /** Time of operators and factors. */
  readonly setupMs: number;
  readonly solveMs: number;
}

const WHICH: readonly WhichGeneral[] = ['largest', 'largest-real', 'smallest-real', 'largest-imaginary', 'nearest'];

const OPTIONS: Record<keyof EigsGeneralOptions, true> = {
  which: true,
  shift: true,
  tolerance: true,
  maxIterations: true,
  start: true,
  basisSize: true,
  signal: true,
  onProgress: true,
};

const DEFAULT_TOLERANCE = 1e-8;
const MIN_ITERATIONS = 1000;
const MIN_BASIS = 30;
/** A basis has room for the wanted pairs, one more value of the last one, and a step. */
const BESIDE = 3;

/**
 * Finds k eigenvalues of a square matrix, and their vectors. A search that does not converge is not an error; see `reason`.
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
  const shift = finite('shift', options.shift ?? 0);
  const tolerance = within('tolerance', options.tolerance ?? DEFAULT_TOLERANCE, 0, 1);
  const { start, onProgress } = options;
  const signal = checkSignal(options.signal);
  if (onProgress !== undefined) callback('onProgress', onProgress);
  const isOperator = given instanceof LinearOperator;
  const matrix = given instanceof MatrixOperator ? given.toCsr() : isOperator ? undefined : csrMatrix(given);
  if (matrix !== undefined && matrix.rows !== matrix.cols)
    throw mismatch('shape', 'A', 'as many rows as columns', `${matrix.rows} × ${matrix.cols}`);
  using made = isOperator ? undefined : engine.operator(matrix!, { products: 'many', tune: false });
  const A = isOperator ? given : made!;
  checkOperator(A, 'square');
  const size = totalOf(A.space, A.rows);
  integer('k', k, 1, size);
  const limit = integer('maxIterations', options.maxIterations ?? Math.max(MIN_ITERATIONS, 10 * size), 1);
  const least = Math.min(k + BESIDE, size);
  const asked = integer('basisSize', options.basisSize ?? Math.max(2 * k + 10, MIN_BASIS), least);
  const basisSize = Math.min(asked, size);
  A.space.ranks?.compare('eigsGeneral', { which, shift, k, tolerance, limit, basisSize });
  signal?.throwIfAborted();
  using factors = which === 'nearest' ? yield* untilAborted(factorsOf(engine, A, matrix, shift), signal) : undefined;
  const setupMs = performance.now() - begin;
  let isRefused = false;
  const report = (step: EigenStep) => {
    isRefused ||= onProgress?.(step) === false;
  };
  const isStopped = () => isRefused || signal?.aborted === true;
  const map = which === 'nearest' ? inverseOf(factors!, shift) : mapOf(A, which);
  using residuals = new Residuals({ A, B: undefined, matrix, mass: undefined, tolerance });
  const search = { A, map, size, k, tolerance, limit, basisSize, start, isStopped, report };
  const outcome = yield* krylovSchurSteps(search, residuals);
  const products = outcome.products + (factors === undefined ? outcome.iterations : 0);
  return { ...outcome, products, setupMs, solveMs: performance.now() - begin - setupMs };
}

const modulus = ({ real, imaginary }: ComplexNumber) => Math.hypot(real, imaginary);

/** What is larger is more wanted. */
const SIZES: Record<Exclude<WhichGeneral, 'nearest'>, (value: ComplexNumber) => number> = {
  largest: modulus,
  'largest-real': ({ real }) => real,
  'smallest-real': ({ real }) => -real,
  'largest-imaginary': ({ imaginary }) => Math.abs(imaginary),
};

function mapOf(A: LinearOperator, which: Exclude<WhichGeneral, 'nearest'>): SpectralMap {
  const sizeOf = SIZES[which];
  return {
    apply: (x, y) => A.apply(x, y),
    valueOf: ({ real, imaginary }) => ({ real, imaginary }),
    compare: (one, other) => sizeOf(other) - sizeOf(one),
    isInverse: false,
  };
}

/** θ = 1 / (λ − σ) */
function inverseOf(factors: LinearOperator, shift: number): SpectralMap {
  return {
    apply: (x, y) => factors.apply(x, y),
    valueOf(theta) {
      const size = modulus(theta);
      // The imaginary part of 1 / θ has the other sign: it is that of the conjugate.
      return { real: shift + theta.real / size / size, imaginary: -theta.imaginary / size / size };
    },
    compare: (one, other) => modulus(other) - modulus(one),
    isInverse: true,
  };
}

/** The factors of A − σ. @throws SparlaneError `argument` if there are no entries, or σ is an eigenvalue; as `factor` */
function* factorsOf(
  engine: Engine,
  A: LinearOperator,
  matrix: CsrMatrix | undefined,
  shift: number,
): Generator<EigenStep, Factorization> {
  if (matrix === undefined)
    throw mismatch(
      'argument',
      'A',
      "a matrix for which: 'nearest', which needs its factors",
      'an operator without entries',
    );
  const shifted = addMatrices(matrix, identityMatrix(matrix.rows), 1, -shift);
  const request = { matrix: shifted, dtype: dtypeOf(A.vectorType), spec: 'direct', start: performance.now() } as const;
  return yield* factoring(Factorization.steps(engine, { ...request, method: 'auto', order: 'auto' }));
}
