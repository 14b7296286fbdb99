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
import { diagonalPlaces } from '../algebra/diagonal.js';
import { normsOf } from '../algebra/rows.js';
import type { CsrMatrix } from '../core/csr.js';
import type { FloatArray } from '../core/types.js';
import type { Vector } from '../memory/vector.js';
import type { LinearOperator } from '../operators/operator.js';
import { type Composition, compose, type Parts } from './composed.js';
import { notFinite, reciprocalPositiveDiagonal } from './diagonal.js';
import { largestEigenvalue } from './largest-eigenvalue.js';
import type { PreconditionerKind } from './preconditioner.js';

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
  prepare: (engine, preparation, { degree, ratio }) =>
    compose(engine, preparation, true, (parts) =>
      chebyshev(preparation.matrix, degree as number, ratio as number, parts),
    ),
};

function chebyshev(matrix: CsrMatrix, degree: number, ratio: number, parts: Parts): Composition {
  const places = diagonalPlaces(matrix);
  const a = parts.operator(matrix);
  const [inverse, residual, d, scaled] = parts.vectors(4) as [Vector, Vector, Vector, Vector];
  let bounds: readonly [number, number];
  const setDiagonal = (values: FloatArray) => {
    const factors = reciprocalPositiveDiagonal(places, values);
    const largest = largestEigenvalue(a.operator, factors, normsOf({ ...matrix, values }, 'rows', 'one'));
    if (!Number.isFinite(largest)) throw notFinite(values);
    inverse.set(factors);
    bounds = [largest / ratio, largest];
  };
  setDiagonal(matrix.values);
  return {
    compute(r, z) {
      chebyshevIteration({ A: a.operator, inverse, degree, bounds, work: [residual, d, scaled] }, r, z);
    },
    refill(values) {
      a.refill(values);
      setDiagonal(values);
    },
    entries: a.operator.nnz,
    report: () => ({ bounds }),
  };
}

/** What the iteration uses. */
export interface ChebyshevIteration {
  readonly A: LinearOperator;
  /** 1 by the diagonal of A. */
  readonly inverse: Vector;
  readonly degree: number;
  /** The interval of eigenvalues. */
  readonly bounds: readonly [number, number];
  readonly work: readonly [residual: Vector, d: Vector, scaled: Vector];
}

/** z ← what `degree` + 1 steps make of A z = r, from z = 0. */
export function chebyshevIteration(
  { A, inverse, degree, bounds: [low, high], work: [residual, d, scaled] }: ChebyshevIteration,
  r: Vector,
  z: Vector,
): void {
  const [theta, delta] = [(high + low) / 2, (high - low) / 2];
  const sigma = theta / delta;
  residual.copyFrom(r);
  d.multiply(inverse, residual);
  d.scale(1 / theta);
  z.copyFrom(d);
  for (let step = 0, rho = 1 / sigma; step < degree; step++) {
    const next = 1 / (2 * sigma - rho);
    A.apply(d, residual, -1, 1);
    scaled.multiply(inverse, residual);
    d.axpby((2 * next) / delta, scaled, next * rho);
    z.axpy(1, d);
    rho = next;
  }
}
