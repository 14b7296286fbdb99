/** Says whether multigrid by aggregation suits a matrix, as far as its numbers show it. */
import type { CsrMatrix } from '../core/csr.js';

/** Multigrid does not pay for smaller systems: layers of 64,000 unknowns take 383 ms with it and 275 without, 30,000 with Neumann boundaries 102 and 57. */
const LEAST_ROWS = 200_000;

/**
 * The largest share of positive entries among those beside the diagonal, by modulus: 0 of Laplacians, and of linear elements without obtuse angles; 0.07 of
 * triangles between random points, with which multigrid takes 240 iterations; 0.5 of elasticity.
 */
const POSITIVE_SHARE = 0.04;

/** Chains and trees have fewer entries in a row, on average, and factors with next to no fill-in. */
const LEAST_ROW = 4;

/** Tells whether a matrix is large, and has hardly a positive entry beside its diagonal, as those of scalar elliptic problems. */
export function isElliptic({ rows, cols, nnz, rowPtr, colIdx, values }: CsrMatrix): boolean {
  if (rows !== cols || rows < LEAST_ROWS || nnz < LEAST_ROW * rows) return false;
  let [positive, all] = [0, 0];
  for (let i = 0; i < rows; i++) {
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      const value = values[k]!;
      if (colIdx[k] === i) continue;
      all += Math.abs(value);
      if (value > 0) positive += value;
    }
  }
  return positive <= POSITIVE_SHARE * all;
}
