/**
 * The coarsest level of ranks on devices: each multiplies by its rows of the inverse, which it computes on the CPU from the rows of all ranks. So the level is a product as those of
 * the other levels are, and a part of the recorded step.
 */
import type { CsrMatrix } from '../../core/csr.js';
import type { Owned } from '../../core/owned.js';
import { type FloatArray, vectorArray } from '../../core/types.js';
import type { Vector } from '../../memory/vector.js';
import { LinearOperator } from '../../operators/operator.js';
import { fullRows, inverseOf } from '../../preconditioners/amg/dense-inverse.js';
import type { LevelReport } from '../../preconditioners/preconditioner.js';
import type { DistributedOperator } from '../distributed-operator.js';
import { type CoarsestSolve, type GatheredLevel, gatherRows } from './gathered.js';
import { type LocalRows, type RankContext, together, valuesInOrder } from './local-rows.js';
import { type NumberedRows, operatorOfRows } from './operator-of-rows.js';

export class InverseOverRanks extends LinearOperator implements CoarsestSolve {
  readonly level: LocalRows;
  readonly #context: RankContext;
  readonly #matrix: CsrMatrix;
  readonly #inverse: DistributedOperator;

  /** Made by all ranks. @param owned gets what it is made of @throws SparlaneError `backend` for too many rows */
  constructor(context: RankContext, { A, preparation }: GatheredLevel, owned: Owned) {
    const { start } = preparation;
    const dtype = preparation.dtype === 'mixed' ? 'f64' : preparation.dtype;
    super(context.engine.space, A.matrix.rows, A.matrix.rows, vectorArray(dtype));
    const matrix = gatherRows(context, A);
    const values = together(context, () => rowsOfInverse(context, A, matrix, matrix.values));
    const numbered = numberedRows(A, context.rank, values);
    this.#inverse = owned.own(
      operatorOfRows(context, numbered, A.bounds, `the inverse of ${context.name}`, { dtype, start }),
    );
    this.level = A;
    this.#context = context;
    this.#matrix = matrix;
  }

  protected override run(x: Vector, y: Vector, alpha: number, beta: number): void {
    this.#inverse.apply(x, y, alpha, beta);
  }

  update(): void {
    const { all } = this.#context.meeting.gather(valuesInOrder(this.#context, this.level));
    const made = together(this.#context, () => rowsOfInverse(this.#context, this.level, this.#matrix, all));
    this.#inverse.update(made);
  }

  get levels(): readonly LevelReport[] {
    const { rows, nnz } = this.#matrix;
    return [{ rows, nnz }];
  }

  get bytes(): number {
    return this.#inverse.bytes;
  }
}

/** Returns this rank's rows of the inverse, one after the other. */
function rowsOfInverse(
  { engine, rank }: RankContext,
  { bounds }: LocalRows,
  matrix: CsrMatrix,
  values: FloatArray,
): Float64Array {
  return inverseOf(engine, matrix, values).subarray(bounds[rank]! * matrix.rows, bounds[rank + 1]! * matrix.rows);
}

/** Returns full rows with their columns numbered: own ones first, then those of the other ranks. */
function numberedRows({ matrix: { rows }, bounds }: LocalRows, rank: number, values: Float64Array): NumberedRows {
  const all = bounds.at(-1)!;
  const [first, end] = [bounds[rank]!, bounds[rank + 1]!];
  const numbered = new Float64Array(values.length);
  for (let i = 0; i < rows; i++) {
    const row = values.subarray(i * all, (i + 1) * all);
    numbered.set(row.subarray(first, end), i * all);
    numbered.set(row.subarray(0, first), i * all + rows);
    numbered.set(row.subarray(end), i * all + end);
  }
  const ghosts = Uint32Array.from({ length: all - rows }, (_, k) => (k < first ? k : k + rows));
  return { matrix: fullRows(rows, all, numbered), ghosts, bounds };
}
