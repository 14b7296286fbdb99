/** `eigs` of symmetric sparse matrices: all eigenvalues and eigenvectors. */
import type { Matrix } from 'mathjs';
import { type CsrMatrix, type EigenSolution, type Engine, eigs, SparlaneError, transposeMatrix } from 'sparlane';
import { finiteNumbers } from './kept-matrices.js';
import { type Link, squareArrays } from './link.js';
import { appended, denseOf, type SparseArrays } from './matrices.js';

/** Options of mathjs. Other keys are none that are known here. */
interface Wish {
  readonly eigenvectors?: unknown;
  readonly precision?: unknown;
}
const KEYS: readonly string[] = ['eigenvectors', 'precision'] satisfies (keyof Wish)[];

/**
 * All eigenvalues, ordered by their moduli, and orthonormal eigenvectors, in the shape that mathjs gives them.
 *
 * @param precision of mathjs's iteration: no matter here, residuals are smaller
 * @returns undefined where mathjs is to find them: A is not symmetric, a residual is above `rtol`, vectors do not fit, or an option is not known
 */
export function eigenpairs(link: Link, a: Matrix, precisionOrWish: number | Wish = {}): unknown {
  const wish = typeof precisionOrWish === 'number' ? { precision: precisionOrWish } : precisionOrWish;
  const { eigenvectors: withVectors = true, precision = 0 } = wish;
  if (typeof precision !== 'number' || !Object.keys(wish).every((key) => KEYS.includes(key))) return undefined;
  const arrays = squareArrays(link, a);
  const pairs = arrays && arrays.size[0] > 0 && symmetricPairs(link, arrays);
  if (!pairs) return undefined;
  const dense = (data: number[]) => denseOf(link.math, { data, size: [data.length] });
  const values = dense(pairs.map(({ value }) => value));
  if (!withVectors) return { values };
  const eigenvectors = pairs.map(({ value, vector }) => ({ value, vector: dense(vector) }));
  return Object.defineProperty({ values, eigenvectors }, 'vectors', { enumerable: false, get: refuseVectors });
}

/** Throws the error that mathjs throws. */
function refuseVectors(): never {
  throw new Error('eigs(M).vectors replaced with eigs(M).eigenvectors');
}

interface Pair {
  readonly value: number;
  readonly vector: number[];
}

/** The pairs of a symmetric matrix of finite numbers, and undefined for any other one. */
function symmetricPairs({ engine, rtol }: Link, { size, ptr, index, values }: SparseArrays): Pair[] | undefined {
  const numbers = finiteNumbers(values);
  if (numbers === undefined) return undefined;
  const [rows] = size;
  // Compressed columns are the rows of the transpose; transposing sorts them.
  const matrix = transposeMatrix({ rows, cols: rows, rowPtr: ptr, colIdx: index, values: numbers });
  if (!areSame(matrix, transposeMatrix(matrix))) return undefined;
  const solution = allOf(engine, matrix, rtol);
  if (solution === undefined) return undefined;
  const { converged, values: found, vectors } = solution;
  using _ = vectors;
  if (converged < rows) return undefined;
  const columns = vectors.toArray({ order: 'column' });
  const pairs = Array.from(found, (value, j) => ({
    value,
    vector: appended([], columns.subarray(j * rows, (j + 1) * rows)),
  }));
  return pairs.sort((one, other) => Math.abs(one.value) - Math.abs(other.value));
}

/** @returns undefined if the vectors do not fit */
function allOf(engine: Engine, matrix: CsrMatrix, tolerance: number): EigenSolution | undefined {
  try {
    return eigs(engine, matrix, matrix.rows, { which: 'largest', tolerance });
  } catch (error) {
    if (error instanceof SparlaneError && error.code === 'heap') return undefined;
    throw error;
  }
}

function areSame(one: CsrMatrix, other: CsrMatrix): boolean {
  return (
    one.values.length === other.values.length &&
    one.rowPtr.every((value, i) => value === other.rowPtr[i]) &&
    one.colIdx.every((value, k) => value === other.colIdx[k]) &&
    one.values.every((value, k) => value === other.values[k])
  );
}
