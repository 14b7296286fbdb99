/** What smooths on a level of all ranks: of products and diagonals, so that it is the same on any number of ranks. */
import { diagonalPlaces } from '../../algebra/diagonal.js';
import type { Owned } from '../../core/owned.js';
import type { Dtype } from '../../core/types.js';
import type { Vector } from '../../memory/vector.js';
import { USUAL } from '../../preconditioners/amg/hierarchy.js';
import { CHEBYSHEV_RATIO, damped, nearestDiagonal, type SmootherName } from '../../preconditioners/amg/smoother.js';
import { chebyshevIteration } from '../../preconditioners/chebyshev.js';
import { compose } from '../../preconditioners/composed.js';
import { DiagonalPreconditioner, notFinite, reciprocalPositiveDiagonal } from '../../preconditioners/diagonal.js';
import { largestOverRanks, largestRowSum } from '../../preconditioners/largest-eigenvalue.js';
import type { Made, Preconditioner } from '../../preconditioners/preconditioner.js';
import type { DistributedOperator } from '../distributed-operator.js';
import { type LocalRows, type RankContext, together, valuesInOrder } from './local-rows.js';

/** The smoothers of products and diagonals; `auto` is `spai0`. */
export const SMOOTHERS_OVER_RANKS: readonly SmootherName[] = ['auto', 'spai0', 'chebyshev'];

export interface RankSmoother {
  readonly S: Preconditioner;
  /** Computes it again from the values of the level's matrix. Together. */
  readonly update: () => void;
}

/**
 * Bounds the eigenvalues of diag(m) A from above, as in one memory. Together.
 *
 * @param factors m, this rank's part
 * @param usual a bound by row sums that is taken as it is
 */
export function boundOver(
  context: RankContext,
  A: LocalRows,
  operator: DistributedOperator,
  factors: Float64Array,
  usual: number = USUAL,
): number {
  const largest = together(context, () => {
    using sums = A.matrix.norms('rows', 'one');
    return Float64Array.of(largestRowSum(factors, sums.data));
  });
  context.meeting.reduce('max', largest);
  const bound = largest[0]!;
  if (!(bound > usual)) return bound === 0 ? 1 : bound;
  return Number.isFinite(bound) ? largestOverRanks(operator, factors, bound, 1 + A.bounds[context.rank]!) : bound;
}

export interface SmootherWish {
  readonly name: SmootherName;
  /** Of `chebyshev`. */
  readonly degree: number;
  readonly dtype: Dtype;
  readonly start: number;
}

/** Together. @throws SparlaneError `structure` as `chebyshev`; `heap` */
export function smootherOver(
  context: RankContext,
  A: LocalRows,
  operator: DistributedOperator,
  { name, degree, dtype, start }: SmootherWish,
  owned: Owned,
): RankSmoother {
  const { space } = context.engine;
  const { rows, nnz } = A.matrix;
  const made: Made = { matrix: { rows, cols: rows, nnz }, dtype, spec: name, start };
  if (name !== 'chebyshev') {
    const compute = () => nearestOver(context, A, operator);
    let diagonal = compute();
    const S = together(context, () => owned.own(new DiagonalPreconditioner(space, made, () => diagonal, diagonal)));
    const update = () => {
      diagonal = compute();
      S.update(A.matrix.values);
    };
    return { S, update };
  }
  let current = spectrumOf(context, A, operator);
  const S = together(context, () =>
    owned.own(
      compose(context.engine, made, true, (parts) => {
        const [inverse, ...work] = parts.vectors(4) as [Vector, Vector, Vector, Vector];
        inverse.set(current.inverse);
        return {
          compute: (r, z) => chebyshevIteration({ A: operator, inverse, degree, bounds: current.bounds, work }, r, z),
          refill: () => void inverse.set(current.inverse),
          entries: rows,
        };
      }),
    ),
  );
  const update = () => {
    current = spectrumOf(context, A, operator);
    S.update(A.matrix.values);
  };
  return { S, update };
}

/** Makes the diagonal of `spai0` for the matrix of all ranks. */
function nearestOver(context: RankContext, A: LocalRows, operator: DistributedOperator): Float64Array {
  const { engine } = context;
  using scope = engine.context.heap.scope();
  const { factors } = together(context, () => nearestDiagonal(engine, scope, A.matrix));
  const bound = boundOver(context, A, operator, factors);
  return together(context, () => damped(factors, bound));
}

function spectrumOf(context: RankContext, A: LocalRows, operator: DistributedOperator) {
  const inverse = together(context, () => {
    const places = diagonalPlaces(A.matrix);
    return reciprocalPositiveDiagonal(places, A.matrix.values);
  });
  const largest = boundOver(context, A, operator, inverse, 0);
  together(context, () => {
    const { values } = A.matrix;
    if (!Number.isFinite(largest) && !values.every(Number.isFinite)) throw notFinite(valuesInOrder(context, A));
  });
  return { inverse, bounds: [largest / CHEBYSHEV_RATIO, largest] as const };
}
