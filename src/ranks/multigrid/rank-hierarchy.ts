/** Multigrid over ranks has levels from the matrix to the one whose rows are gathered on every rank. */
import { Owned } from '../../core/owned.js';
import { type FloatArray, vectorArray } from '../../core/types.js';
import type { HeapScope } from '../../memory/heap.js';
import { Vector } from '../../memory/vector.js';
import type { CycleLevel } from '../../preconditioners/amg/cycle.js';
import { MOST_LEVELS, nearNullSpace } from '../../preconditioners/amg/hierarchy.js';
import type { MultigridParameters } from '../../preconditioners/amg.js';
import type { LevelReport, NearNullSpace, Preparation } from '../../preconditioners/preconditioner.js';
import type { DistributedOperator } from '../distributed-operator.js';
import type { TransposedRows } from '../transposed-rows.js';
import { coarseMatrix, type Transfer, transferFrom } from './coarsening.js';
import { type CoarsestSolve, GatheredSolve } from './gathered.js';
import { InverseOverRanks } from './inverse-over-ranks.js';
import { type LocalRows, type RankContext, setInOrder, together } from './local-rows.js';
import { operatorOfRows, refillRows } from './operator-of-rows.js';
import { type RankSmoother, smootherOver } from './smoother.js';

/** A level of fewer rows on the mean of the ranks is gathered: aggregates within a rank are then only a few. Chosen. */
const LEAST_ROWS = 16;

/** A level that has a coarser one. */
interface RankLevel extends CycleLevel {
  readonly matrix: LocalRows;
  readonly transfer: Pick<Transfer, 'extended' | 'restriction'>;
  readonly block: number;
  readonly A: { readonly operator: DistributedOperator };
  readonly P: DistributedOperator;
  readonly R: TransposedRows;
  readonly smoother: RankSmoother;
}

export class RankHierarchy {
  readonly levels: readonly RankLevel[];
  readonly coarsest: CoarsestSolve;
  readonly #context: RankContext;
  readonly #finest: LocalRows;

  /** Made by all ranks. @param owned gets everything @throws SparlaneError as `amg` */
  constructor(
    context: RankContext,
    finest: LocalRows,
    parameters: MultigridParameters,
    preparation: Omit<Preparation, 'matrix'>,
    owned: Owned,
  ) {
    const { engine, meeting } = context;
    using work = engine.context.heap.scope();
    const made = nearNullSpaceOf(context, finest, parameters, preparation, work);
    const least = Math.max(parameters.coarsest, LEAST_ROWS * meeting.transport.size);
    const levels: RankLevel[] = [];
    let [A, near, block, theta] = [finest, made, parameters.block, parameters.theta];
    while (A.bounds.at(-1)! > least && levels.length < MOST_LEVELS) {
      const title = `level ${levels.length + 1} of ${context.name}`;
      const operator = owned.own(operatorOfRows(context, A, A.bounds, `A on ${title}`, preparation));
      const transfer = transferFrom(context, { A, operator, near, block, theta }, work, owned);
      if (transfer === undefined) break;
      [near, block, theta] = [transfer.near, near.modes, theta / 2];
      const level = rankLevel(context, { A, operator, transfer, block, title }, parameters, preparation, owned);
      levels.push(level);
      A = coarseMatrix(context, A, transfer, block, owned);
    }
    const isFinest = levels.length === 0;
    const gathered = {
      A,
      near: isFinest && preparation.nearNullSpace === undefined ? undefined : near,
      parameters: { ...parameters, block, theta },
      preparation,
    };
    const Coarsest = engine.space.heap === undefined ? InverseOverRanks : GatheredSolve;
    this.coarsest = owned.own(new Coarsest(context, gathered, owned));
    this.levels = levels;
    this.#context = context;
    this.#finest = finest;
  }

  /** Computes all matrices again from other values of the finest one. Prolongations stay. Together. @param values of this rank's rows */
  update(values: FloatArray): void {
    setInOrder(this.#context, this.#finest, values);
    this.levels.forEach(({ matrix, A, transfer, block, smoother }, l) => {
      refillRows(this.#context, A.operator, matrix);
      smoother.update();
      using temporary = new Owned();
      const coarse = coarseMatrix(this.#context, matrix, transfer, block, temporary).matrix;
      const { matrix: next } = this.levels[l + 1]?.matrix ?? this.coarsest.level;
      next.values.set(coarse.values);
    });
    this.coarsest.update();
  }

  /** Rows and entries of all ranks by level, the levels included that each rank has for itself. */
  get report(): readonly LevelReport[] {
    const own = this.levels.map(({ A }): LevelReport => {
      const { rows, nnz } = A.operator.explain();
      return { rows, nnz };
    });
    return [...own, ...this.coarsest.levels];
  }

  /** Of this rank. */
  get bytes(): number {
    const { bytes, level } = this.coarsest;
    return this.levels.reduce((sum, one) => sum + bytesOf(one), bytes + level.matrix.bytes);
  }
}

/** A level before its coarser one is made. */
interface LevelParts {
  readonly A: LocalRows;
  readonly operator: DistributedOperator;
  readonly transfer: Transfer;
  /** Unknowns of a node of the coarser level. */
  readonly block: number;
  readonly title: string;
}

function rankLevel(
  context: RankContext,
  { A, operator, transfer, block, title }: LevelParts,
  { smoother: name, degree }: MultigridParameters,
  { dtype, start }: Omit<Preparation, 'matrix'>,
  owned: Owned,
): RankLevel {
  const P = owned.own(operatorOfRows(context, transfer.P, A.bounds, `P on ${title}`, { dtype, start }));
  // The operator has a copy.
  transfer.P.matrix.dispose();
  const smoother = smootherOver(context, A, operator, { name, degree, dtype, start }, owned);
  const vectors = together(context, () => {
    const vector = (length: number) => owned.own(new Vector(context.engine.space, vectorArray(dtype), length));
    return {
      ...{ residual: vector(P.rows), correction: vector(P.rows) },
      ...{ coarseResidual: vector(P.cols), coarse: vector(P.cols) },
    };
  });
  const { nnz: entries } = operator.explain();
  return {
    ...{ ...vectors, entries, matrix: A, transfer, block },
    ...{ A: { operator }, P, R: P.transposed(), S: smoother.S, smoother },
  };
}

/** Makes the near-null space of the finest level. @param work gets its numbers */
function nearNullSpaceOf(
  context: RankContext,
  { matrix }: LocalRows,
  { block }: MultigridParameters,
  { nearNullSpace: near }: Omit<Preparation, 'matrix'>,
  work: HeapScope,
): NearNullSpace {
  return together(context, () => nearNullSpace(work, matrix.rows, { block, near }));
}

function bytesOf({ matrix, transfer, A, P, smoother, residual, coarse }: RankLevel): number {
  const { extended, restriction } = transfer;
  const matrices = [matrix.matrix, extended.matrix, restriction].reduce((sum, { bytes }) => sum + bytes, 0);
  return matrices + A.operator.bytes + 2 * P.bytes + smoother.S.bytes + 2 * (residual.byteLength + coarse.byteLength);
}
