/** Whether multigrid by aggregation suits a matrix, as far as its numbers say. */
import type { CsrMatrix } from '../core/csr.js';

/** Smaller systems have factors in less time than multigrid or the trial of it takes, or few iterations (layers of 64,000 unknowns 275 ms, with multigrid 383). */
const LEAST_ROWS = 200_000;

/**
 * The largest share of positive entries among those beside the diagonal, by modulus: 0 of Laplacians, and of linear elements without obtuse angles; 0.07 of
 * triangles between random points, with which multigrid takes 240 iterations; 0.5 of elasticity.
 */
const POSITIVE_SHARE = 0.04;

/** Rows of trees and chains are shorter: their factors have next to no fill-in. */
const LEAST_ROW = 4;

/** Of a large matrix with few positive entries beside its diagonal, as of a scalar elliptic problem: an M-matrix, or almost. */
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
