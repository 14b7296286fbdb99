/**
 * Whether incomplete Cholesky factors are worth their time in cg, before anything is solved: the time of a step with them over that of the
 * steps with jacobi which they save. By counts and bytes, not by a clock, so the same system and format have the same choice on every run.
 *
 * Source: fitted to 5-point 300² and elasticity 28³; judged on the others. Jacobi over ic0, one thread of an Intel Xeon at 2 cores, f64,
 * November 2026; the time is that of the whole solve, with the set-up. The choice is wrong where it costs 6 % (7-point) or 0.3 ms (60²).
 *
 *     matrix               predicted   measured   iterations          matrix              predicted   measured   iterations
 *     5-point 300²              0.57       0.77      845, 269         27-point 30³             1.02       1.96        62, 25
 *     mesh of 20 k nodes        0.60       0.41     1739, 332         27-point 50³             1.04       2.37       100, 39
 *     jumping coefficients      0.57       0.23   > 6000, 522         elasticity 16³           1.23       1.08       216, 59
 *     9-point 200²              0.73       0.93      414, 140         elasticity 28³           1.24       1.62      373, 104
 *     7-point 50³               0.65       1.06       175, 58         7-point 20³, × 3         0.95       1.20       125, 27
 */
import type { MatrixOperator } from '../operators/matrix-operator.js';

/** A solve with the factors, per entry of A off the diagonal; in slices of four rows and in groups alike. */
const ENTRY_NS = 1.1;

/** A step of cg with jacobi reads and writes so many vectors, and A. */
const VECTORS = 14;
const BYTES_PER_NS = 25;

/** Iterations with jacobi over those with ic0: 3.0 to 3.9 for Laplacians, meshes and elasticity, 10 with jumping coefficients. */
const ITERATIONS = 3;

/** The set-up of the factors takes as long as some 50 solves with them, which is some 15 % of the iterations. */
const WORTHWHILE = 0.85;

/** The time of a solve with ic0 over that with jacobi, without the set-up. */
export function incompleteOverJacobi({ rows, nnz, matrix }: MatrixOperator): number {
  const step = (matrix.bytes + VECTORS * 8 * rows) / BYTES_PER_NS;
  return (1 + (ENTRY_NS * (nnz - rows)) / Math.max(step, 1)) / ITERATIONS;
}

export function isWorthwhile(ratio: number): boolean {
  return ratio < WORTHWHILE;
}
