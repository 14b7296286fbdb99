/**
 * Reflects and rotates the rows and columns of small dense matrices, which are stored row by row.
 *
 * Source: Householder and Givens; Golub & Van Loan, Matrix Computations, 2013, sections 5.1 and 5.2.
 */

/** H = I − τ v vᵀ, which maps the x that it was made of to a multiple of the first unit vector. */
export interface Reflector {
  readonly v: Float64Array;
  /** 0: H is the identity. */
  readonly tau: number;
  /** The first element of H x; the others are 0. */
  readonly length: number;
}

/** @param x finite, and neither so large nor so small that its norm overflows or vanishes */
export function reflectorOf(x: ArrayLike<number>): Reflector {
  const v = Float64Array.from(x);
  const first = v[0]!;
  const norm = Math.hypot(...v);
  // A norm equal to |first| does not say that the others are 0: their squares may be rounded off.
  if (v.every((value, i) => i === 0 || value === 0)) return { v, tau: 0, length: first };
  const length = first > 0 ? -norm : norm;
  for (let i = 1; i < v.length; i++) v[i]! /= first - length;
  v[0] = 1;
  return { v, tau: (length - first) / length, length };
}

/** A ← H A in the rows from `at` on, for the columns from `begin` to before `end`. @param width the columns of A */
export function reflectRows(
  a: Float64Array,
  width: number,
  at: number,
  { v, tau }: Reflector,
  begin: number,
  end: number,
): void {
  if (tau === 0) return;
  for (let j = begin; j < end; j++) {
    let sum = 0;
    for (let i = 0; i < v.length; i++) sum += v[i]! * a[(at + i) * width + j]!;
    sum *= tau;
    for (let i = 0; i < v.length; i++) a[(at + i) * width + j]! -= sum * v[i]!;
  }
}

/** A ← A H in the columns from `at` on, for the rows from `begin` to before `end`. @param width the columns of A */
export function reflectColumns(
  a: Float64Array,
  width: number,
  at: number,
  { v, tau }: Reflector,
  begin: number,
  end: number,
): void {
  if (tau === 0) return;
  for (let i = begin; i < end; i++) {
    const row = i * width + at;
    let sum = 0;
    for (let j = 0; j < v.length; j++) sum += v[j]! * a[row + j]!;
    sum *= tau;
    for (let j = 0; j < v.length; j++) a[row + j]! -= sum * v[j]!;
  }
}

/** A rotation is G = [c, s; −s, c]. */
export interface Turn {
  readonly cosine: number;
  readonly sine: number;
}

/** A ← G A in the rows `at` and `at` + 1, for the columns from `begin` to before `end`. @param width the columns of A */
export function turnRows(
  a: Float64Array,
  width: number,
  at: number,
  { cosine, sine }: Turn,
  begin: number,
  end: number,
): void {
  const [upper, lower] = [at * width, (at + 1) * width];
  for (let j = begin; j < end; j++) {
    const [x, y] = [a[upper + j]!, a[lower + j]!];
    a[upper + j] = cosine * x + sine * y;
    a[lower + j] = cosine * y - sine * x;
  }
}

/** A ← A Gᵀ in the columns `at` and `at` + 1, for the rows from `begin` to before `end`. @param width the columns of A */
export function turnColumns(
  a: Float64Array,
  width: number,
  at: number,
  { cosine, sine }: Turn,
  begin: number,
  end: number,
): void {
  for (let i = begin; i < end; i++) {
    const row = i * width + at;
    const [x, y] = [a[row]!, a[row + 1]!];
    a[row] = cosine * x + sine * y;
    a[row + 1] = cosine * y - sine * x;
  }
}
