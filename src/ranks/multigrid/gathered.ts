/**
 * The coarsest level of all ranks, gathered on each of them: all solve the same problem, as one process would, and keep their part of the
 * solution. So nobody waits for a rank that solves alone, and the bits are the same on all ranks.
 */
import { newMatrix } from '../../algebra/new-matrix.js';
import type { CsrMatrix } from '../../core/csr.js';
import type { Owned } from '../../core/owned.js';
import { vectorArray } from '../../core/types.js';
import { Vector } from '../../memory/vector.js';
import { LinearOperator } from '../../operators/operator.js';
import { AMG, type MultigridParameters } from '../../preconditioners/amg.js';
import type { LevelReport, NearNullSpace, Preconditioner, Preparation } from '../../preconditioners/preconditioner.js';
import { columnsOf, forEachInOrder, type LocalRows, type RankContext, together, valuesInOrder } from './local-rows.js';

/** The level, and what the multigrid of one process needs. */
export interface GatheredLevel {
  readonly A: LocalRows;
  /** This rank's part; undefined: the default. */
  readonly near: NearNullSpace | undefined;
  readonly parameters: MultigridParameters;
  readonly preparation: Pick<Preparation, 'dtype' | 'spec' | 'start'>;
}

/** This solves on the coarsest level of all ranks. */
export interface CoarsestSolve extends LinearOperator {
  readonly level: LocalRows;
  /** The first one is the level itself; others are those that each rank has for itself. */
  readonly levels: readonly LevelReport[];
  readonly bytes: number;
  /** Computes it again from the values of the level's matrix. Together. */
  update(): void;
}

/** y ← α M⁻¹ x + β y, where M is the multigrid of one process for the matrix of all ranks. */
export class GatheredSolve extends LinearOperator implements CoarsestSolve {
  /** Of all rows. */
  readonly #solver: Preconditioner;
  readonly level: LocalRows;
  readonly #context: RankContext;
  /** Rows of each rank. */
  readonly #lengths: readonly number[];
  readonly #all: Vector;
  readonly #solution: Vector;

  /** Made by all ranks. @param owned gets what it is made of @throws SparlaneError as `amg` */
  constructor(context: RankContext, { A, near, parameters, preparation }: GatheredLevel, owned: Owned) {
    const { engine, meeting } = context;
    const type = vectorArray(preparation.dtype);
    super(engine.space, A.matrix.rows, A.matrix.rows, type);
    const matrix = gatherRows(context, A);
    const numbers = near && meeting.gather(Float64Array.from(near.numbers)).all;
    const all = { ...preparation, matrix, ...(near && { nearNullSpace: { modes: near.modes, numbers: numbers! } }) };
    const vector = () => owned.own(new Vector(engine.space, type, matrix.rows));
    const made = together(context, () => {
      return { solver: owned.own(AMG.prepare(engine, all, { ...parameters })), vectors: [vector(), vector()] as const };
    });
    this.#solver = made.solver;
    [this.#all, this.#solution] = made.vectors;
    this.#context = context;
    this.level = A;
    this.#lengths = Array.from(A.bounds.subarray(1), (end, rank) => end - A.bounds[rank]!);
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    const { meeting, rank } = this.#context;
    meeting.gatherInto(x.data, this.#lengths, this.#all.data);
    this.#solver.apply(this.#all, this.#solution);
    const first = this.level.bounds[rank]!;
    const own = this.#solution.data.subarray(first, first + this.rows);
    const target = y.data;
    if (alpha === 1 && beta === 0) target.set(own);
    else for (let i = 0; i < own.length; i++) target[i] = alpha * own[i]! + (beta === 0 ? 0 : beta * target[i]!);
  }

  update(): void {
    const { all } = this.#context.meeting.gather(valuesInOrder(this.#context, this.level));
    together(this.#context, () => this.#solver.update(all));
  }

  get levels(): readonly LevelReport[] {
    return this.#solver.explain().levels!;
  }

  /** Of the matrices, and of the vectors of all rows. */
  get bytes(): number {
    return this.#solver.bytes + this.#all.byteLength + this.#solution.byteLength;
  }
}

/** Gathers the rows of all ranks on each. Together. */
export function gatherRows(context: RankContext, A: LocalRows): CsrMatrix {
  const { meeting, rank } = context;
  const { rows, nnz, rowPtr, colIdx } = A.matrix;
  const columnOf = columnsOf(A, rank);
  const columns = new Uint32Array(nnz);
  let at = 0;
  forEachInOrder(A, rank, (place) => {
    columns[at++] = columnOf(colIdx[place]!);
  });
  const lengths = meeting.gather(Uint32Array.from({ length: rows }, (_, i) => rowPtr[i + 1]! - rowPtr[i]!)).all;
  const ptr = new Uint32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) ptr[i + 1] = ptr[i]! + lengths[i]!;
  const all = { colIdx: meeting.gather(columns).all, values: meeting.gather(valuesInOrder(context, A)).all };
  return newMatrix({ rows: lengths.length, cols: lengths.length, rowPtr: ptr, ...all });
}
