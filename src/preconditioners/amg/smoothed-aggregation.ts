/** Coarsening by smoothed aggregation: prolongations from aggregates of rows. */
import { newMatrix } from '../../algebra/new-matrix.js';
import type { TeamContext } from '../../backends/team/backend.js';
import { HeapMatrix } from '../../matrices/heap-matrix.js';
import type { HeapScope } from '../../memory/heap.js';
import { reciprocalsOfPositive } from '../diagonal.js';
import { type Aggregates, aggregate, tentativeProlongation } from './aggregates.js';
import { type Coarsen, LEAST_COARSENING, spectralBound } from './hierarchy.js';
import { smoothedProlongation } from './prolongation.js';
import { condense, type Strong, strongCouplings } from './strength.js';

/** The threshold of strong couplings is too high if less than this share of the nodes is in aggregates: it is halved down to the least one, and then is 0. Chosen. */
export const LEAST_MEMBERS: number = 0.5;
export const LEAST_THETA: number = 1e-3;

/** 4/3 by the largest eigenvalue of D⁻¹ A makes the smoothed prolongation have the least energy. */
export const OMEGA: number = 4 / 3;

/**
 * @param theta threshold of strong couplings on the finest level; half of it on each further one
 * @param unknowns of a node of the finest level
 */
export function smoothedAggregation(theta: number, unknowns: number): Coarsen {
  return function* (engine, { matrix, near, depth, isSymmetric, step }, work) {
    const { context, cpu } = engine;
    using temporary = context.heap.scope();
    const view = (rows: Parameters<typeof newMatrix>[0]) =>
      new HeapMatrix(context, cpu.space, context.heap.scope(), newMatrix(rows));
    const block = depth === 0 ? unknowns : near.modes;
    const nodes = block === 1 ? matrix : view(condense(context, temporary, matrix, block));
    using diagonal = nodes.diagonal();
    using symmetricPart = isSymmetric ? undefined : symmetrized(nodes);
    const coupled = symmetricPart ?? nodes;
    const [strong, aggregates] = strongAggregates(context, temporary, coupled, diagonal.data, theta / 2 ** depth);
    if (aggregates.count === 0 || aggregates.count * near.modes > LEAST_COARSENING * matrix.rows) return undefined;
    yield step;
    const tentative = tentativeProlongation(context, temporary, work, aggregates, block, near);
    using own = matrix.diagonal();
    const inverse = reciprocalsOfPositive(own.data);
    using sums = matrix.norms('rows', 'one');
    const omega = OMEGA / spectralBound(engine, matrix, isSymmetric, inverse, sums.data);
    const smoothing = { matrix, block, strong, omega };
    const prolongation = context.heap.build((own) => {
      const rows = smoothedProlongation(context, own, smoothing, tentative.prolongation);
      return new HeapMatrix(context, cpu.space, own, newMatrix(rows));
    });
    return { prolongation, near: tentative.near };
  };
}

/**
 * (A + Aᵀ) / 2, whose strong couplings are the same in both directions. With those of A, where wind blows strongly, a row is coupled to what lies
 * upstream alone, and aggregates have two rows: 23 iterations instead of 14 (convection 200², ε = 1e-4, bicgstab and ilu0).
 */
function symmetrized(nodes: HeapMatrix): HeapMatrix {
  using transposed = nodes.transposed();
  return nodes.add(transposed, 0.5, 0.5);
}

/** Aggregates of most of the nodes, for which couplings are halved in strength where all are weak: each of 26 neighbours has 1/26 of the diagonal. */
function strongAggregates(
  context: TeamContext,
  scope: HeapScope,
  nodes: HeapMatrix,
  diagonal: Float64Array,
  theta: number,
): readonly [Strong, Aggregates] {
  for (let threshold = theta; ; threshold = threshold > LEAST_THETA ? threshold / 2 : 0) {
    const strong = strongCouplings(context, scope, nodes, diagonal, threshold);
    const aggregates = aggregate(context, scope, strong);
    const members = aggregates.memberPtr[aggregates.count]!;
    if (threshold === 0 || members >= LEAST_MEMBERS * nodes.rows) return [strong, aggregates];
  }
}
