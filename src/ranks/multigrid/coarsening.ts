/**
 * From a level to the next coarser one, by all ranks: the prolongation, and the coarse matrix.
 *
 * Aggregates consist of rows of one rank. The prolongation is smoothed by the whole matrix, so a row of it may have coarse columns of other ranks.
 */
import { newMatrix } from '../../algebra/new-matrix.js';
import type { CompressedRows } from '../../core/csr.js';
import { distinct } from '../../core/distinct.js';
import { Owned } from '../../core/owned.js';
import { HeapMatrix } from '../../matrices/heap-matrix.js';
import type { HeapScope } from '../../memory/heap.js';
import { type Aggregates, aggregate, tentativeProlongation } from '../../preconditioners/amg/aggregates.js';
import { fillDiagonal, LEAST_COARSENING } from '../../preconditioners/amg/hierarchy.js';
import { smoothedProlongation } from '../../preconditioners/amg/prolongation.js';
import { LEAST_MEMBERS, LEAST_THETA, OMEGA } from '../../preconditioners/amg/smoothed-aggregation.js';
import { condense, type Strong, strongCouplings } from '../../preconditioners/amg/strength.js';
import { reciprocalsOfPositive } from '../../preconditioners/diagonal.js';
import type { NearNullSpace } from '../../preconditioners/preconditioner.js';
import { planHalo } from '../distribute.js';
import type { DistributedOperator } from '../distributed-operator.js';
import { rangesOfOwners } from '../halo.js';
import { entriesOf, type GhostPlan, matrixOfEntries, renumbered, strangersIn, withGhostRows } from './entries.js';
import { boundsOf, type LocalRows, placesIn, type RankContext, together, total, wholeNodes } from './local-rows.js';
import { boundOver } from './smoother.js';

/** A level and what its coarsening depends on. */
export interface Coarsening {
  readonly A: LocalRows;
  readonly operator: DistributedOperator;
  /** Of this rank's rows. */
  readonly near: NearNullSpace;
  readonly block: number;
  readonly theta: number;
}

/** What leads to the coarse level. */
export interface Transfer {
  /** The prolongation. */
  readonly P: LocalRows;
  /** The prolongation with the rows of the ghosts of A. */
  readonly extended: LocalRows;
  /** The own rows of `extended`, transposed. */
  readonly restriction: HeapMatrix;
  /** Of the coarse level, this rank's part. */
  readonly near: NearNullSpace;
}

/**
 * The prolongation to a level; undefined if there is no level that is coarser by enough. Together.
 *
 * @param work gets the near-null space of the coarse level
 * @param owned gets the matrices
 */
export function transferFrom(
  context: RankContext,
  { A, operator, near, block, theta }: Coarsening,
  work: HeapScope,
  owned: Owned,
): Transfer | undefined {
  const { engine } = context;
  using scope = engine.context.heap.scope();
  using temporary = new Owned();
  const view = (rows: CompressedRows) =>
    temporary.own(new HeapMatrix(engine.context, engine.cpu.space, engine.context.heap.scope(), newMatrix(rows)));
  const halo: GhostPlan = { ...A, plan: planHalo(context.meeting, A.ghosts, A.bounds) };
  const nodes = together(context, () =>
    block === 1 ? A.matrix : view(condense(engine.context, scope, A.matrix, block)),
  );
  const diagonal = diagonalWithGhosts(context, nodes, halo, block, scope);
  const { strong, aggregates } = strongAggregates(context, nodes, diagonal, theta, scope);
  const coarseRows = aggregates.count * near.modes;
  const [coarse, fine] = total(context, coarseRows, A.matrix.rows);
  if (coarse === 0 || coarse > LEAST_COARSENING * fine) return undefined;
  const bounds = boundsOf(context, coarseRows);
  const made = together(context, () => {
    const tentative = tentativeProlongation(engine.context, scope, work, aggregates, block, near);
    return { T: view(tentative.prolongation), near: tentative.near };
  });
  const T = withGhostRows(context, { matrix: made.T, ghosts: new Uint32Array(), bounds }, halo, temporary);
  const omega = OMEGA / boundOver(context, A, operator, inverseDiagonal(context, A));
  const P = together(context, (): LocalRows => {
    const smoothing = { matrix: A.matrix, block, strong, omega };
    const matrix = view(smoothedProlongation(engine.context, scope, smoothing, T.matrix));
    const product = { matrix, ghosts: T.ghosts, bounds };
    return withoutUnused(context, product, owned);
  });
  const extended = withGhostRows(context, P, halo, owned);
  return together(context, () => {
    const own = temporary.own(extended.matrix.slice(0, A.matrix.rows));
    return { P, extended, restriction: owned.own(own.transposed()), near: made.near };
  });
}

function inverseDiagonal(context: RankContext, { matrix }: LocalRows): Float64Array {
  return together(context, () => {
    using own = matrix.diagonal();
    return reciprocalsOfPositive(own.data);
  });
}

