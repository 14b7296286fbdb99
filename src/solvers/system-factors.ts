/** The factors of a set-up, for the method `direct`: of A, or, where A is not square, of the augmented system of least squares. */
import type { CsrMatrix } from '../core/csr.js';
import type { Dtype, FloatArray } from '../core/types.js';
import type { DirectName, FactorStep, FillOrder, Prediction } from '../direct/method.js';
import type { Engine } from '../engine/engine.js';
import { Factorization } from '../preconditioners/factorization.js';
import { LeastSquaresFactors } from '../preconditioners/least-squares-factors.js';
import { preconditionerOf } from '../preconditioners/registry.js';
import { NO_PRECONDITIONER } from './decide.js';
import { leastSquaresDirect } from './least-squares-direct.js';
import type { Method } from './method.js';
import { methodOf, type NamedMethod } from './methods.js';
import type { Prepared } from './system.js';

/** Says why the factors of a prediction are not wanted. */
export type Refuse = (prediction: Prediction) => string | undefined;

/** The parameters of `direct`. */
interface FactorWords {
  readonly method: DirectName | 'auto';
  readonly order: FillOrder;
}

const AUGMENTED = 'least squares: the factors are those of [α I, A; Aᵀ, 0]';

const ROUNDED = 'factors in f32, for which there is room: a preconditioner';

/** Iterations with factors in f32 after which their rounding is too much for the condition of A. */
const MOST_ITERATIONS = 200;

/** The method for factors that are A up to rounding to f32. */
function withRoundedFactors({ method }: Factorization): NamedMethod {
  const named = methodOf(method === 'cholesky' ? 'cg' : 'gmres?restart=20');
  const steps: Method = function* (system) {
    const inner = named.steps(system);
    try {
      for (let left = MOST_ITERATIONS; ; ) {
        const { done, value } = inner.next();
        if (done) return value;
        yield value;
        left -= value.iterations;
        if (left <= 0) return 'stagnated';
      }
    } finally {
      inner.return(undefined);
    }
  };
  return { ...named, steps };
}

export class SystemFactors implements Disposable {
  readonly #engine: Engine;
  /** By name and parameters. */
  readonly #made = new Map<string, Factorization | LeastSquaresFactors>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** @param named `direct` @param dtype of the vectors @throws as `Factorization.steps` */
  *prepare(
    named: NamedMethod,
    matrix: CsrMatrix,
    dtype: Dtype,
    refuse: Refuse | undefined,
  ): Generator<FactorStep, Prepared> {
    const { spec } = named;
    const { method, order } = preconditionerOf(spec).values as unknown as FactorWords;
    const request = { matrix, dtype, spec, start: performance.now(), method, order, refuse };
    if (matrix.rows === matrix.cols) {
      const M = yield* Factorization.steps(this.#engine, { ...request, stored: 'fitting' });
      this.#made.set(spec, M);
      const { reasons } = M.explain();
      if (M.stored === 'f64' || dtype === 'f32')
        return { method: named, M, preconditioner: NO_PRECONDITIONER, reasons };
      return { method: withRoundedFactors(M), M, preconditioner: spec, reasons: [...reasons, ROUNDED] };
    }
    // Not in f32, in whose rounding α is lost.
    const factors = yield* LeastSquaresFactors.steps(this.#engine, request);
    this.#made.set(spec, factors);
    const reasons = [AUGMENTED, ...factors.explain().reasons];
    return { method: leastSquaresDirect(spec, factors), M: undefined, preconditioner: NO_PRECONDITIONER, reasons };
  }

  /** Other values of A. @throws as `Factorization.update` */
  *update(values: FloatArray): Generator<FactorStep, void> {
    for (const made of this.#made.values()) yield* made.updateSteps(values);
  }

  /** Frees all factors: those of the next call of `prepare` are new. */
  clear(): void {
    for (const made of this.#made.values()) made[Symbol.dispose]();
    this.#made.clear();
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
