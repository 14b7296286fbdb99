/** Factors for least squares: those of the augmented system (`direct/augmented.ts`). Only `solve` makes them. */
import { residualOf } from '../algebra/residual.js';
import type { CsrMatrix } from '../core/csr.js';
import { largestModulus } from '../core/norms.js';
import type { FloatArray } from '../core/types.js';
import { AugmentedSystem } from '../direct/augmented.js';
import { type FactorStep, ROUNDING } from '../direct/method.js';
import type { Engine } from '../engine/engine.js';
import { Factorization, type FactorizationRequest } from './factorization.js';
import type { FactorizationReport } from './factorization-report.js';

const MOST_CORRECTIONS = 4;

/** A correction must be smaller than the one before by this factor. */
const SHRINKS = 0.5;

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
    let before = largestModulus(x);
    for (let k = 0; k < MOST_CORRECTIONS; k++) {
      const correction = this.#solveOnce(residualOf(this.#system.given, x, b));
      const size = largestModulus(correction);
      if (!(size < SHRINKS * before)) break;
      x = x.map((value, i) => value + correction[i]!);
      before = size;
      if (size <= ROUNDING * largestModulus(x)) break;
    }
    return x;
  }

  #solveOnce(b: FloatArray): Float64Array {
    return this.#system.solution(this.#factors.solve(this.#system.right(b)));
  }

  /** Other values of A. @throws as `Factorization.update` */
  *updateSteps(values: FloatArray): Generator<FactorStep, void> {
    this.#system.given = { ...this.#system.given, values };
    yield* this.#factors.updateSteps(this.#system.matrix().values);
  }

  [Symbol.dispose](): void {
    this.#factors.dispose();
  }
}
