/** A − σ B for any σ in one pattern: its factors, and how many eigenvalues of A x = λ B x are below σ. */
import { SparlaneError } from '../../core/errors.js';
import { dtypeOf } from '../../core/types.js';
import type { DirectName, Prediction } from '../../direct/method.js';
import type { Vector } from '../../memory/vector.js';
import { Factorization } from '../../preconditioners/factorization.js';
import { factoring } from '../factoring.js';
import type { EigenProblem, EigenStep } from '../method.js';
import { ShiftedMatrix } from './shifted-matrix.js';

/** What the factors of A − σ B say. */
export interface PencilInertia {
  /** Negative eigenvalues of A − σ B: by Sylvester's law, those of A x = λ B x below σ, if B is positive definite. Undefined if factors do not tell. */
  readonly below: number | undefined;
  readonly isSingular: boolean;
}

export type PencilMethod = DirectName | 'auto';

export class Pencil implements Disposable {
  readonly #problem: EigenProblem;
  readonly #refuse: ((prediction: Prediction) => string | undefined) | undefined;
  readonly #shifted: ShiftedMatrix;
  #factors: Factorization | undefined;
  #method: PencilMethod | undefined;
  /** The σ and the method of the factors that there are. It is undefined after a failure. */
  #state: { readonly sigma: number; readonly method: PencilMethod } | undefined;
  /** Time of all factorizations. */
  setupMs = 0;

  /** @param refuse says why the factors of a prediction are not wanted */
  constructor(problem: EigenProblem, refuse?: (prediction: Prediction) => string | undefined) {
    this.#problem = problem;
    this.#refuse = refuse;
    this.#shifted = new ShiftedMatrix(problem);
  }

  /** y ← (A − σ B)⁻¹ x, for the latest σ. */
  apply(x: Vector, y: Vector): void {
    this.#factors!.apply(x, y);
  }

  /**
   * Makes the factors of A − σ B.
   *
   * @param method `cholesky` finds that A − σ B is positive definite, and so that nothing is below σ, or counts as singular
   * @throws SparlaneError `heap` if they do not fit; Declined for what `refuse` says
   */
  *factor(sigma: number, method: PencilMethod): Generator<EigenStep, PencilInertia> {
    const begin = performance.now();
    this.#state = undefined;
    try {
      yield* this.#factor(sigma, method);
    } catch (error) {
      if (!(error instanceof SparlaneError && error.code === 'structure')) throw error;
      return { below: undefined, isSingular: true };
    } finally {
      this.setupMs += performance.now() - begin;
    }
    this.#state = { sigma, method };
    const { inertia } = this.#factors!;
    if (inertia === undefined) return { below: undefined, isSingular: false };
    const isSingular = inertia.zero > 0;
    return { below: isSingular ? undefined : inertia.negative, isSingular };
  }

  /** The same, if there are not those of σ at present. */
  *restore(sigma: number, method: PencilMethod): Generator<EigenStep, void> {
    if (this.#state?.sigma !== sigma) yield* this.factor(sigma, method);
  }

  *#factor(sigma: number, method: PencilMethod): Generator<EigenStep, void> {
    const { engine, A } = this.#problem;
    const shifted = this.#shifted.at(sigma);
    if (this.#factors !== undefined && this.#method === method) {
      yield* factoring(this.#factors.updateSteps(shifted.values));
      return;
    }
    this.#factors?.dispose();
    this.#factors = undefined;
    this.#method = method;
    const request = {
      matrix: shifted,
      dtype: dtypeOf(A.vectorType),
      spec: 'direct',
      start: performance.now(),
    } as const;
    const wish = { method, order: 'auto', refuse: this.#refuse } as const;
    this.#factors = yield* factoring(Factorization.steps(engine, { ...request, ...wish }));
  }

  [Symbol.dispose](): void {
    this.#factors?.dispose();
  }
}
