/**
 * The real Schur form of a small dense matrix: A Z = Z T with an orthogonal Z and a quasi-triangular T, whose diagonal blocks are real
 * eigenvalues, or standard 2 × 2 blocks of complex pairs (`standard-block.ts`).
 *
 * Source: Francis 1961; Golub & Van Loan, Matrix Computations, 2013, section 7.5. Exceptional shifts as in EISPACK's hqr.
 * Differs: the matrix is scaled by a power of two first, so that no square overflows.
 * For: matrices of some hundred rows at most, such as those of Krylov methods.
 * Cost: some 25 n³ operations.
 */
import { SparlaneError } from '../../core/errors.js';
import { identity, reduceToHessenberg } from './hessenberg.js';
import { reflectColumns, reflectorOf, reflectRows } from './reflector.js';
import { standardize } from './standard-block.js';

/** T and Z, both size × size and row-major. */
export interface Schur {
  readonly size: number;
  readonly T: Float64Array;
  readonly Z: Float64Array;
}

/** Steps for one eigenvalue; two or three are usual. Chosen: LAPACK's dlahqr allows 30 on average. */
const MOST_STEPS = 300;
/** Without an eigenvalue after so many steps, a shift breaks symmetries that keep the iteration where it is, as in hqr. */
const EXCEPTIONAL_EVERY = 10;

/**
 * @param matrix size × size, row-major; not changed
 * @throws SparlaneError `argument` for numbers that are not finite, or if the iteration finds no eigenvalue: no such matrix is known
 */
export function realSchur(matrix: Float64Array, size: number): Schur {
  const largest = matrix.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!Number.isFinite(largest)) throw new SparlaneError('argument', 'matrix: expected finite numbers, got others');
  const exponent = largest > 0 ? Math.floor(Math.log2(largest)) : 0;
  // In two steps, because 2 ** 1074 is infinite.
  const half = 2 ** Math.trunc(exponent / 2);
  const rest = 2 ** (exponent - Math.trunc(exponent / 2));
  const T = matrix.map((value) => value / half / rest);
  const Z = identity(size);
  reduceToHessenberg(T, Z, size);
  for (let high = size - 1; high >= 0; ) high = deflate(T, Z, size, high);
  return { size, T: T.map((value) => value * half * rest), Z };
}

/** Iterates until the last eigenvalue, or pair, of the leading `high` + 1 rows stands alone. @returns the last row above it */
function deflate(T: Float64Array, Z: Float64Array, size: number, high: number): number {
  for (let steps = 1; ; steps++) {
    const low = startOfBlock(T, size, high);
    if (low === high) return high - 1;
    if (low === high - 1) {
      standardize(T, Z, size, low);
      return high - 2;
    }
    if (steps > MOST_STEPS)
      throw new SparlaneError('argument', 'matrix: expected one whose eigenvalues converge, got another');
    advance(T, Z, size, low, high, steps % EXCEPTIONAL_EVERY === 0);
  }
}

/** The first row of the block that ends with row `high`: above it, the element beside the diagonal is negligible and becomes 0. */
function startOfBlock(T: Float64Array, size: number, high: number): number {
  for (let k = high; k > 0; k--) {
    const at = k * size + k;
    const beside = Math.abs(T[at]!) + Math.abs(T[at - size - 1]!);
    // The largest element of T is about 1.
    if (Math.abs(T[at - 1]!) > Number.EPSILON * Math.max(beside, Number.EPSILON)) continue;
    T[at - 1] = 0;
    return k;
  }
  return 0;
}

/** A step of the double-shift QR iteration in rows `low` to `high`. */
function advance(T: Float64Array, Z: Float64Array, size: number, low: number, high: number, isExceptional: boolean) {
  for (let k = low; k < high; k++) {
    const rows = Math.min(3, high - k + 1);
    const column = k === low ? firstColumn(T, size, low, high, isExceptional) : below(T, size, k, rows);
    const reflector = reflectorOf(column);
    reflectRows(T, size, k, reflector, Math.max(low, k - 1), size);
    reflectColumns(T, size, k, reflector, 0, Math.min(high, k + 3) + 1);
    reflectColumns(Z, size, k, reflector, 0, size);
    if (k === low) continue;
    T[k * size + k - 1] = reflector.length;
    for (let i = 1; i < rows; i++) T[(k + i) * size + k - 1] = 0;
  }
}

/** The elements of column k − 1 from row k on. */
function below(T: Float64Array, size: number, k: number, rows: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => T[(k + i) * size + k - 1]!);
}

/** The first column of (T − σ₁)(T − σ₂), in the direction of which the step begins; σ are the eigenvalues of the last two rows. */
function firstColumn(T: Float64Array, size: number, low: number, high: number, isExceptional: boolean): number[] {
  const at = (i: number, j: number) => T[i * size + j]!;
  let [last, before, product] = [at(high, high), at(high - 1, high - 1), at(high, high - 1) * at(high - 1, high)];
  if (isExceptional) {
    const beside = Math.abs(at(high, high - 1)) + Math.abs(at(high - 1, high - 2));
    last += 0.75 * beside;
    before = last;
    product = -0.4375 * beside * beside;
  }
  const first = at(low, low);
  const column = [
    ((last - first) * (before - first) - product) / at(low + 1, low) + at(low, low + 1),
    at(low + 1, low + 1) - first - (last - first) - (before - first),
    at(low + 2, low + 1),
  ];
  // The quotient may be large beside the others.
  const largest = Math.max(...column.map(Math.abs));
  return column.map((value) => value / largest);
}
