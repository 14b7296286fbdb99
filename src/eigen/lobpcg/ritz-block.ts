/**
 * The small problem of lobpcg, on the host: the best block in the span of S = [X, W, P], whose columns are orthonormal, and the directions that
 * led there.
 *
 * Source: Knyazev 2001; the directions orthogonal to the new X by their coefficients, Hetmaniuk & Lehoucq 2006, section 4.2.
 * Cost: some 10 s³ operations for s columns of S.
 */
import { symmetricEigen } from '../dense/symmetric.js';

/** A direction that shrinks by this factor as its part in the others is taken away is left out. Chosen: sums of f64 still know it to 8 digits. */
const LEAST_PART = 1e-8;

export interface RitzBlock {
  /** The values belong to the columns of the new X, where the wanted ones come first. */
  readonly values: Float64Array;
  /** X ← S C: s × columns, row-major. */
  readonly X: Float64Array;
  /** P ← S C, as X; columns from `directions` on are 0. */
  readonly P: Float64Array;
  readonly directions: number;
  /** PᵀA P, columns × columns. */
  readonly energy: Float64Array;
}

/**
 * @param projected Sᵀ A S, of finite numbers
 * @param s columns of S
 * @param columns those of X, which are the first of S
 * @param isActive whether a column of the new X gets a direction
 */
export function ritzBlock(
  projected: Float64Array,
  s: number,
  columns: number,
  which: 'smallest' | 'largest',
  isActive: (column: number) => boolean,
): RitzBlock {
  const { values, vectors } = symmetricEigen(projected, s);
  const source = (j: number) => (which === 'smallest' ? j : s - 1 - j);
  const ritz = Array.from({ length: columns }, (_, j) => columnOf(vectors, s, source(j)));
  const found: Float64Array[] = [];
  for (const [j, column] of ritz.entries()) {
    if (!isActive(j)) continue;
    const direction = column.slice().fill(0, 0, columns);
    if (makeOrthonormal(direction, [...ritz, ...found])) found.push(direction);
  }
  const images = found.map((direction) => imageOf(projected, s, direction));
  const energy = new Float64Array(columns * columns);
  for (const [i, direction] of found.entries())
    for (const [j, image] of images.entries()) energy[i * columns + j] = dot(direction, image);
  return {
    values: Float64Array.from(ritz, (_, j) => values[source(j)]!),
    X: rowMajor(ritz, s, columns),
    P: rowMajor(found, s, columns),
    directions: found.length,
    energy: symmetrized(energy, columns),
  };
}

/** @param others orthonormal @returns whether anything is left but rounding errors */
function makeOrthonormal(vector: Float64Array, others: readonly Float64Array[]): boolean {
  const first = Math.sqrt(dot(vector, vector));
  if (first === 0) return false;
  for (let pass = 0; pass < 2; pass++)
    for (const other of others) {
      const part = dot(vector, other);
      for (let i = 0; i < vector.length; i++) vector[i]! -= part * other[i]!;
    }
  const norm = Math.sqrt(dot(vector, vector));
  if (norm <= LEAST_PART * first) return false;
  for (let i = 0; i < vector.length; i++) vector[i]! /= norm;
  return true;
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}

function imageOf(matrix: Float64Array, s: number, x: Float64Array): Float64Array {
  return Float64Array.from({ length: s }, (_, i) => dot(matrix.subarray(i * s, (i + 1) * s), x));
}

function columnOf(matrix: Float64Array, s: number, j: number): Float64Array {
  return Float64Array.from({ length: s }, (_, i) => matrix[i * s + j]!);
}

function rowMajor(vectors: readonly Float64Array[], s: number, columns: number): Float64Array {
  const matrix = new Float64Array(s * columns);
  for (const [j, vector] of vectors.entries()) for (let i = 0; i < s; i++) matrix[i * columns + j] = vector[i]!;
  return matrix;
}

function symmetrized(matrix: Float64Array, size: number): Float64Array {
  return matrix.map((value, at) => (value + matrix[(at % size) * size + Math.floor(at / size)]!) / 2);
}
