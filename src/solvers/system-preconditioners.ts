/** The preconditioners of a system by name: each is made when a plan first needs it, and plans share it. */
import { ComplexOperator } from '../complex/operator.js';
import type { CsrMatrix } from '../core/csr.js';
import { type ErrorCode, mismatch, SparlaneError } from '../core/errors.js';
import { largestModulus } from '../core/norms.js';
import type { FloatArray } from '../core/types.js';
import type { Engine } from '../engine/engine.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';
import type { LinearOperator } from '../operators/operator.js';
import { Factorization } from '../preconditioners/factorization.js';
import { normalJacobiOf } from '../preconditioners/normal-jacobi.js';
import { Preconditioner, type Preparation, type SetupStep } from '../preconditioners/preconditioner.js';
import { type PreconditionOptions, preconditionSteps, specOfPairs } from '../preconditioners/registry.js';
import { NO_PRECONDITIONER } from './decide.js';
import type { MethodKind } from './methods.js';
import type { MultigridSizes } from './system.js';

/** The errors with which a preconditioner refuses a matrix, or an engine a preconditioner. */
const REFUSALS: readonly ErrorCode[] = ['structure', 'heap', 'backend'];

export function isRefusal(error: unknown): error is SparlaneError {
  return error instanceof SparlaneError && REFUSALS.includes(error.code);
}

/** Those by name of methods of least squares: for Aᵀ A. */
const LEAST_SQUARES: readonly string[] = ['auto', NO_PRECONDITIONER, 'jacobi'];

const MULTIGRIDS: readonly string[] = ['amg', 'classical-amg'];

/** The numbers of coarse levels are some powers of ten from those of A: f32 ends at 3e38 and 1e-38. */
const SINGLE = 1e25;

function fitsSingle(values: FloatArray): boolean {
  const largest = largestModulus(values);
  return largest < SINGLE && largest > 1 / SINGLE;
}

/** What is empty unless M is multigrid. */
export function sizesOfLevels(M: LinearOperator | undefined): MultigridSizes {
  if (!(M instanceof Preconditioner)) return {};
  const { blockRows, levels, gridComplexity, operatorComplexity } = M.explain();
  if (levels === undefined || gridComplexity === undefined || operatorComplexity === undefined) return {};
  return { ...(blockRows !== undefined && { blockRows }), levels, gridComplexity, operatorComplexity };
}

/** The operator of a system, and the matrix in its order. */
export interface SystemOperator {
  readonly A: MatrixOperator;
  readonly csr: CsrMatrix;
  /** These facts are what the solver has found out about `csr`: a set-up need not find them out again. */
  readonly known: Pick<Preparation, 'isKnownSymmetric'>;
}

export class SystemPreconditioners implements Disposable {
  readonly #engine: Engine;
  readonly #system: SystemOperator;
  readonly #made = new Map<string, Preconditioner>();

  constructor(engine: Engine, system: SystemOperator) {
    this.#engine = engine;
    this.#system = system;
  }

  /**
   * Makes it step by step.
   *
   * @param spec a name, or `auto`: the first of `plan` that takes the matrix
   * @param reasons gets why others did not
   * @returns the preconditioner, if any, and its name as it was asked for
   * @throws SparlaneError `argument` for one that the method cannot have; and as the preconditioner
   */
  *for(
    { name, solves }: Pick<MethodKind, 'name' | 'solves'>,
    spec: string,
    plan: readonly string[],
    reasons: string[],
  ): Generator<SetupStep, { readonly M: Preconditioner | undefined; readonly preconditioner: string }> {
    const isLeastSquares = solves === 'any';
    if (isLeastSquares && !LEAST_SQUARES.includes(spec))
      throw mismatch('argument', 'preconditioner', `jacobi, none or an operator for ${name}`, spec);
    if (spec !== 'auto')
      return { M: yield* this.#make(spec, isLeastSquares, this.#precisionOf(spec, false)), preconditioner: spec };
    for (const candidate of plan) {
      const precision = this.#precisionOf(candidate, true);
      try {
        const M = yield* this.#make(candidate, isLeastSquares, precision);
        if (precision.dtype === 'mixed') reasons.push(`${candidate}: its matrices are stored in f32`);
        return { M, preconditioner: candidate };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        reasons.push(`not ${candidate}: ${error.message}`);
      }
    }
    return { M: undefined, preconditioner: NO_PRECONDITIONER };
  }

  *#make(
    spec: string,
    isLeastSquares: boolean,
    precision: PreconditionOptions,
  ): Generator<SetupStep, Preconditioner | undefined> {
    if (spec === NO_PRECONDITIONER) return undefined;
    const { A, csr, known } = this.#system;
    const key = `${spec} ${precision.dtype}`;
    const ready = this.#made.get(key);
    if (ready !== undefined) return ready;
    const kind = A instanceof ComplexOperator ? specOfPairs(spec) : spec;
    const made = isLeastSquares
      ? normalJacobiOf(A, csr)
      : yield* preconditionSteps(this.#engine, csr, kind, precision, known);
    this.#made.set(key, made);
    return made;
  }

  /**
   * f32 for an operator whose vectors are. Multigrid that is chosen has matrices of f32: a cycle moves two thirds of the bytes, and iterations are as many.
   *
   * @param isChosen whether the caller has not named it
   */
  #precisionOf(spec: string, isChosen: boolean): PreconditionOptions {
    const { A, csr } = this.#system;
    if (A.vectorType === Float32Array) return { dtype: 'f32' };
    return isChosen && MULTIGRIDS.includes(spec) && fitsSingle(csr.values) ? { dtype: 'mixed' } : {};
  }

  /** Other values in the same pattern. */
  *update(values: FloatArray): Generator<SetupStep, void> {
    for (const M of this.#made.values()) {
      if (M instanceof Factorization) yield* M.updateSteps(values);
      else M.update(values);
    }
  }

  [Symbol.dispose](): void {
    for (const M of this.#made.values()) M.dispose();
  }
}
