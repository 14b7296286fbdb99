/**
 * Solves A x = b for one matrix and many b, as precisely as a direct solver: by the factors of A, which are made at the first solve and kept.
 * A large matrix gets a solver of the library, which chooses between factors and iterations by the time that they take.
 */
import {
  type CscInput,
  createSolver,
  type Engine,
  type Factorization,
  factor,
  type Solver,
  SparlaneError,
} from 'sparlane';

/** Up to so many rows factors take a second at most, whatever the matrix (a cube of 32³ rows: 5 · 10⁹ operations). */
const MOST_ROWS = 32_768;

/** A residual that consists of rounding errors, relative to |A| |x| + |b|. */
const ROUNDING = 1e-14;

/** What made no factors. */
type Refusal = 'singular' | 'not here';

export class KeptSolver implements Disposable {
  readonly #engine: Engine;
  readonly #matrix: CscInput;
  #factors: Factorization | Refusal | undefined;
  #solver: Solver | undefined;

  constructor(engine: Engine, matrix: CscInput) {
    this.#engine = engine;
    this.#matrix = matrix;
  }

  /** x with ‖b − A x‖ ≤ rtol ‖b‖, or as good as rounding allows; undefined if there is none, or none was found. */
  solve(b: Float64Array, rtol: number): Float64Array | undefined {
    if (this.#madeFactors() !== 'not here') return this.solveColumns(b, rtol);
    this.#solver ??= createSolver(this.#engine, this.#matrix);
    const { x, converged } = this.#solver.solve(b, { rtol });
    using _ = x;
    return converged ? (x.toArray() as Float64Array) : undefined;
  }

  /** Solves for columns, one after the other. Returns undefined also if there are no factors. */
  solveColumns(b: Float64Array, rtol: number): Float64Array | undefined {
    const factors = this.#madeFactors();
    if (typeof factors === 'string') return undefined;
    const x = factors.solve(b);
    const { relativeResidual, backwardError } = factors.lastSolve!;
    return relativeResidual <= rtol || backwardError <= ROUNDING ? x : undefined;
  }

  #madeFactors(): Factorization | Refusal {
    this.#factors ??= this.#matrix.rows <= MOST_ROWS ? this.#factor() : 'not here';
    return this.#factors;
  }

  /** Factors without replaced pivots, with which a singular matrix has factors, too. */
  #factor(): Factorization | Refusal {
    try {
      const factors = factor(this.#engine, this.#matrix);
      if (factors.explain().pivots.perturbed === 0) return factors;
      factors.dispose();
      return factor(this.#engine, this.#matrix, { method: 'lu' });
    } catch (error) {
      if (!(error instanceof SparlaneError)) throw error;
      if (error.code === 'structure') return 'singular';
      if (error.code === 'heap' || error.code === 'backend') return 'not here';
      throw error;
    }
  }

  [Symbol.dispose](): void {
    if (typeof this.#factors === 'object') this.#factors.dispose();
    this.#solver?.dispose();
  }
}
