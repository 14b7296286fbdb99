/** Factors for least squares: those of the augmented system (`direct/augmented.ts`). Only `solve` makes them. */
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import { AugmentedSystem } from '../direct/augmented.js';
import type { FactorStep } from '../direct/method.js';
import type { Engine } from '../operators/engine.js';
import { Factorization, type FactorizationReport, type FactorizationRequest } from './factorization.js';

const MOST_CORRECTIONS = 4;

/** A correction must be smaller than the one before by this factor. */
const SHRINKS = 0.5;

/** A correction over x that is rounding. */
const ROUNDING = 1e-15;

export class LeastSquaresFactors implements Disposable {
  readonly #system: AugmentedSystem;
  readonly #factors: Factorization;

  private constructor(system: AugmentedSystem, factors: Factorization) {
    this.#system = system;
    this.#factors = factors;
  }

  /** @param matrix A, not square @throws as `Factorization.steps` */
  static *steps(
    engine: Engine,
    { matrix, ...request }: Omit<FactorizationRequest, 'dtype'> & { readonly matrix: CsrMatrix },
  ): Generator<FactorStep, LeastSquaresFactors> {
    const system = new AugmentedSystem(matrix);
    const factors = yield* Factorization.steps(engine, { ...request, matrix: system.matrix(), dtype: 'f64' });
    return new LeastSquaresFactors(system, factors);
  }

  explain(): FactorizationReport {
    return this.#factors.explain();
  }

  /**
   * The x of the least ‖b − A x‖; for A with more columns than rows, the shortest x with A x = b. Corrections for the residual of x make it as good as the
   * condition of A allows, where that of the augmented system is larger.
   */
  solve(b: FloatArray): Float64Array {
    let x = this.#solveOnce(b);
    let before = normOf(x);
    for (let k = 0; k < MOST_CORRECTIONS; k++) {
      const correction = this.#solveOnce(this.#system.residual(b, x));
      const size = normOf(correction);
      if (!(size < SHRINKS * before)) break;
      x = x.map((value, i) => value + correction[i]!);
      before = size;
      if (size <= ROUNDING * normOf(x)) break;
    }
    return x;
  }

  #solveOnce(b: FloatArray): Float64Array {
    return this.#system.solution(this.#factors.solve(this.#system.right(b)));
  }

  /** Other values of A. @throws as `Factorization.update` */
  *updateSteps(values: FloatArray): Generator<FactorStep, void> {
    this.#system.values = values;
    yield* this.#factors.updateSteps(this.#system.matrix().values);
  }

  [Symbol.dispose](): void {
    this.#factors.dispose();
  }
}

function normOf(x: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < x.length; i++) largest = Math.max(largest, Math.abs(x[i]!));
  return largest;
}
