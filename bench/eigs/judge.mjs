/** What the pairs and triplets of a contender are worth: residuals by products of this file alone, and which values are missing. */

/** Beside ‖A‖ + |λ| ‖B‖, a value counts as at least this large, as `eigs` has it: a residual relative to a value of 0 means nothing. */
export const LEAST_VALUE = 1e-4;
/** Vectors whose products with each other differ by more from those of orthonormal ones are not so many different vectors. */
const NOT_ORTHOGONAL = 1e-4;
/** Values that differ by more, of the greater of both and of the least value, are different ones. */
const DIFFERENT = 1e-6;
/** A residual of so many times the tolerance is still accepted. */
const SLACK = 10;

/**
 * @param problem `{ matrix, B, norms, isSingularValues }`
 * @param found `{ values, vectors }` or `{ values, U, V }`: vectors one after the other; values that are NaN were not found
 * @returns `{ values, residual, residuals, orthogonality, least }`: relative residuals, the worst of them, and the least absolute one for which the relative one
 *   would be 1, for vectors of norm 1 (xᵀ B x = 1)
 */
export function measure(problem, found) {
  const pairs = problem.isSingularValues ? tripletsOf(problem, found) : pairsOf(problem, found);
  const residuals = pairs.map(({ norm, size }) => norm / size);
  return {
    values: pairs.map(({ value }) => value),
    residuals,
    residual: worst(residuals),
    orthogonality: orthogonality(pairs),
    least: pairs.reduce((least, { size, norm2 }) => Math.min(least, size / norm2), Infinity),
  };
}

function worst(numbers) {
  return numbers.reduce((most, number) => (number > most || Number.isNaN(number) ? number : most), 0);
}

function pairsOf({ matrix, B, norms }, { values, vectors }) {
  return present(values).map(({ value, j }) => {
    const x = vectors.subarray(j * matrix.rows, (j + 1) * matrix.rows);
    const Bx = B === undefined ? x : multiply(B, x);
    const r = multiply(matrix, x);
    for (let i = 0; i < r.length; i++) r[i] -= value * Bx[i];
    const magnitude = Math.abs(value);
    const least = LEAST_VALUE * (norms.A + magnitude * norms.B) * norm(x);
    return { value, norm: norm(r), size: Math.max(magnitude * norm(Bx), least), norm2: Math.sqrt(dot(x, Bx)), x, Bx };
  });
}

function tripletsOf({ matrix, norms }, { values, U, V }) {
  const { rows, cols } = matrix;
  return present(values).map(({ value, j }) => {
    const u = U.subarray(j * rows, (j + 1) * rows);
    const v = V.subarray(j * cols, (j + 1) * cols);
    const [left, right] = [multiply(matrix, v), multiplyTransposed(matrix, u)];
    for (let i = 0; i < rows; i++) left[i] -= value * u[i];
    for (let i = 0; i < cols; i++) right[i] -= value * v[i];
    const size = Math.max(Math.abs(value), LEAST_VALUE * norms.A);
    return { value, norm: Math.max(norm(left), norm(right)), size, norm2: 1, x: v, Bx: v };
  });
}

function present(values) {
  return Array.from(values, (value, j) => ({ value, j })).filter(({ value }) => Number.isFinite(value));
}

/** The greatest |xᵢᵀ B xⱼ| of two different vectors of norm 1. */
function orthogonality(pairs) {
  let greatest = 0;
  for (const [i, { Bx, norm2 }] of pairs.entries())
    for (const other of pairs.slice(0, i))
      greatest = Math.max(greatest, Math.abs(dot(other.x, Bx)) / (norm2 * other.norm2));
  return greatest;
}

/**
 * The values that there are, as far as a contender has found them: the j-th smallest of any k orthogonal eigenvectors is at least the j-th of all, so the least of all contenders counts.
 *
 * @param lines of one problem, each `{ values, residuals, orthogonality, rtol }`. @returns ascending, or descending for `largest`
 */
export function referenceOf(lines, { which, isSingularValues, k }) {
  const isDescending = isSingularValues || which === 'largest';
  const lists = lines
    .filter((line) => line.unfinished === undefined && line.orthogonality <= NOT_ORTHOGONAL)
    .map((line) => accurate(line, isDescending));
  return Array.from({ length: k }, (_, j) =>
    lists.reduce((best, list) => {
      const value = list[j];
      return value === undefined || (isDescending ? best > value : best < value) ? best : value;
    }, undefined),
  ).filter((value) => value !== undefined);
}

/** The values of a line whose residuals are small, in order. */
function accurate({ values, residuals, rtol }, isDescending) {
  const kept = values.filter((_, j) => residuals[j] <= SLACK * rtol).sort((a, b) => a - b);
  return isDescending ? kept.reverse() : kept;
}

/** @param floor what a value counts as at least. @returns how many of the reference are not among the values of a line with small residuals */
export function missedBy(line, reference, floor) {
  if (line.orthogonality > NOT_ORTHOGONAL) return reference.length;
  const isDescending = reference[0] > reference.at(-1);
  const own = accurate(line, isDescending);
  let [found, at] = [0, 0];
  for (const value of reference) {
    const limit = DIFFERENT * Math.max(Math.abs(value), floor);
    while (at < own.length && (isDescending ? own[at] > value + limit : own[at] < value - limit)) at++;
    if (at < own.length && Math.abs(own[at] - value) <= limit) {
      found++;
      at++;
    }
  }
  return reference.length - found;
}

/** What a value counts as at least, for a problem. */
export function leastValue({ norms }) {
  return (LEAST_VALUE * norms.A) / norms.B;
}

function multiply({ rows, rowPtr, colIdx, values }, x) {
  const y = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let e = rowPtr[i]; e < rowPtr[i + 1]; e++) sum += values[e] * x[colIdx[e]];
    y[i] = sum;
  }
  return y;
}

function multiplyTransposed({ rows, cols, rowPtr, colIdx, values }, x) {
  const y = new Float64Array(cols);
  for (let i = 0; i < rows; i++) for (let e = rowPtr[i]; e < rowPtr[i + 1]; e++) y[colIdx[e]] += values[e] * x[i];
  return y;
}

function dot(x, y) {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

function norm(x) {
  return Math.sqrt(dot(x, x));
}
