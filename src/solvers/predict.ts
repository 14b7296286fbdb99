/**
 * Whether incomplete Cholesky factors are worth their time in cg, before anything is solved: the time of a step with them over that of the
 * steps with jacobi which they save. By counts and bytes, not by a clock, so the same system and format have the same choice on every run.
 *
 * Source: fitted to 5-point 300², elasticity 28³, 7-point 50³ and the graph of bcsstk29; judged on the others. Jacobi over ic0, one thread of an
 * AMD EPYC at 2 cores, f64, 22 November 2026; the time is that of the whole solve, with the set-up. ic0 is chosen below 0.78.
 *
 *     matrix               predicted   measured   iterations          matrix              predicted   measured   iterations
 *     5-point 60²               0.68       1.02      180, 56          elasticity 16³           1.07       0.88       215, 60
 *     5-point 300²              0.69       1.11      881, 262         elasticity 28³           0.75       1.19      373, 103
 *     jumping coefficients      0.68       4.57     4183, 348         elasticity 34³           0.75       1.24      454, 125
 *     mesh of 20 k nodes        0.73       2.56     1745, 331         bcsstk29                 1.54       0.54       225, 75
 *     9-point 200²              0.92       1.00      414, 137         27-point 30³             1.34       0.52        64, 26
 *     7-point 50³               0.81       0.81       175, 58         27-point 50³             0.91       0.88       100, 39
 *     7-point 70³               0.60       1.17       243, 80
 */
import type { CsrMatrix } from '../core/csr.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';

/** The places of the entries of A. */
type Pattern = Pick<CsrMatrix, 'rows' | 'rowPtr' | 'colIdx'>;

/** A solve with the factors, per entry of A off the diagonal: of rows in groups, and in slices of four rows or of one. */
const GROUPED_ENTRY_NS = 0.5;
const ENTRY_NS = 0.9;

/** Rows of a group, as in `backends/team/groups.ts`: on average at least, and at most. */
const LEAST_ROWS = 2.5;
const MOST_ROWS = 4;

/** A step of cg with jacobi reads and writes so many vectors, of which so many are different, and A. */
const VECTORS = 14;
const DIFFERENT_VECTORS = 5;

/** Of a step on one thread, if what it reads stays in the cache or does not. */
const CACHE_BYTES = 16e6;
const BYTES_PER_NS = { cache: 45, memory: 25 } as const;

/** Iterations with jacobi over those with ic0: 2.5 to 3.6 for Laplacians and elasticity, 5 for meshes, 12 with jumping coefficients. */
const ITERATIONS = 3;

/** The set-up of the factors takes as long as 20 to 60 solves with them, so it counts for some 20 % of the iterations. */
const WORTHWHILE = 0.78;

/** The time of a solve with ic0 over that with jacobi, without the set-up. */
export function incompleteOverJacobi(A: MatrixOperator, pattern: Pattern): number {
  const { rows, nnz, matrix, vectorType } = A;
  // Half of a symmetric matrix takes as long as all of it.
  const bytes = Math.max(matrix.bytes, vectorType.BYTES_PER_ELEMENT * nnz);
  const isCached = bytes + DIFFERENT_VECTORS * 8 * rows <= CACHE_BYTES;
  const step = (bytes + VECTORS * 8 * rows) / BYTES_PER_NS[isCached ? 'cache' : 'memory'];
  const entryNs = LEAST_ROWS * groupsOf(pattern) <= rows ? GROUPED_ENTRY_NS : ENTRY_NS;
  return (1 + (entryNs * (nnz - rows)) / Math.max(step, 1)) / ITERATIONS;
}

export function isWorthwhile(ratio: number): boolean {
  return ratio < WORTHWHILE;
}

/** The number of groups of up to four consecutive rows with the same columns. */
function groupsOf(pattern: Pattern): number {
  let groups = 0;
  let size = 0;
  for (let row = 0; row < pattern.rows; row++) {
    size = size > 0 && size < MOST_ROWS && isLikeRowBefore(pattern, row) ? size + 1 : 1;
    if (size === 1) groups++;
  }
  return groups;
}

function isLikeRowBefore({ rowPtr, colIdx }: Pattern, row: number): boolean {
  const [before, begin, end] = [rowPtr[row - 1]!, rowPtr[row]!, rowPtr[row + 1]!];
  if (end - begin !== begin - before) return false;
  for (let k = begin; k < end; k++) if (colIdx[k] !== colIdx[k - (begin - before)]) return false;
  return true;
}
