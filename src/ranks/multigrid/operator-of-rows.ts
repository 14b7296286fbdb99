/** Each rank has its rows of the operator of a level, or of one between two levels: this file makes it, and replaces its values. */
import type { CompressedRows } from '../../core/csr.js';
import type { Preparation } from '../../preconditioners/preconditioner.js';
import { operatorOf, type RankedShape, storing } from '../distribute.js';
import type { DistributedOperator } from '../distributed-operator.js';
import { divideNumbered } from '../division.js';
import { dividedValues, type LocalRows, plain, type RankContext, valuesInOrder } from './local-rows.js';

/** Columns are numbered as in `LocalRows`; the rows may be in any memory. */
export interface NumberedRows extends Pick<LocalRows, 'ghosts' | 'bounds'> {
  readonly matrix: CompressedRows;
}

/** Makes an operator of the rows of all ranks, in `csr`. Together. @param rowBounds the rows of each rank */
export function operatorOfRows(
  { meeting, engine }: RankContext,
  rows: NumberedRows,
  rowBounds: LocalRows['bounds'],
  name: string,
  { dtype, start }: Pick<Preparation, 'dtype' | 'start'>,
): DistributedOperator {
  const entries = [...meeting.gather(Float64Array.of(rows.matrix.nnz)).all];
  const shape: RankedShape = {
    ...{ rows: rowBounds.at(-1)!, cols: rows.bounds.at(-1)!, nnz: entries.reduce((sum, nnz) => sum + nnz, 0) },
    ...{ rowBounds, colBounds: rows.bounds, entries },
  };
  const divided = divideNumbered(plain(rows.matrix), rows.ghosts);
  const store = storing(engine, divided, { format: 'csr', ghostFormat: 'csr', dtype });
  return operatorOf(meeting, engine, { name, shape, divided, start }, store);
}

/** Replaces the values of an operator by those of rows with its pattern. Together. */
export function refillRows(context: RankContext, operator: DistributedOperator, rows: LocalRows): void {
  if (context.engine.space.heap === undefined) operator.update(valuesInOrder(context, rows));
  else operator.refill(...dividedValues(rows));
}
