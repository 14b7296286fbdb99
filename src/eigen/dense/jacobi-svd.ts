/**
 * All singular values and vectors of a small dense matrix, on the host: the projected problems of singular value methods.
 *
 * Source: Hestenes 1958, one-sided Jacobi; Golub & Van Loan, Matrix Computations, 2013, section 8.6.3. Small values are as accurate as the
 *   columns' scaling allows: Demmel & Veselić 1992.
 * Differs: the matrix is scaled to a greatest element of about 1 by a power of two, so that no square overflows or vanishes. Vectors of values that are
 *   0 are made orthonormal to the others.
 * Cost: some 6 sweeps of 7 m n² multiplications and additions for m × n.
 */

const EPS = Number.EPSILON;
/** Sweeps; 6 to 10 are usual. */
const MOST_SWEEPS = 60;

export interface DenseSvd {
  /** There are min(rows, cols) values, in descending order. */
  readonly values: Float64Array;
  /** Row-major, rows × values: column j belongs to values[j]. Orthonormal. */
  readonly U: Float64Array;
  /** Row-major, cols × values. Orthonormal. */
  readonly V: Float64Array;
}

/**
 * A = U Σ Vᵀ.
 *
 * @param matrix rows × cols, row-major, of finite numbers; it is not changed
 */
export function jacobiSvd(matrix: Float64Array, rows: number, cols: number): DenseSvd {
  const isWide = cols > rows;
  const [long, short] = isWide ? [cols, rows] : [rows, cols];
  const scale = scaleOf(matrix);
  const columns = Array.from({ length: short }, (_, j) =>
    Float64Array.from({ length: long }, (_, i) => scale * matrix[isWide ? j * cols + i : i * cols + j]!),
  );
  const turns = Array.from({ length: short }, (_, j) => new Float64Array(short).fill(1, j, j + 1));
  for (let sweep = 0; sweep < MOST_SWEEPS && turnPairs(columns, turns); sweep++);
  const norms = columns.map(normOf);
  const order = [...norms.keys()].sort((i, j) => norms[j]! - norms[i]!);
  const least = EPS * EPS * (norms[order[0]!] ?? 0);
  const left = order.map((j) => (norms[j]! > least ? columns[j]!.map((x) => x / norms[j]!) : new Float64Array(long)));
  completeBasis(left);
  const values = Float64Array.from(order, (j) => (norms[j]! > least ? norms[j]! / scale : 0));
  const [ofLong, ofShort] = [
    byRows(left, long),
    byRows(
      order.map((j) => turns[j]!),
      short,
    ),
  ];
  return isWide ? { values, U: ofShort, V: ofLong } : { values, U: ofLong, V: ofShort };
}

/** A power of two that, like its inverse, is an ordinary number; the greatest element times it is about 1. */
function scaleOf(matrix: Float64Array): number {
  let greatest = 0;
  for (const value of matrix) greatest = Math.max(greatest, Math.abs(value));
  if (!(greatest > 0 && greatest < Number.POSITIVE_INFINITY)) return 1;
  return 2 ** -Math.min(Math.max(Math.floor(Math.log2(greatest)), -1000), 1000);
}

/** Makes each two columns orthogonal once. @returns whether any two were not */
function turnPairs(columns: readonly Float64Array[], turns: readonly Float64Array[]): boolean {
  let hasTurned = false;
  const squares = columns.map((column) => dot(column, column));
  for (let p = 0; p < columns.length; p++)
    for (let q = p + 1; q < columns.length; q++) {
      const [a, b] = [columns[p]!, columns[q]!];
      const [alpha, beta, gamma] = [squares[p]!, squares[q]!, dot(a, b)];
      if (!(Math.abs(gamma) > EPS * Math.sqrt(alpha * beta)) || gamma === 0) continue;
      hasTurned = true;
      const zeta = (beta - alpha) / (2 * gamma);
      const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
      const cosine = 1 / Math.hypot(1, tangent);
      squares[p] = Math.max(0, alpha - tangent * gamma);
      squares[q] = beta + tangent * gamma;
      rotate(a, b, cosine, cosine * tangent);
      rotate(turns[p]!, turns[q]!, cosine, cosine * tangent);
    }
  return hasTurned;
}

function rotate(a: Float64Array, b: Float64Array, cosine: number, sine: number): void {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!];
    a[i] = cosine * x - sine * y;
    b[i] = sine * x + cosine * y;
  }
}

/** Replaces columns of zeros, which are last, by unit vectors without their parts in the columns before. */
function completeBasis(columns: readonly Float64Array[]): void {
  columns.forEach((column, j) => {
    if (normOf(column) > 0) return;
    const before = columns.slice(0, j);
    const shares = column.map((_, i) => before.reduce((sum, other) => sum + other[i]! ** 2, 0));
    // The unit vector that is least in the span.
    const row = shares.indexOf(shares.reduce((least, share) => Math.min(least, share), 2));
    column[row] = 1;
    for (let pass = 0; pass < 2; pass++)
      for (const other of before) {
        const part = dot(other, column);
        for (let i = 0; i < column.length; i++) column[i]! -= part * other[i]!;
      }
    const norm = normOf(column);
    for (let i = 0; i < column.length; i++) column[i]! /= norm;
  });
}

function byRows(columns: readonly Float64Array[], rows: number): Float64Array {
  const matrix = new Float64Array(rows * columns.length);
  columns.forEach((column, j) => {
    for (let i = 0; i < rows; i++) matrix[i * columns.length + j] = column[i]!;
  });
  return matrix;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function normOf(a: Float64Array): number {
  return Math.sqrt(dot(a, a));
}
