/** Says whether multigrid suits a matrix, and which, as far as its numbers show it. */
import type { CsrMatrix } from '../core/csr.js';

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

/** Entries of the diagonal that are looked at. */
const SAMPLES = 10_000;

/**
 * Coefficients jump if a tenth of the diagonal is this many times another tenth. Chosen: 1 on grids of one material, 2.3 between random points, 10⁴ on a checkerboard
 * of that jump, 500², on which `classical-amg` takes 14 iterations and `amg` 36.
 */
const JUMP = 100;

/** The multigrid where coefficients jump. */
export const FOR_JUMPS = 'classical-amg';

/** The multigrid for a matrix that is large, and has hardly a positive entry beside its diagonal, as those of scalar elliptic problems; undefined for others. */
export function multigridFor(matrix: CsrMatrix): 'amg' | typeof FOR_JUMPS | undefined {
  if (!isElliptic(matrix)) return undefined;
  return hasJumps(matrix) ? FOR_JUMPS : 'amg';
}

/**
 * The multigrid for a matrix of convection with diffusion: one that is like an M-matrix on a mesh, whose rows have sums of 0 and more, as upwind differences give it.
 * On random graphs levels fill in.
 *
 * @param matrix not symmetric, with a positive diagonal
 * @param isMesh whether its graph grows as a mesh does
 */
export function multigridForConvection(matrix: CsrMatrix, isMesh: () => boolean): 'amg' | undefined {
  return isElliptic(matrix) && haveSums(matrix) && isMesh() ? 'amg' : undefined;
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

function isElliptic({ rows, cols, nnz, rowPtr, colIdx, values }: CsrMatrix): boolean {
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

function hasJumps({ rows, rowPtr, colIdx, values }: CsrMatrix): boolean {
  const every = Math.ceil(rows / SAMPLES);
  const diagonal = Float64Array.from({ length: Math.floor(rows / every) }, (_, k) => {
    const row = k * every;
    const at = colIdx.subarray(rowPtr[row]!, rowPtr[row + 1]!).indexOf(row);
    return at < 0 ? 0 : values[rowPtr[row]! + at]!;
  }).sort();
  const at = (share: number) => diagonal[Math.floor(share * (diagonal.length - 1))]!;
  return at(0.9) > JUMP * at(0.1);
}
