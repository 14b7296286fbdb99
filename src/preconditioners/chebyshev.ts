/**
 * A Chebyshev polynomial: z is what `degree` + 1 steps of the Chebyshev iteration with the diagonal make of A z = r, from z = 0.
 *
 * Source: Saad 2003, algorithm 12.1; Adams, Brezina, Hu & Tuminaro 2003 (the interval).
 * Differs: the interval is [λ / ratio, λ] for a bound λ of the eigenvalues of D⁻¹ A (`spectrum.ts`). Smaller eigenvalues stay smaller than
 *   1, so M is positive definite.
 * For: symmetric positive definite matrices on many threads or a device; a smoother of multigrid. It has no dot products, so what it saves in
 *   iterations is saved in waits.
 * Cost: `degree` products with A, and a copy of A.
 */
import type { CsrMatrix } from '../core/csr.js';
import { SparlaneError } from '../core/errors.js';
import { assemble, type Owned } from '../core/owned.js';
import type { ParameterValues } from '../core/parameters.js';
import type { FloatArray } from '../core/types.js';
import { Vector } from '../memory/vector.js';
import type { Engine } from '../operators/engine.js';
import { ChangingOperator, ComposedPreconditioner } from './composed.js';
import { diagonalPlaces, invertibleDiagonal } from './diagonal.js';
import type { PreconditionerKind, PreconditionerReport, Preparation } from './preconditioner.js';
import { largestEigenvalue } from './spectrum.js';

export const CHEBYSHEV: PreconditionerKind = {
  name: 'chebyshev',
  summary: 'a polynomial in D⁻¹ A',
  source: 'Saad 2003, algorithm 12.1',
  suits: 'symmetric positive definite matrices on many threads or a device',
  parameters: {
    degree: { kind: 'integer', default: 4, min: 1, max: 100, doc: 'products with A' },
    ratio: {
      kind: 'number',
      default: 100,
      min: 1.01,
      max: 1e9,
      doc: 'the largest eigenvalue of the interval by the smallest',
    },
  },
  matrices: 'definite',
  isSymmetric: true,
  prepare: (engine, preparation, values) => assemble((owned) => new Chebyshev(engine, preparation, values, owned)),
};

class Chebyshev extends ComposedPreconditioner {
  readonly #matrix: CsrMatrix;
  readonly #places: Uint32Array;
  readonly #degree: number;
  readonly #ratio: number;
  readonly #a: ChangingOperator;
  /** 1 / D */
  readonly #inverse: Vector;
  readonly #residual: Vector;
  readonly #direction: Vector;
  readonly #scaled: Vector;
  #largest: number;

  constructor(engine: Engine, preparation: Preparation, { degree, ratio }: ParameterValues, owned: Owned) {
    const { matrix, dtype } = preparation;
    const places = diagonalPlaces(matrix);
    const diagonal = positiveDiagonal(places, matrix.values);
    const largest = largestEigenvalue(matrix, matrix.values, diagonal);
    if (!Number.isFinite(largest)) throw notFinite(matrix.values);
    const a = owned.own(new ChangingOperator(engine, matrix, dtype));
    const { vectorType } = a.operator;
    const vector = () => owned.own(new Vector(engine.space, vectorType, matrix.rows));
    const [inverse, residual, direction, scaled] = [vector(), vector(), vector(), vector()];
    super(engine.space, preparation, true);
    this.#matrix = matrix;
    this.#places = places;
    this.#degree = degree as number;
    this.#ratio = ratio as number;
    this.#a = a;
    this.#inverse = inverse.set(diagonal.map((value) => 1 / value));
    this.#residual = residual;
    this.#direction = direction;
    this.#scaled = scaled;
    this.#largest = largest;
  }

  /** The middle of the interval, and half its length. */
  get #interval(): { readonly theta: number; readonly delta: number } {
    const [low, high] = this.#bounds;
    return { theta: (high + low) / 2, delta: (high - low) / 2 };
  }

  get #bounds(): readonly [number, number] {
    return [this.#largest / this.#ratio, this.#largest];
  }

  protected override compute(r: Vector, z: Vector): void {
    const { theta, delta } = this.#interval;
    const sigma = theta / delta;
    const [inverse, residual, d, scaled] = [this.#inverse, this.#residual, this.#direction, this.#scaled];
    residual.copyFrom(r);
    d.multiply(inverse, residual);
    d.scale(1 / theta);
    z.copyFrom(d);
    for (let step = 0, rho = 1 / sigma; step < this.#degree; step++) {
      const next = 1 / (2 * sigma - rho);
      this.#a.operator.apply(d, residual, -1, 1);
      scaled.multiply(inverse, residual);
      d.axpby((2 * next) / delta, scaled, next * rho);
      z.axpy(1, d);
      rho = next;
    }
  }

  protected override refill(values: FloatArray): void {
    const diagonal = positiveDiagonal(this.#places, values);
    const largest = largestEigenvalue(this.#matrix, values, diagonal);
    if (!Number.isFinite(largest)) throw notFinite(values);
    this.#a.refill(values);
    this.#inverse.set(diagonal.map((value) => 1 / value));
    this.#largest = largest;
  }

  override get bytes(): number {
    return this.#a.bytes + 4 * this.#inverse.byteLength;
  }

  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    return { spec, rows, entries: this.#a.operator.nnz, bounds: this.#bounds, bytes, setupMs };
  }

  protected override release(): void {
    super.release();
    this.#a[Symbol.dispose]();
    for (const vector of [this.#inverse, this.#residual, this.#direction, this.#scaled]) vector.dispose();
  }
}

/** @throws SparlaneError `structure` for a diagonal that is not positive */
function positiveDiagonal(places: Uint32Array, values: FloatArray): Float64Array {
  const diagonal = invertibleDiagonal('matrix', places, values);
  const row = diagonal.findIndex((value) => value < 0);
  if (row < 0) return diagonal;
  const text = `matrix: expected a positive diagonal, got ${diagonal[row]} in row ${row}`;
  throw new SparlaneError('structure', text, { row });
}

function notFinite(values: FloatArray): SparlaneError {
  const entry = values.findIndex((value) => !Number.isFinite(value));
  return new SparlaneError('structure', `matrix: expected finite numbers, got ${values[entry]} as entry ${entry}`, {
    entry,
  });
}
