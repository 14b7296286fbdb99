/**
 * Reduces a small dense matrix to Hessenberg form: A Q = Q H with an orthogonal Q, and zeros in H below the first subdiagonal.
 *
 * Source: Golub & Van Loan, Matrix Computations, 2013, section 7.4.
 * Cost: some 14/3 n³ operations, Q included.
 */
import { reflectColumns, reflectorOf, reflectRows } from './reflector.js';

/** A ← H and Q ← Q P, for the P with A P = P H. Both are size × size, row-major. */
export function reduceToHessenberg(a: Float64Array, q: Float64Array, size: number): void {
  for (let k = 0; k + 2 < size; k++) {
    const reflector = reflectorOf(Float64Array.from({ length: size - k - 1 }, (_, i) => a[(k + 1 + i) * size + k]!));
    reflectRows(a, size, k + 1, reflector, k + 1, size);
    reflectColumns(a, size, k + 1, reflector, 0, size);
    reflectColumns(q, size, k + 1, reflector, 0, size);
    a[(k + 1) * size + k] = reflector.length;
    for (let i = k + 2; i < size; i++) a[i * size + k] = 0;
  }
}

export function identity(size: number): Float64Array {
  return Float64Array.from({ length: size * size }, (_, at) => (at % (size + 1) === 0 ? 1 : 0));
}
