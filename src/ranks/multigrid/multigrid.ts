/**
 * Multigrid by smoothed aggregation over ranks: the cycle of `amg`, on levels of which each rank has a part.
 *
 * Source: Vaněk, Mandel & Brezina 1996, as `amg`; aggregates within ranks as in Tuminaro & Tong 2000, "Parallel smoothed aggregation multigrid:
 *   aggregation strategies on massively parallel machines" (uncoupled aggregation).
 * Differs: from `amg`, in aggregates, which consist of rows of one rank, and in smoothers, which are products and diagonals. A level of at
 *   most `coarsest` rows, or of few rows on each rank, is gathered on all ranks, which solve there as one process does; on devices each rank multiplies by
 *   its rows of the inverse.
 * For: as `amg`. Iterations are about those of one process. A rank should have neighbouring rows: aggregates of rows dealt at random are small.
 * Cost: a cycle that of `amg`, shared by the ranks, four exchanges with neighbours on each level, and one with all; the gathered level, on each rank. The
 *   set-up of 2 ranks takes 2.5 × the CPU time of that of one process, waits included (5 points 800²).
 * The same bits in every run with the same ranks.
 */

import type { NumberArray } from '../../core/arrays.js';
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { assemble, type Owned } from '../../core/owned.js';
import type { FloatArray } from '../../core/types.js';
import type { Vector } from '../../memory/vector.js';
import { Cycle } from '../../preconditioners/amg/cycle.js';
import { countNodes, largestThatFits } from '../../preconditioners/amg/nodes.js';
import { AMG, type MultigridParameters } from '../../preconditioners/amg.js';
import { ComposedPreconditioner } from '../../preconditioners/composed.js';
import type {
  Made,
  Preconditioner,
  PreconditionerKind,
  PreconditionerReport,
  Preparation,
} from '../../preconditioners/preconditioner.js';
import { requestOf } from '../../preconditioners/registry.js';
import type { RankWish } from '../rank-wish.js';
import { boundsOf, type RankContext, rowsOfOperator, together, total } from './local-rows.js';
import { RankHierarchy } from './rank-hierarchy.js';
import { SMOOTHERS_OVER_RANKS } from './smoother.js';

/** Called by all ranks. @throws SparlaneError as `precondition`, on all ranks */
export function multigridOverRanks(wished: RankWish): Preconditioner {
  const { meeting, engine, A, name } = wished;
  const context: RankContext = { meeting, engine, rank: meeting.transport.rank, name };
  const start = performance.now();
  const { preparation, parameters: given } = together(context, () => checked(wished, start));
  const local = together(context, () => rowsOfOperator(A, given.block || 1));
  const parameters = { ...given, block: given.block || unknownsOverRanks(context, local.rows) };
  const bounds = boundsOf(context, A.rows);
  return assemble((owned) => {
    const finest = together(context, () => {
      const { rows, ghosts } = parameters.block === (given.block || 1) ? local : rowsOfOperator(A, parameters.block);
      return { matrix: owned.own(engine.matrix(rows)), ghosts, bounds };
    });
    const hierarchy = new RankHierarchy(context, finest, parameters, preparation, owned);
    const { rows, nnz } = finest.matrix;
    const made = { ...preparation, matrix: { rows, cols: rows, nnz } };
    return new RankMultigrid(context, made, hierarchy, parameters, owned);
  });
}

/** The unknowns of a node, which fit the rows of all ranks. Together. */
function unknownsOverRanks(context: RankContext, rows: CsrMatrix): number {
  return largestThatFits((size) => {
    const counts = countNodes(rows, size);
    const { whole, partial } = counts ?? { whole: 0, partial: 0 };
    const [misfits, all, some] = total(context, counts === undefined ? 1 : 0, whole, partial);
    return misfits === 0 ? { whole: all, partial: some } : undefined;
  });
}

/** The kinds that several ranks make of the whole matrix, not each of its own part. */
export const OVER_RANKS: ReadonlyMap<PreconditionerKind, typeof multigridOverRanks> = new Map([
  [AMG, multigridOverRanks],
]);

/** The wish, as far as this rank can check it. */
function checked(
  { engine, A, spec, options }: RankWish,
  start: number,
): { readonly preparation: Omit<Preparation, 'matrix'>; readonly parameters: MultigridParameters } {
  const { kind: _, values, ...request } = requestOf(engine, spec, options, A.rows);
  const parameters = values as unknown as MultigridParameters;
  const { rows, cols } = A.explain();
  if (rows !== cols) throw mismatch('shape', 'A', 'as many rows as columns', `${rows} × ${cols}`, { rows, cols });
  const { smoother, block, cycle } = parameters;
  if (cycle === 'k') throw mismatch('argument', 'cycle', 'v | w on several ranks', cycle);
  if (!SMOOTHERS_OVER_RANKS.includes(smoother))
    throw mismatch('argument', 'smoother', `${SMOOTHERS_OVER_RANKS.join(' | ')} on several ranks`, smoother);
  if (block > 0 && A.rows % block !== 0)
    throw mismatch('shape', 'block', `a divisor of this rank's ${A.rows} rows`, block);
  return { preparation: { ...request, start }, parameters };
}

class RankMultigrid extends ComposedPreconditioner {
  readonly #context: RankContext;
  /** Unknowns of a node. */
  readonly #block: number;
  readonly #hierarchy: RankHierarchy;
  readonly #cycle: Cycle;
  readonly #owned: Owned;

  /** Takes ownership of what `owned` has. */
  constructor(
    context: RankContext,
    made: Made,
    hierarchy: RankHierarchy,
    { cycle, block }: Pick<MultigridParameters, 'cycle' | 'block'>,
    owned: Owned,
  ) {
    const { levels, coarsest } = hierarchy;
    const cycles = new Cycle(levels, coarsest, { cycle, isSymmetric: true }, owned);
    super(context.engine.space, made, true);
    this.#cycle = cycles;
    this.#context = context;
    this.#block = block;
    this.#hierarchy = hierarchy;
    this.#owned = owned;
  }

  protected override compute(r: Vector, z: Vector): void {
    this.#cycle.run(r, z);
  }

  /** Together. @param given length: the entries of this rank's rows, in their order with ascending columns */
  override update(given: NumberArray): void {
    this.refill(together(this.#context, () => this.checkValues(given)));
  }

  protected override refill(values: FloatArray): void {
    this.#hierarchy.update(values);
  }

  override get bytes(): number {
    return this.#hierarchy.bytes + this.#cycle.bytes;
  }

  /** `levels` and `entries` are those of all ranks. */
  override explain(): PreconditionerReport {
    const { spec, rows, bytes, setupMs } = this;
    const levels = this.#hierarchy.report;
    const entries = levels.reduce((sum, { nnz }) => sum + nnz, 0);
    return { spec, rows, entries, ...(this.#block > 1 && { blockRows: this.#block }), levels, bytes, setupMs };
  }

  protected override release(): void {
    super.release();
    this.#owned[Symbol.dispose]();
  }
}
