/**
 * The functions that FEAScript calls of the global `math`, which is mathjs: `sparse`, `slu` and `lusolve`, by the factors of sparlane. FEAScript itself is not
 * changed.
 */
import { factor, SparlaneError } from 'sparlane';

/** Returns the rows of a matrix that is solved with once. */
class Rows {
  constructor(rows) {
    this.rows = rows;
  }
}

/**
 * Returns mathjs with `sparse`, `slu` and `lusolve` for the arrays of rows that FEAScript assembles. What sparlane refuses, such as a singular matrix, is
 * solved, or refused, by mathjs.
 *
 * @param engine on the CPU
 * @param math mathjs
 */
export function fastMath(engine, math) {
  return {
    ...math,
    sparse: (rows) => (Array.isArray(rows) ? new Rows(rows) : math.sparse(rows)),
    slu: (matrix, ...options) => (matrix instanceof Rows ? matrix : math.slu(matrix, ...options)),
    lusolve: (matrix, b) =>
      matrix instanceof Rows
        ? (solution(engine, matrix.rows, b) ?? math.lusolve(math.slu(math.sparse(matrix.rows), 1, 1), b))
        : math.lusolve(matrix, b),
  };
}

/** Returns x of A x = b, or undefined for a singular matrix. */
function solution(engine, rows, b) {
  let factors;
  try {
    factors = factor(engine, rows);
    const x = factors.solve(Float64Array.from(b));
    return factors.explain().pivots.perturbed > 0 ? undefined : Array.from(x);
  } catch (error) {
    if (error instanceof SparlaneError) return undefined;
    throw error;
  } finally {
    factors?.dispose();
  }
}
