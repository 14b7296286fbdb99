/** Bounds of the eigenvalues of a symmetric matrix: one interval contains all of them, and another has some of them near both of its ends. */
import { extremeEigenvalues } from '../../algebra/tridiagonal.js';
import type { CsrMatrix } from '../../core/csr.js';
import { Owned } from '../../core/owned.js';
import { Scalar } from '../../memory/scalar.js';
import { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { normalize, readNorm } from '../../solvers/norms.js';
import { drawVector } from '../random.js';

/** Gershgorin's discs, one for each row: the element of the diagonal, and the sum of the moduli of the others. */
export interface Discs {
  readonly centers: Float64Array;
  readonly radii: Float64Array;
}

export function discsOf({ rows, rowPtr, colIdx, values }: CsrMatrix): Discs {
  const [centers, radii] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < rows; i++)
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++)
      if (colIdx[k] === i) centers[i] = values[k]!;
      else radii[i]! += Math.abs(values[k]!);
  return { centers, radii };
}

/** Gershgorin's discs of the rows of a rank. @param ghost its entries in the columns of other ranks @param boundaryRows the rows of `ghost` */
export function discsOfRank(own: CsrMatrix, ghost: CsrMatrix, boundaryRows: Uint32Array): Discs {
  const { centers, radii } = discsOf(own);
  for (let i = 0; i < ghost.rows; i++)
    for (let k = ghost.rowPtr[i]!; k < ghost.rowPtr[i + 1]!; k++)
      radii[boundaryRows[i]!]! += Math.abs(ghost.values[k]!);
  return { centers, radii };
}

/** The interval of all discs. It is from ∞ to −∞ where there are no rows. */
export function hullOf({ centers, radii }: Discs): readonly [least: number, greatest: number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < centers.length; i++) {
    least = Math.min(least, centers[i]! - radii[i]!);
    greatest = Math.max(greatest, centers[i]! + radii[i]!);
  }
  return [least, greatest];
}

/** Products of an estimate. */
export const RITZ_STEPS = 30;

/** The extreme Ritz values of some steps of Lanczos from a fixed vector, within the spectrum: Golub & Van Loan 2013, section 10.1. */
export function ritzInterval(A: LinearOperator): readonly [least: number, greatest: number] {
  const { space, vectorType, rows } = A;
  using owned = new Owned();
  let [before, v, w] = [1, 2, 3].map(() => owned.own(new Vector(space, vectorType, rows))) as [Vector, Vector, Vector];
  const scalar = owned.own(new Scalar(space));
  drawVector(v, 0);
  before.fill(0);
  const [alphas, betas]: number[][] = [[], []] as number[][];
  let beta = readNorm(v, scalar);
  for (let step = 0; step < RITZ_STEPS && beta > 0 && Number.isFinite(beta); step++) {
    normalize(v, beta);
    A.apply(v, w);
    if (step > 0) w.axpy(-beta, before);
    const alpha = v.dot(w, scalar).value;
    if (!Number.isFinite(alpha)) break;
    w.axpy(-alpha, v);
    beta = readNorm(w, scalar);
    alphas!.push(alpha);
    betas!.push(beta);
    [before, v, w] = [v, w, before];
  }
  if (alphas!.length === 0) return [0, 0];
  const { smallest, greatest } = extremeEigenvalues(alphas!, betas!.slice(0, -1));
  return [smallest, greatest];
}
