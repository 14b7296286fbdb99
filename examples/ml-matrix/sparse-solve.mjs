/**
 * `solve` of ml-matrix for matrices in which few entries differ from 0: by the factors of sparlane where they pay, and by the LU of ml-matrix elsewhere.
 */
import { factor, SparlaneError } from 'sparlane';

/**
 * Smaller matrices are left to ml-matrix. From here on factors take some half of its CPU time or less: of 5-point grids and of random matrices with a tenth of
 * their entries. With 64 and 75 rows they took as long (Node 20, an AMD EPYC with other work).
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
  return (A, B, useSVD = false) => {
    if (typeof A.getNonZeros === 'function') {
      const { rows: rowIdx, columns: colIdx, values } = A.getNonZeros();
      const entries = { rows: A.rows, cols: A.columns, rowIdx, colIdx, values };
      return (!useSVD && solution(engine, Matrix, entries, B)) || solve(new Matrix(A.to2DArray()), B, useSVD);
    }
    const entries = useSVD ? undefined : entriesOf(A, minRows, maxDensity);
    return (entries && solution(engine, Matrix, entries, B)) || solve(A, B, useSVD);
  };
}

/** Compressed rows of a square matrix, or undefined for one that is left to ml-matrix. */
function entriesOf(A, minRows, maxDensity) {
  const data = Array.isArray(A) ? A : (A.data ?? A.to2DArray());
  const { length: rows } = data;
  if (rows < minRows || rows !== data[0]?.length) return undefined;
  const [rowPtr, colIdx, values] = [[0], [], []];
  for (const row of data) {
    for (let j = 0; j < rows; j++)
      if (row[j] !== 0) {
        colIdx.push(j);
        values.push(row[j]);
      }
    if (values.length > maxDensity * rows * rows) return undefined;
    rowPtr.push(values.length);
  }
  return { rows, cols: rows, rowPtr, colIdx, values };
}

/** X of A X = B, or undefined where A is singular, not square, not of numbers, or not of the size of B. */
function solution(engine, Matrix, entries, B) {
  const right = new Matrix(B);
  if (right.rows !== entries.rows || right.columns === 0) return undefined;
  let factors;
  try {
    factors = factor(engine, entries);
  } catch (error) {
    if (error instanceof SparlaneError) return undefined;
    throw error;
  }
  const block = engine.vector(right);
  const found = factors.solve(block);
  const isSingular = factors.explain().pivots.perturbed > 0;
  const X = isSingular ? undefined : found.copyTo(new Matrix(right.rows, right.columns));
  for (const held of [factors, block, found]) held.dispose();
  return X;
}
