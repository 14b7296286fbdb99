/**
 * All eigenvalues and eigenvectors of a small dense symmetric matrix, on the host: the projected problems of eigenvalue methods, and
 * matrices that are small themselves.
 *
 * Source: Golub & Van Loan, Matrix Computations, 2013: algorithm 8.3.1 (Householder tridiagonalization), section 8.3.5 (implicit shifts, by
 *   Wilkinson 1968), here as QL, which begins at the top.
 * Differs: the matrix is scaled to a greatest element of about 1 by a power of two, so that no square overflows or vanishes. Vectors are rows while
 *   rotations run, which are then contiguous.
 * Cost: about 4/3 n³ multiplications and additions for the tridiagonal matrix, 4/3 n³ for its basis and some 3 n³ for rotations; 8 n² bytes twice.
 */

const EPS = Number.EPSILON;

/** Steps of QL for one eigenvalue. Two are usual; with finite numbers the method converges always (Wilkinson 1968). */
const MAX_STEPS = 100;

export interface SymmetricEigen {
  /** The eigenvalues are in ascending order. */
  readonly values: Float64Array;
  /** Row-major: column j belongs to values[j]. Orthonormal. */
  readonly vectors: Float64Array;
}

/**
 * A = X Λ Xᵀ.
 *
 * @param matrix size × size, row-major, symmetric, of finite numbers; it is not changed
 */
export function symmetricEigen(matrix: Float64Array, size: number): SymmetricEigen {
  const scale = scaleOf(matrix);
  const work = matrix.map((value) => value * scale);
  const { diagonal, beside, rows } = tridiagonalize(work, size);
  diagonalize(diagonal, beside, rows);
  return ascending(diagonal, rows, scale);
}

/** A power of two that, like its inverse, is an ordinary number; the greatest element times it is about 1. */
function scaleOf(matrix: Float64Array): number {
  let greatest = 0;
  for (const value of matrix) greatest = Math.max(greatest, Math.abs(value));
  if (!(greatest > 0 && greatest < Number.POSITIVE_INFINITY)) return 1;
  return 2 ** -Math.min(Math.max(Math.floor(Math.log2(greatest)), -1000), 1000);
}

/**
 * All eigenvalues, and the last `count` elements of each eigenvector: what estimates of residuals in a Krylov space need. It costs about 4/3 n³ operations, a
 * quarter of those with whole vectors.
 *
 * @param matrix as of `symmetricEigen`
 * @returns values in ascending order; element (i, j) of `vectors`, row-major, count × size, belongs to values[j]
 */
export function symmetricEnds(matrix: Float64Array, size: number, count: number): SymmetricEigen {
  const scale = scaleOf(matrix);
  const work = matrix.map((value) => value * scale);
  const { diagonal, beside, betas } = reduce(work, size);
  const ends = Array.from({ length: count }, (_, i) => endRow(work, size, betas, size - count + i));
  const rows = Array.from({ length: size }, (_, j) => Float64Array.from(ends, (end) => end[j]!));
  diagonalize(diagonal, beside, rows);
  return ascending(diagonal, rows, scale, count);
}

interface Tridiagonal {
  readonly diagonal: Float64Array;
  /** Element i is beside elements i and i + 1 of the diagonal; the last one is 0. */
  readonly beside: Float64Array;
  /** Row j is column j of Q in A = Q T Qᵀ. */
  readonly rows: readonly Float64Array[];
}

function tridiagonalize(A: Float64Array, n: number): Tridiagonal {
  const { betas, ...tridiagonal } = reduce(A, n);
  return { ...tridiagonal, rows: basisOf(A, n, betas) };
}

/** Overwrites A. Reflector k, I − β v vᵀ, clears column k beneath the element beside the diagonal; v stays in row k. */
function reduce(A: Float64Array, n: number): Omit<Tridiagonal, 'rows'> & { readonly betas: Float64Array } {
  const betas = new Float64Array(n);
  const [diagonal, beside, p] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (let k = 0; k < n - 1; k++) {
    const v = A.subarray(k * n, (k + 1) * n);
    diagonal[k] = v[k]!;
    const reflector = reflect(v, k + 1);
    beside[k] = reflector.norm;
    betas[k] = reflector.beta;
    if (reflector.beta !== 0) applyTwice(A, n, k + 1, v, reflector.beta, p);
  }
  if (n > 0) diagonal[n - 1] = A[n * n - 1]!;
  return { diagonal, beside, betas };
}

/** Replaces elements `begin` … of a row by the v of the reflector that maps them to (norm, 0 … 0). */
function reflect(row: Float64Array, begin: number): { readonly norm: number; readonly beta: number } {
  let rest = 0;
  for (let i = begin + 1; i < row.length; i++) rest += row[i]! * row[i]!;
  const first = row[begin]!;
  if (rest === 0) return { norm: first, beta: 0 };
  const norm = Math.sqrt(first * first + rest);
  const signed = first > 0 ? -norm : norm;
  row[begin] = first - signed;
  return { norm: signed, beta: 2 / (row[begin]! * row[begin]! + rest) };
}

