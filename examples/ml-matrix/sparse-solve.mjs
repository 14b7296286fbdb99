/**
 * `solve` of ml-matrix for matrices in which few entries differ from 0: by the factors of sparlane where they pay, and by the LU of ml-matrix elsewhere.
 */
import { factor, SparlaneError } from 'sparlane';

/**
 * Smaller matrices are left to ml-matrix. From here on factors take 0.4 of its CPU time or less for 5-point grids, and 0.6 for random matrices with a tenth of
 * their entries. With 64 and 75 rows they took 0.5 to 1.1 of it (Node 20, an Intel Xeon with other work).
 */
const MIN_ROWS = 100;
/** Matrices with a greater share of entries other than 0 are left to ml-matrix. Factors of random ones with this share took 0.4 of its time at 400 rows. */
const MAX_DENSITY = 0.1;

/**
 * Returns a function with the arguments and the results of `solve` of ml-matrix. A may also be a SparseMatrix of ml-sparse-matrix. What sparlane refuses,
 * such as a singular matrix, is left to ml-matrix, also for its error.
 *
 * @param engine on the CPU
 * @param library ml-matrix: `{ Matrix, solve }`
 * @param limits `minRows`, `maxDensity`: which matrices sparlane solves
 */
export function sparseSolve(engine, { Matrix, solve }, { minRows = MIN_ROWS, maxDensity = MAX_DENSITY } = {}) {
  const byFactors = (matrix, B) => solution(engine, matrix, new Matrix(B), Matrix);
  return (A, B, useSVD = false) => {
    if (typeof A.getNonZeros === 'function') {
      const { rows: rowIdx, columns: colIdx, values } = A.getNonZeros();
      const entries = { rows: A.rows, cols: A.columns, rowIdx, colIdx, values };
      return (!useSVD && byFactors(entries, B)) || solve(new Matrix(A.to2DArray()), B, useSVD);
    }
    const rows = Array.isArray(A) ? A : (A.data ?? A.to2DArray());
    const isSparse = !useSVD && rows.length >= minRows && hasFewEntries(rows, maxDensity);
    return (isSparse && byFactors(rows, B)) || solve(A, B, useSVD);
  };
}

function hasFewEntries(rows, maxDensity) {
  let left = maxDensity * rows.length * rows[0].length;
  return rows.every((row) => {
    for (let j = 0; j < row.length; j++) if (row[j] !== 0) left--;
    return left >= 0;
  });
}

/** Returns X of A X = B, or undefined where A is singular, not square, not of numbers, or not of the size of B. */
function solution(engine, matrix, B, Matrix) {
  const held = [];
  try {
    const factors = factor(engine, matrix);
    held.push(factors);
    const block = engine.vector(B);
    held.push(block);
    const found = factors.solve(block);
    held.push(found);
    const isSingular = factors.explain().pivots.perturbed > 0;
    return isSingular ? undefined : found.copyTo(new Matrix(B.rows, B.columns));
  } catch (error) {
    if (error instanceof SparlaneError) return undefined;
    throw error;
  } finally {
    for (const one of held) one.dispose();
  }
}
