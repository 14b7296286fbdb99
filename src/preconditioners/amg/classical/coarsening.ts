/** Classical coarsening: prolongations that interpolate from some of the rows. */
import { newMatrix } from '../../../algebra/new-matrix.js';
import { HeapMatrix } from '../../../matrices/heap-matrix.js';
import { type Coarsen, LEAST_COARSENING } from '../hierarchy.js';
import { dependences } from './dependence.js';
import { type InterpolationWish, interpolation } from './interpolation.js';
import { split } from './splitting.js';

export interface ClassicalWish extends InterpolationWish {
  /** Threshold of strong couplings. */
  readonly theta: number;
}

export function classicalCoarsening(wish: ClassicalWish): Coarsen {
  return function* ({ context, cpu }, { matrix, step }, work) {
    using temporary = context.heap.scope();
    const strong = dependences(context, temporary, matrix, wish.theta);
    yield step;
    const splitting = split(context, temporary, strong);
    const { count } = splitting;
    if (count === 0 || count > LEAST_COARSENING * matrix.rows) return undefined;
    yield step;
    const prolongation = context.heap.build((scope) => {
      const rows = interpolation(context, scope, matrix, strong, splitting, wish);
      return new HeapMatrix(context, cpu.space, scope, newMatrix(rows));
    });
    return { prolongation, near: { modes: 1, numbers: work.array(Float64Array, count).fill(1) } };
  };
}
