/**
 * Whether incomplete Cholesky factors are worth their time in cg, before anything is solved: the time of a step with them over that of the
 * steps with jacobi which they save. By counts and bytes, not by a clock, so the same system and format have the same choice on every run.
 *
 * Source: fitted to 5-point 300², elasticity 28³ and 27-point 50³; judged on the others. Jacobi over ic0, one thread of an AMD EPYC at 2 cores,
 * f64, 22 November 2026; the time is that of the whole solve, with the set-up. TABLE
 */
import type { CsrMatrix } from '../core/csr.js';
import type { MatrixOperator } from '../operators/matrix-operator.js';

/** The places of the entries of A. */
type Pattern = Pick<CsrMatrix, 'rows' | 'rowPtr' | 'colIdx'>;

/** A solve with the factors, per entry of A off the diagonal, by the layout of its triangles: see `backends/team/slices.ts`, `groups.ts`. */
const ENTRY_NS = { groups: 0.5, slices: 0.9, rows: 1.3 } as const;

/** Entries of A in a row from which on the rows of the triangles are long, and rows of a group. */
const LONG_ROWS = 17;
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
export function incompleteOverJacobi({ rows, nnz, matrix }: MatrixOperator, pattern: Pattern): number {
  const isCached = matrix.bytes + DIFFERENT_VECTORS * 8 * rows <= CACHE_BYTES;
  const step = (matrix.bytes + VECTORS * 8 * rows) / BYTES_PER_NS[isCached ? 'cache' : 'memory'];
  return (1 + (ENTRY_NS[layoutOf(pattern)] * (nnz - rows)) / Math.max(step, 1)) / ITERATIONS;
}

export function isWorthwhile(ratio: number): boolean {
  return ratio < WORTHWHILE;
}

function layoutOf(pattern: Pattern): keyof typeof ENTRY_NS {
  const { rows, colIdx } = pattern;
  if (LEAST_ROWS * groupsOf(pattern) <= rows) return 'groups';
  return colIdx.length < LONG_ROWS * rows ? 'slices' : 'rows';
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
