/** Entries that ranks send each other while levels are made: rows of ghosts, and parts of rows of the coarse matrix. */
import { newMatrix } from '../../algebra/new-matrix.js';
import type { CsrMatrix } from '../../core/csr.js';
import { distinct } from '../../core/distinct.js';
import { csrFromEntries } from '../../core/entries.js';
import type { Owned } from '../../core/owned.js';
import type { Bounds, HaloPlan } from '../halo.js';
import { columnsOf, type LocalRows, placesIn, type RankContext, together } from './local-rows.js';

/** Row, column and value of an entry, by global numbers, then those of the next one. */
export type GlobalEntries = Float64Array;

/** The entries of some rows. @param rowOf the global numbers of rows */
export function entriesOf(
  rows: LocalRows,
  rank: number,
  some: ArrayLike<number>,
  rowOf: (row: number) => number,
): GlobalEntries {
  const { rowPtr, colIdx, values } = rows.matrix;
  const columnOf = columnsOf(rows, rank);
  let count = 0;
  for (let r = 0; r < some.length; r++) count += rowPtr[some[r]! + 1]! - rowPtr[some[r]!]!;
  const entries = new Float64Array(3 * count);
  let at = 0;
  for (let r = 0; r < some.length; r++) {
    const row = some[r]!;
    for (let k = rowPtr[row]!; k < rowPtr[row + 1]!; k++) {
      entries[at++] = rowOf(row);
      entries[at++] = columnOf(colIdx[k]!);
      entries[at++] = values[k]!;
    }
  }
  return entries;
}

/** The columns of other ranks. */
export function strangersIn(received: readonly GlobalEntries[], bounds: Bounds, rank: number): number[] {
  const [first, end] = [bounds[rank]!, bounds[rank + 1]!];
  const strangers: number[] = [];
  for (const entries of received)
    for (let at = 1; at < entries.length; at += 3) {
      const column = entries[at]!;
      if (column < first || column >= end) strangers.push(column);
    }
  return strangers;
}

/** A matrix of what was received. Entries of the same place are added in the order of the ranks. */
export function matrixOfEntries(
  received: readonly GlobalEntries[],
  { rows, cols }: Pick<CsrMatrix, 'rows' | 'cols'>,
  rowOf: (row: number) => number,
  columnOf: (column: number) => number,
): CsrMatrix {
  const count = received.reduce((sum, { length }) => sum + length / 3, 0);
  const all = {
    rowIdx: new Uint32Array(count),
    colIdx: new Uint32Array(count),
    values: new Float64Array(count),
    used: 0,
  };
  for (const entries of received) {
    for (let at = 0; at < entries.length; at += 3) {
      all.rowIdx[all.used] = rowOf(entries[at]!);
      all.colIdx[all.used] = columnOf(entries[at + 1]!);
      all.values[all.used++] = entries[at + 2]!;
    }
  }
  return csrFromEntries({ rows, cols, field: 'real', symmetry: 'general' }, [all]);
}

/** A plan of a halo, the ghosts that it brings, and the ranges of their numbers. */
export interface GhostPlan {
  readonly plan: HaloPlan;
  readonly ghosts: Uint32Array;
  readonly bounds: Bounds;
}

/** The own rows, and below them those of the ghosts, which their owners send. Together. @param owned gets the result */
export function withGhostRows(
  context: RankContext,
  rows: LocalRows,
  { plan, ghosts, bounds: rowBounds }: GhostPlan,
  owned: Owned,
): LocalRows {
  const { meeting, engine, rank } = context;
  const { bounds } = rows;
  const firstRow = rowBounds[rank]!;
  const parts: Float64Array[] = Array.from({ length: meeting.transport.size }, () => new Float64Array());
  for (const { rank: to, places } of plan.sends) parts[to] = entriesOf(rows, rank, places, (row) => firstRow + row);
  const received = meeting.allToAll(parts);
  return together(context, () => {
    const columns = distinct(Uint32Array.from([...rows.ghosts, ...strangersIn(received, bounds, rank)]));
    const cols = bounds[rank + 1]! - bounds[rank]! + columns.length;
    const columnOf = placesIn(columns, bounds, rank);
    const rowOf = placesIn(ghosts, new Float64Array(2), 0);
    const below = matrixOfEntries(received, { rows: ghosts.length, cols }, rowOf, columnOf);
    const above = renumbered(rows, rank, cols, columnOf);
    return { matrix: owned.own(engine.matrix(stacked(above, below))), ghosts: columns, bounds };
  });
}

/** The same entries with other columns, which ascend as those before. @param rows default: all */
export function renumbered(
  local: LocalRows,
  rank: number,
  cols: number,
  place: (column: number) => number,
  rows: number = local.matrix.rows,
): CsrMatrix {
  const { rowPtr, colIdx, values } = local.matrix;
  const nnz = rowPtr[rows]!;
  const columnOf = columnsOf(local, rank);
  const columns = Uint32Array.from({ length: local.matrix.cols }, (_, column) => place(columnOf(column)));
  return newMatrix({
    ...{ rows, cols, rowPtr: rowPtr.subarray(0, rows + 1) },
    colIdx: colIdx.subarray(0, nnz).map((column) => columns[column]!),
    values: values.subarray(0, nnz),
  });
}

function stacked(above: CsrMatrix, below: CsrMatrix): CsrMatrix {
  const { rows, nnz, cols } = above;
  const rowPtr = new Uint32Array(rows + below.rows + 1);
  rowPtr.set(above.rowPtr);
  for (let i = 0; i <= below.rows; i++) rowPtr[rows + i] = nnz + below.rowPtr[i]!;
  const colIdx = new Uint32Array(nnz + below.nnz);
  colIdx.set(above.colIdx);
  colIdx.set(below.colIdx, nnz);
  const values = new Float64Array(nnz + below.nnz);
  values.set(above.values);
  values.set(below.values, nnz);
  return newMatrix({ rows: rows + below.rows, cols, rowPtr, colIdx, values });
}
