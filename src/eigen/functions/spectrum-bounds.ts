/** Bounds of the eigenvalues of a symmetric matrix: one interval contains all of them, and another has some of them near both of its ends. */
import { extremeEigenvalues } from '../../algebra/tridiagonal.js';
import type { CsrMatrix } from '../../core/csr.js';
import { Owned } from '../../core/owned.js';
import { randomStream, unit } from '../../gallery/draw.js';
import { Scalar } from '../../memory/scalar.js';
import { Vector } from '../../memory/vector.js';
import type { LinearOperator } from '../../operators/operator.js';
import { normalize, readNorm } from '../../solvers/norms.js';

/** Gershgorin's interval. [0, 0] for no rows. */
export function gershgorin({ rows, rowPtr, colIdx, values }: CsrMatrix): readonly [least: number, greatest: number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < rows; i++) {
    let [center, radius] = [0, 0];
    for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++)
      if (colIdx[k] === i) center = values[k]!;
      else radius += Math.abs(values[k]!);
    least = Math.min(least, center - radius);
    greatest = Math.max(greatest, center + radius);
  }
  return rows === 0 ? [0, 0] : [least, greatest];
}

/** Products of an estimate. */
export const RITZ_STEPS = 30;

/** The extreme Ritz values of some steps of Lanczos from a fixed vector, within the spectrum: Golub & Van Loan 2013, section 10.1. */
export function ritzInterval(A: LinearOperator): readonly [least: number, greatest: number] {
  const { space, vectorType, rows } = A;
  using owned = new Owned();
  let [before, v, w] = [1, 2, 3].map(() => owned.own(new Vector(space, vectorType, rows))) as [Vector, Vector, Vector];
  const scalar = owned.own(new Scalar(space));
  const random = randomStream(1, 'values');
  v.set(new vectorType(rows).map(() => unit(random) - 0.5));
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