/** The diagonal of a matrix of nodes, and that of the rows of its ghosts, in the scope. */
function diagonalWithGhosts(
  context: RankContext,
  nodes: HeapMatrix,
  { plan }: GhostPlan,
  block: number,
  scope: HeapScope,
): Float64Array {
  const diagonal = together(context, () => {
    using own = nodes.diagonal();
    const all = scope.array(Float64Array, nodes.cols);
    all.set(own.data);
    return all;
  });
  const parts: Float64Array[] = Array.from({ length: context.meeting.transport.size }, () => new Float64Array());
  for (const { rank, places } of plan.sends)
    parts[rank] = Float64Array.from({ length: places.length / block }, (_, k) => diagonal[places[k * block]! / block]!);
  const received = context.meeting.allToAll(parts);
  for (const { rank, begin } of plan.receives) diagonal.set(received[rank]!, nodes.rows + begin / block);
  return diagonal;
}

/** As in one memory: aggregates of most of the nodes of all ranks, for which couplings are halved in strength where all are weak. */
function strongAggregates(
  context: RankContext,
  nodes: HeapMatrix,
  diagonal: Float64Array,
  theta: number,
  scope: HeapScope,
): { readonly strong: Strong; readonly aggregates: Aggregates } {
  const { context: team } = context.engine;
  for (let threshold = theta; ; threshold = threshold > LEAST_THETA ? threshold / 2 : 0) {
    const made = together(context, () => {
      const strong = strongCouplings(team, scope, nodes, diagonal, threshold);
      return { strong, aggregates: aggregate(team, scope, amongOwn(strong, scope)) };
    });
    const { count, memberPtr } = made.aggregates;
    const [members, all] = total(context, memberPtr[count]!, nodes.rows);
    if (threshold === 0 || members >= LEAST_MEMBERS * all) return made;
  }
}

/**
 * Couplings between nodes of this rank. A node that is coupled with nodes of other ranks only is listed twice, so that it forms an aggregate
 * alone: one that is listed once belongs to none.
 */
function amongOwn({ ptr, idx }: Strong, scope: HeapScope): Strong {
  const rows = ptr.length - 1;
  const own: Strong = { ptr: scope.array(Uint32Array, rows + 1), idx: scope.array(Uint32Array, idx.length) };
  own.ptr[0] = 0;
  let at = 0;
  for (let i = 0; i < rows; i++) {
    const begin = at;
    for (let k = ptr[i]!; k < ptr[i + 1]!; k++) if (idx[k]! < rows) own.idx[at++] = idx[k]!;
    if (at === begin + 1 && ptr[i + 1]! - ptr[i]! > 1) own.idx[at++] = i;
    own.ptr[i + 1] = at;
  }
  return own;
}

/**
 * Pᵀ A P. What a rank finds for rows of others is sent there and added: first own sums, then those of the other ranks in their order.
 * Together.
 *
 * @param block unknowns of a node of the coarse level
 * @param owned gets the matrix
 */
export function coarseMatrix(
  context: RankContext,
  A: LocalRows,
  { extended, restriction }: Pick<Transfer, 'extended' | 'restriction'>,
  block: number,
  owned: Owned,
): LocalRows {
  const { meeting, engine, rank } = context;
  const { ghosts, bounds } = extended;
  const rows = bounds[rank + 1]! - bounds[rank]!;
  using temporary = new Owned();
  const found = together(context, (): LocalRows => {
    using product = A.matrix.multiply(extended.matrix);
    return { matrix: temporary.own(restriction.multiply(product)), ghosts, bounds };
  });
  const parts: Float64Array[] = Array.from({ length: meeting.transport.size }, () => new Float64Array());
  for (const { rank: owner, begin, end } of rangesOfOwners(ghosts, bounds)) {
    const some = Uint32Array.from({ length: end - begin }, (_, k) => rows + begin + k);
    parts[owner] = entriesOf(found, rank, some, (row) => ghosts[row - rows]!);
  }
  const received = meeting.allToAll(parts);
  return together(context, () => {
    const strangers = distinct(Uint32Array.from([...usedGhosts(found, rows), ...strangersIn(received, bounds, rank)]));
    const columns = wholeNodes(strangers, block);
    const cols = rows + columns.length;
    const columnOf = placesIn(columns, bounds, rank);
    const own = temporary.own(engine.matrix(renumbered(found, rank, cols, columnOf, rows)));
    const others = matrixOfEntries(received, { rows, cols }, (row) => row - bounds[rank]!, columnOf);
    const matrix = owned.own(own.add(others));
    fillDiagonal(matrix);
    return { matrix, ghosts: columns, bounds };
  });
}

/** The same rows with the ghosts that they use: weak couplings of A lead to others. */
function withoutUnused({ engine, rank }: RankContext, rows: LocalRows, owned: Owned): LocalRows {
  const ghosts = usedGhosts(rows, rows.matrix.rows);
  const cols = rows.matrix.cols - rows.ghosts.length + ghosts.length;
  const matrix = renumbered(rows, rank, cols, placesIn(ghosts, rows.bounds, rank));
  return { ...rows, matrix: owned.own(engine.matrix(matrix)), ghosts };
}

/** The ghosts, by global numbers, that the first rows use. */
function usedGhosts({ matrix, ghosts }: LocalRows, rows: number): Uint32Array {
  const { cols, rowPtr, colIdx } = matrix;
  const own = cols - ghosts.length;
  const isUsed = new Uint8Array(ghosts.length);
  for (let k = 0; k < rowPtr[rows]!; k++) if (colIdx[k]! >= own) isUsed[colIdx[k]! - own] = 1;
  return ghosts.filter((_, ghost) => isUsed[ghost] === 1);
}
