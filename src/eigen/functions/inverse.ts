/** Numbers of A⁻¹ and of det A by the factors of A, which are exact up to rounding. */
import { integer } from '../../core/checks.js';
import type { MatrixInput } from '../../core/csr.js';
import { drain } from '../../core/drain.js';
import { mismatch } from '../../core/errors.js';
import type { Engine } from '../../engine/engine.js';
import { factor } from '../../preconditioners/factor.js';
import { Factorization } from '../../preconditioners/factorization.js';
import { checkEngine } from '../operand.js';

/** Columns of the identity that are solved with at once. Chosen. */
const COLUMNS = 32;

/** Solutions of singular matrices have residuals near ‖b‖, those of others 1e-10 or less. Chosen. */
const POOR = 1e-4;

/** Calls `use` with the factors of A; those that are made here are disposed. */
function withFactors<T>(engine: Engine, A: MatrixInput | Factorization, use: (factors: Factorization) => T): T {
  checkEngine(engine);
  if (A instanceof Factorization) return use(A);
  using factors = factor(engine, A);
  return use(factors);
}

/**
 * Elements of the diagonal of A⁻¹: variances, self-energies, sensitivities.
 *
 * @param A square and regular, or its factors
 * @param places rows of the diagonal. Default: all, which takes as many solves as A has rows
 * @returns element k is (A⁻¹) at `places[k]`, `places[k]`
 * @throws as `factor`; `argument` for a place that A does not have; `structure` for an A that is singular
 *
 * @example
 * const [first, last] = inverseDiagonal(engine, A, [0, A.rows - 1]);
 */
export function inverseDiagonal(
  engine: Engine,
  A: MatrixInput | Factorization,
  places?: ArrayLike<number>,
): Float64Array {
  return withFactors(engine, A, (factors) => drain(inverseDiagonalSteps(factors, places)));
}

/** Computes `inverseDiagonal` step by step. */
export function* inverseDiagonalSteps(
  factors: Factorization,
  places: ArrayLike<number> | undefined,
): Generator<unknown, Float64Array> {
  const n = factors.rows;
  const rows = checkPlaces(places, n);
  const diagonal = new Float64Array(rows.length);
  for (let first = 0; first < rows.length; first += COLUMNS) {
    const some = rows.subarray(first, first + COLUMNS);
    const sides = new factors.vectorType(n * some.length);
    some.forEach((row, j) => {
      sides[j * n + row] = 1;
    });
    const solved = yield* factors.solveSteps(sides);
    const residual = factors.lastSolve?.relativeResidual ?? 0;
    if (!(residual <= POOR))
      throw mismatch('structure', 'A', 'a matrix that is not singular', `a residual of ${residual.toExponential(1)}`);
    some.forEach((row, j) => {
      diagonal[first + j] = solved[j * n + row]!;
    });
  }
  return diagonal;
}

function checkPlaces(places: ArrayLike<number> | undefined, rows: number): Uint32Array {
  if (places === undefined) return Uint32Array.from({ length: rows }, (_, i) => i);
  if (!(Array.isArray(places) || (ArrayBuffer.isView(places) && 'length' in places)))
    throw mismatch('argument', 'places', 'an array of row numbers', places);
  return Uint32Array.from(places, (place, k) => integer(`places[${k}]`, place, 0, Math.max(0, rows - 1)));
}

/**
 * log |det A| and the sign of det A, which itself mostly overflows: likelihoods, numbers of spanning trees.
 *
 * @param A square and regular, or its factors
 * @throws as `factor`
 */
export function logDeterminant(
  engine: Engine,
  A: MatrixInput | Factorization,
): { readonly log: number; readonly sign: number } {
  return withFactors(engine, A, (factors) => factors.logDeterminant);
}