/** The block of A from `begin` on ← H A H = A − v wᵀ − w vᵀ, with w = p − ½ β (pᵀ v) v and p = β A v. */
function applyTwice(A: Float64Array, n: number, begin: number, v: Float64Array, beta: number, p: Float64Array): void {
  let product = 0;
  for (let i = begin; i < n; i++) {
    const at = i * n;
    let sum = 0;
    for (let j = begin; j < n; j++) sum += A[at + j]! * v[j]!;
    p[i] = beta * sum;
    product += p[i]! * v[i]!;
  }
  const half = (beta * product) / 2;
  for (let i = begin; i < n; i++) p[i]! -= half * v[i]!;
  for (let i = begin; i < n; i++) {
    const at = i * n;
    const [vi, wi] = [v[i]!, p[i]!];
    for (let j = begin; j < n; j++) A[at + j]! -= vi * p[j]! + wi * v[j]!;
  }
}

/** Qᵀ, row by row: the reflectors from the last one on, each of which changes only what those after it have filled. */
function basisOf(A: Float64Array, n: number, betas: Float64Array): Float64Array[] {
  const rows = Array.from({ length: n }, (_, i) => new Float64Array(n).fill(1, i, i + 1));
  for (let k = n - 2; k >= 0; k--) {
    const beta = betas[k]!;
    if (beta === 0) continue;
    const v = A.subarray(k * n, (k + 1) * n);
    for (let i = k + 1; i < n; i++) {
      const row = rows[i]!;
      let sum = 0;
      for (let j = k + 1; j < n; j++) sum += row[j]! * v[j]!;
      sum *= beta;
      for (let j = k + 1; j < n; j++) row[j]! -= sum * v[j]!;
    }
  }
  return rows;
}

/** Row i of Q: a unit vector times the reflectors, the first one first. */
function endRow(A: Float64Array, n: number, betas: Float64Array, i: number): Float64Array {
  const row = new Float64Array(n).fill(1, i, i + 1);
  for (let k = 0; k < n - 1; k++) {
    const beta = betas[k]!;
    if (beta === 0) continue;
    const at = k * n;
    let sum = 0;
    for (let j = k + 1; j < n; j++) sum += row[j]! * A[at + j]!;
    sum *= beta;
    for (let j = k + 1; j < n; j++) row[j]! -= sum * A[at + j]!;
  }
  return row;
}

/** QL with implicit shifts: the diagonal becomes that of the eigenvalues, and the rows turn with it. */
function diagonalize(d: Float64Array, e: Float64Array, rows: readonly Float64Array[]): void {
  const n = d.length;
  for (let top = 0; top < n; top++) {
    for (let step = 0; step < MAX_STEPS; step++) {
      const end = blockEnd(d, e, top);
      if (end === top) break;
      sweep(d, e, rows, top, end);
    }
  }
}

/** The last row of the block that begins at `top`: beside it is a zero, up to rounding, which becomes one. */
function blockEnd(d: Float64Array, e: Float64Array, top: number): number {
  let end = top;
  for (; end < d.length - 1; end++) {
    const beside = Math.abs(e[end]!);
    if (beside <= EPS * (Math.abs(d[end]!) + Math.abs(d[end + 1]!)) || beside <= EPS * EPS) break;
  }
  e[end] = 0;
  return end;
}

/** One QL step on rows `top` to `end`: a rotation at the bottom by Wilkinson's shift, and those that chase what it fills to the top. */
function sweep(d: Float64Array, e: Float64Array, rows: readonly Float64Array[], top: number, end: number): void {
  const ratio = (d[top + 1]! - d[top]!) / (2 * e[top]!);
  const shift = d[top]! - e[top]! / (ratio + Math.sign(ratio || 1) * Math.hypot(ratio, 1));
  let g = d[end]! - shift;
  let [sine, cosine, p] = [1, 1, 0];
  for (let i = end - 1; i >= top; i--) {
    const f = sine * e[i]!;
    const b = cosine * e[i]!;
    // Elements are 1 at most, and those beneath EPS² are zeros: squares neither overflow nor matter where they vanish.
    const r = Math.sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r === 0) {
      // The block has come apart.
      d[i + 1]! -= p;
      e[end] = 0;
      return;
    }
    sine = f / r;
    cosine = g / r;
    g = d[i + 1]! - p;
    const t = (d[i]! - g) * sine + 2 * cosine * b;
    p = sine * t;
    d[i + 1] = g + p;
    g = cosine * t - b;
    rotate(rows[i]!, rows[i + 1]!, cosine, sine);
  }
  d[top]! -= p;
  e[top] = g;
  e[end] = 0;
}

function rotate(above: Float64Array, below: Float64Array, cosine: number, sine: number): void {
  for (let k = 0; k < above.length; k++) {
    const [a, b] = [above[k]!, below[k]!];
    below[k] = sine * a + cosine * b;
    above[k] = cosine * a - sine * b;
  }
}

/** Sorts the values, and makes rows, of `length` elements, columns. */
function ascending(
  diagonal: Float64Array,
  rows: readonly Float64Array[],
  scale: number,
  length = diagonal.length,
): SymmetricEigen {
  const n = diagonal.length;
  const order = Uint32Array.from(diagonal.keys()).sort((i, j) => diagonal[i]! - diagonal[j]!);
  const vectors = new Float64Array(length * n);
  order.forEach((from, j) => {
    const row = rows[from]!;
    for (let i = 0; i < length; i++) vectors[i * n + j] = row[i]!;
  });
  return { values: Float64Array.from(order, (from) => diagonal[from]! / scale), vectors };
}
