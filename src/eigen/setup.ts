/** From what a caller gives to a checked problem: operators, entries, limits. */
import { callback, finite, integer, knownKeys, oneOf, within } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { checkSignal } from '../core/drain.js';
import { mismatch, SparlaneError } from '../core/errors.js';
import { Owned } from '../core/owned.js';
import { type Likeness, likenessOfTranspose } from '../core/symmetry.js';
import { Engine } from '../engine/engine.js';
import { totalOf } from '../memory/space.js';
import type { LinearOperator } from '../operators/operator.js';
import { checkOperator, usualLimit } from '../solvers/arguments.js';
import { takeMass, takeOperator } from './given.js';
import { BASIS_BESIDE, DEFAULT_TOLERANCE, LEAST_STEPS, usualBasisSize } from './limits.js';
import type { EigenMatrix, EigenProblem, EigenStep, EigsOptions } from './method.js';
import { isSymmetricBySample } from './symmetry-sample.js';

const OPTIONS: Record<keyof EigsOptions, true> = {
  which: true,
  shift: true,
  B: true,
  method: true,
  preconditioner: true,
  tolerance: true,
  maxIterations: true,
  start: true,
  basisSize: true,
  signal: true,
  onProgress: true,
};

/** The problem, and what was made for it, which is disposed with it. */
export class EigenSetup implements Disposable {
  readonly problem: EigenProblem;
  readonly #owned = new Owned();
  #isStopped = false;

  /** @throws SparlaneError `argument`, `shape` or `structure` */
  constructor(engine: Engine, input: EigenMatrix, k: number, options: EigsOptions) {
    if (!(engine instanceof Engine)) throw mismatch('argument', 'engine', 'one made by createEngine', engine);
    knownKeys<EigsOptions>('options', options, OPTIONS);
    try {
      this.problem = this.#problemOf(engine, input, k, options);
    } catch (error) {
      this.#owned[Symbol.dispose]();
      throw error;
    }
  }

  #problemOf(engine: Engine, input: EigenMatrix, k: number, options: EigsOptions): EigenProblem {
    const which = oneOf('which', options.which ?? 'smallest', ['smallest', 'largest', 'nearest']);
    const shift = options.shift === undefined ? undefined : finite('shift', options.shift);
    if (shift !== undefined && which === 'largest') throw mismatch('argument', 'shift', 'none for largest', shift);
    const tolerance = within('tolerance', options.tolerance ?? DEFAULT_TOLERANCE, 0, 1);
    const { maxIterations, basisSize, onProgress, preconditioner, start } = options;
    if (maxIterations !== undefined) integer('maxIterations', maxIterations, 1);
    if (onProgress !== undefined) callback('onProgress', onProgress);
    const signal = checkSignal(options.signal);
    const { operator: A, matrix } = takeOperator(engine, this.#owned, 'A', input);
    checkOperator(A, 'square');
    let isRounded = checkSymmetric('A', A, matrix, ' (eigsGeneral takes any square one)') === 'rounded';
    const size = totalOf(A.space, A.rows);
    integer('k', k, 1, size);
    const given = options.B === undefined ? undefined : takeMass(engine, this.#owned, options.B, A);
    if (given !== undefined)
      isRounded = checkSymmetric('B', given.operator, given.matrix, '') === 'rounded' || isRounded;
    const { operator: B, matrix: mass } = given ?? {};
    if (basisSize !== undefined) integer('basisSize', basisSize, Math.min(k + BASIS_BESIDE, size));
    const facts = { k, which, shift: shift ?? 'none', tolerance, maxIterations: maxIterations ?? 'default' };
    A.space.ranks?.compare('the eigenvalues', {
      ...facts,
      basisSize: basisSize ?? 'default',
      method: options.method ?? 'auto',
    });
    return {
      ...{ engine, A, B, matrix, mass, isRounded, size, k, which, shift },
      ...{ tolerance, start, preconditioner, mayDecline: false },
      limit: maxIterations ?? usualLimit(size, LEAST_STEPS),
      basisSize: Math.min(basisSize ?? usualBasisSize(k), size),
      isStopped: () => this.#isStopped || signal?.aborted === true,
      report: (step: EigenStep) => {
        if (onProgress?.(step) === false) this.#isStopped = true;
      },
      reasons: [],
    };
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

/** Compares A with its transpose by its entries, or by products with random vectors, which cannot tell rounding errors. @throws SparlaneError `structure` */
function checkSymmetric(name: string, A: LinearOperator, matrix: CsrMatrix | undefined, hint: string): Likeness {
  const likeness = matrix === undefined ? bySample(A) : likenessOfTranspose(matrix);
  if (likeness === 'none')
    throw new SparlaneError('structure', `${name}: expected a symmetric matrix${hint}, got one that is not`);
  return likeness;
}

function bySample(A: LinearOperator): Likeness {
  return isSymmetricBySample(A) ? 'exact' : 'none';
}
