/**
 * Singular triplets from right vectors alone: those of A V = Q R, by the small R. Of the values that are 0, the left vectors are made from random ones.
 */
import { mismatch } from '../../core/errors.js';
import { UNIT_ROUNDOFF } from '../../core/norms.js';
import { dtypeOf } from '../../core/types.js';
import { randomStream, unit } from '../../gallery/draw.js';
import { Vector } from '../../memory/vector.js';
import { readNorm } from '../../solvers/norms.js';
import { Workspace } from '../../solvers/workspace.js';
import { Basis } from '../basis/basis.js';
import { jacobiSvd } from '../dense/jacobi-svd.js';
import { MOST_DRAWS } from '../limits.js';
import type { InverseMap } from './inverse-map.js';
import { type SingularOutcome, type SingularProblem, targetOf } from './singular.js';

/** Rounds in which the inverse is applied to what Lanczos has found. Chosen: after two, residuals were those of rounding on 150 random matrices. */
const POLISHES = 2;
/** Each projection of a regularized map takes away a part of the range of A: of values near its δ a half. Chosen. */
const PROJECTIONS = 30;

/**
 * @param found of the inverse; its vectors are disposed
 * @param norm an upper bound of ‖A‖₂
 */
export function rayleighRitz(
  problem: SingularProblem,
  found: SingularOutcome,
  map: InverseMap,
  norm: number,
): SingularOutcome {
  const { A, At, tolerance, seed } = problem;
  const { space, vectorType, rows } = A;
  using _ = found.U;
  using V = found.V;
  const count = V.columns;
  using work = new Workspace(A);
  const [x, w, b] = [work.vector('x'), work.vector('b'), work.vector('b')];
  for (let round = 0; round < POLISHES; round++) polish();
  const scalar = work.scalar();
  let products = count;
  using Q = new Basis({ space, vectorType, cols: rows }, count);
  const random = randomStream(seed, 'structure');
  const least = targetOf(0, { norm, tolerance, unit: UNIT_ROUNDOFF[dtypeOf(vectorType)], isInverse: false });
  const R = new Float64Array(count * count);
  for (let j = 0; j < count; j++) {
    V.copyColumnTo(j, x);
    A.apply(x, w);
    const left = Q.orthogonalize(w);
    left.coefficients.forEach((value, i) => {
      R[i * count + j] = value;
    });
    if (left.norm > least) R[j * count + j] = left.norm;
    else drawLeft();
    Q.append(w);
  }
  const isSound = R.every(Number.isFinite);
  const small = jacobiSvd(isSound ? R : R.fill(0), count, count);
  Q.rotate(small.U, count);
  const U = new Vector(space, vectorType, rows, undefined, count);
  for (let j = 0; j < count; j++) {
    Q.copyTo(j, w);
    U.setColumn(j, w);
  }
  using turn = new Vector(space, Float64Array, count, undefined, count);
  const turned = V.like();
  turned.combine(V, turn.set(small.V));
  const { values } = small;
  const { iterations, reason } = found;
  return { reason: isSound ? reason : 'not-finite', values, U, V: turned, norm, iterations, products };

  /** V ← a basis of the inverse times V: parts of larger singular values, which the space of Lanczos has left, all but vanish. */
  function polish(): void {
    using basis = new Basis({ space, vectorType, cols: A.cols }, count);
    const y = work.vector('x');
    for (let j = 0; j < count; j++) {
      V.copyColumnTo(j, y);
      map.applySquare(y, x);
      const { norm: left } = basis.orthogonalize(x);
      if (!(left > 0 && Number.isFinite(left))) return;
      basis.append(x);
    }
    for (let j = 0; j < count; j++) {
      basis.copyTo(j, x);
      V.setColumn(j, x);
    }
  }

  /** ‖Aᵀ w‖ */
  function sizeOfAt(): number {
    At.apply(w, x);
    products++;
    return readNorm(x, scalar);
  }

  /** w ← a vector with Aᵀ w = 0 that is orthogonal to those before. */
  function drawLeft(): void {
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      w.set(new vectorType(rows).map(() => unit(random) - 0.5));
      let { norm: size } = Q.orthogonalize(w);
      for (let k = 0; k < PROJECTIONS && size > 0 && sizeOfAt() > least / 2; k++) {
        map.project(b.copyFrom(w), w);
        size = Q.orthogonalize(w).norm;
      }
      if (size > 0 && Number.isFinite(size)) return;
    }
    throw mismatch('structure', 'A', 'left vectors of the value 0', 'none in 10 random draws');
  }
}
