/** Says whether multigrid suits a matrix, and which, as far as its numbers show it. */
import type { CompressedRows, CsrMatrix } from '../core/csr.js';
import { stretches } from '../core/stretches.js';

/**
 * Multigrid does not pay for smaller systems: layers of 64,000 unknowns take 311 ms with it and 278 without, 30,000 with Neumann boundaries 102 and 57. It pays for 5-point 300²,
 * 130 ms and 233, and for layers of 140,000, 537 and 1390. One thread of an AMD EPYC, 2026-11-26.
 */
const LEAST_ROWS = 60_000;

/**
 * The largest share of positive entries among those beside the diagonal, by modulus: 0 of Laplacians, and of linear elements without obtuse angles; 0.07 of
 * triangles between random points, with which multigrid takes 240 iterations; 0.5 of elasticity.
 */
const POSITIVE_SHARE = 0.04;

/** Chains and trees have fewer entries in a row, on average, and factors with next to no fill-in. */
const LEAST_ROW = 4;

/**
 * Coefficients jump if a tenth of the diagonal is this many times another tenth. Chosen: 1 on grids of one material, 2.3 between random points, 10⁴ on a checkerboard
 * of that jump, 500², on which `classical-amg` takes 14 iterations and `amg` 36.
 */
const JUMP = 100;

/** The multigrid where coefficients jump. */
export const FOR_JUMPS = 'classical-amg';

/**
 * The multigrid for a matrix that is large, and has hardly a positive entry beside its diagonal, as those of scalar elliptic problems; undefined for others.
 *
 * @param leastRows fewer rows are not large
 */
export function multigridFor(matrix: CsrMatrix, leastRows?: number): 'amg' | typeof FOR_JUMPS | undefined {
  if (matrix.rows !== matrix.cols) return undefined;
  const couplings = couplingsOf(matrix);
  if (!isElliptic(couplings, leastRows)) return undefined;
  return hasJumps(couplings.diagonal) ? FOR_JUMPS : 'amg';
}

/**
 * The multigrid for a matrix of convection with diffusion: one that is like an M-matrix on a mesh, whose rows have sums of 0 and more, as upwind differences give it.
 * On random graphs levels fill in.
 *
 * @param matrix not symmetric, with a positive diagonal
 * @param isMesh whether its graph grows as a mesh does
 */
export function multigridForConvection(matrix: CsrMatrix, isMesh: () => boolean): 'amg' | undefined {
  return isElliptic(couplingsOf(matrix)) && haveSums(matrix) && isMesh() ? 'amg' : undefined;
}

/** Whether sums of rows below 0 are at most the share that positive entries may have. */
function haveSums({ rows, rowPtr, values }: CsrMatrix): boolean {
  let [missing, all] = [0, 0];
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
      sum += values[k]!;
      all += Math.abs(values[k]!);
    }
    missing += Math.max(0, -sum);
  }
  return missing <= POSITIVE_SHARE * all;
}

/** What the numbers of a matrix say of the problem that it comes from. The members of several ranks are added up. */
export interface Couplings {
  readonly rows: number;
  readonly nnz: number;
  /** The sum of the positive entries beside the diagonal, over the sample of rows. */
  readonly positive: number;
  /** The sum of the moduli of all entries beside the diagonal, over the sample of rows. */
  readonly moduli: number;
}

/** The couplings of the rows that this process has. */
export interface OwnCouplings extends Couplings {
  /** The entries of the diagonal in the sample of rows, 0 for absent ones. */
  readonly diagonal: Float64Array;
}

/**
 * @param all rows of the whole matrix
 * @param firstRow the place of the first row among the columns
 */
export function couplingsOf(
  { rows, nnz, rowPtr, colIdx, values }: CompressedRows,
  all: number = rows,
  firstRow: number = 0,
): OwnCouplings {
  const sample = stretches(rows, all, firstRow);
  const diagonal = new Float64Array(sample.reduce((sum, [begin, end]) => sum + end - begin, 0));
  let [positive, moduli, sampled] = [0, 0, 0];
  for (const [begin, end] of sample) {
    for (let i = begin; i < end; i++, sampled++) {
      for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) {
        const value = values[k]!;
        if (colIdx[k] === firstRow + i) {
          diagonal[sampled] = value;
          continue;
        }
        moduli += Math.abs(value);
        if (value > 0) positive += value;
      }
    }
  }
  return { rows, nnz, positive, moduli, diagonal };
}

/** Whether a matrix is large enough for multigrid, and has hardly a positive entry beside its diagonal. */
export function isElliptic({ rows, nnz, positive, moduli }: Couplings, leastRows: number = LEAST_ROWS): boolean {
  return rows >= leastRows && nnz >= LEAST_ROW * rows && moduli > 0 && positive <= POSITIVE_SHARE * moduli;
}

/** Whether coefficients jump. @param diagonal some of its elements */
export function hasJumps(diagonal: Float64Array): boolean {
  const sorted = diagonal.slice().sort();
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
  return at(0.9) > JUMP * at(0.1);
}
