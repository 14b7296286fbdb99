/**
 * Rows of a matrix that move to other ranks, or to other places, and vectors that go with them. No rank holds more than its former and its new rows.
 *
 * Memory: for a while 16 bytes for each entry of the former rows, and as `send-entries.ts`.
 */

import { asIndices, concatenated, type IndexArray } from '../core/arrays.js';
import { type CsrMatrix, csrMatrix } from '../core/csr.js';
import { distinct } from '../core/distinct.js';
import { mismatch } from '../core/errors.js';
import { lowerBound } from '../core/search.js';
import type { FloatArray, Symmetry } from '../core/types.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { ghostsByOwner } from './halo.js';
import { gatherBounds, pointersOf, rankRows } from './row-range.js';
import { entriesOf, indicesByOwner, type RowBounds, rowsOfEntries, type Sender } from './send-entries.js';

/** Rows of a matrix are in new places. */
export interface Redistribution {
  /** `comm.operator` takes these new rows of this rank. */
  readonly rows: RankRows;
  /** Each of this rank's former rows has this number in the new order of the whole matrix. */
  readonly places: Uint32Array;
  /**
   * Returns this rank's part of a vector, in the places of the new rows. Together.
   *
   * @param part one number for each former row
   * @throws SparlaneError `shape`, on all ranks
   */
  permute(part: FloatArray): Float64Array;
  /** Returns a part in the places of the former rows, of one in those of the new rows. Together. @throws as `permute` */
  restore(part: FloatArray): Float64Array;
}

/** Redistributing needs these calls of a communicator. */
type Redistributor = Sender & Pick<Communicator, 'allgather' | 'together'>;

/** @throws as `Communicator.redistribute` */
export function redistribute(comm: Redistributor, given: RankRows, part: IndexArray): Redistribution {
  const { ranks, ...placed } = comm.together(() => ({
    ...checkedRows(given),
    ranks: checkedRanks(given, part, comm.size),
  }));
  const { places, bounds } = placesOnRanks(comm, ranks);
  return moveRows(comm, placed, places, bounds);
}

/** Returns the new number of each row of this rank, and the rows of each rank, if each row goes to the rank that is named. Rows of a rank stay in their order. Together. */
export function placesOnRanks(
  comm: Redistributor,
  ranks: ArrayLike<number>,
): { readonly places: Uint32Array; readonly bounds: Float64Array } {
  const { rank, size } = comm;
  const counts = new Uint32Array(size);
  for (let i = 0; i < ranks.length; i++) counts[ranks[i]!]!++;
  const all = comm.allgather(counts);
  const sumOf = (to: number, before: number) => {
    let sum = 0;
    for (let from = 0; from < before; from++) sum += all[from * size + to]!;
    return sum;
  };
  const bounds = pointersOf(Array.from({ length: size }, (_, to) => sumOf(to, size)));
  const next = bounds.subarray(0, size).map((begin, to) => begin + sumOf(to, rank));
  const places = Uint32Array.from(ranks, (to) => next[to]!++);
  return { places, bounds };
}

/** Canonical rows of a rank begin at row `firstRow` of the whole matrix. */
export interface PlacedRows {
  readonly firstRow: number;
  readonly matrix: CsrMatrix;
  /** Of the whole matrix. */
  readonly symmetry: Symmetry;
}

/** @throws SparlaneError as `csrMatrix` */
export function checkedRows({ firstRow, symmetry = 'general', ...arrays }: RankRows): PlacedRows {
  return { matrix: csrMatrix(arrays), firstRow, symmetry };
}

function checkedRanks({ rows }: RankRows, part: IndexArray, size: number): Uint32Array {
  const ranks = asIndices('part', part);
  if (ranks.length !== rows) throw mismatch('shape', 'part', `a rank for each of ${rows} rows`, part);
  const wrong = ranks.findIndex((to) => to >= size);
  if (wrong >= 0) throw mismatch('argument', `part[${wrong}]`, `a rank from 0 to ${size - 1}`, ranks[wrong]);
  return ranks;
}

/**
 * Moves each row to its place, on the rank that has this place by `bounds`. Columns of a square matrix are renumbered as its rows, others stay. Together.
 *
 * @param places the new number of each row: those of all ranks are a permutation
 */
export function moveRows(
  comm: Redistributor,
  { matrix, firstRow, symmetry }: PlacedRows,
  places: Uint32Array,
  bounds: RowBounds,
): Redistribution {
  const { rank } = comm;
  const { cols, field } = matrix;
  const isSquare = bounds[bounds.length - 1] === cols;
  const entries = entriesOf(matrix, (row) => places[row]!);
  if (isSquare) entries.colIdx.set(newColumns(comm, matrix, firstRow, places));
  const moved = rowsOfEntries(comm, { cols, field, symmetry: 'general' }, bounds, entries);
  const routes = routesOf(comm, places, bounds);
  return {
    rows: rankRows(moved, bounds[rank]!, isSquare ? symmetry : 'general'),
    places,
    permute: (part) => send(comm, routes.former, routes.latter, part),
    restore: (part) => send(comm, routes.latter, routes.former, part),
  };
}

/** Returns the new number of the column of each entry. The owner of a column knows it. */
function newColumns(
  comm: Redistributor,
  { rows, colIdx }: CsrMatrix,
  firstRow: number,
  places: Uint32Array,
): Uint32Array {
  const former = gatherBounds(comm, rows);
  const isOwn = (column: number) => column >= firstRow && column < firstRow + rows;
  const ghosts = distinct(colIdx.filter((column) => !isOwn(column)));
  const wanted = comm.alltoall(ghostsByOwner(ghosts, former));
  const told = comm.alltoall(wanted.map((columns) => columns.map((column) => places[column - firstRow]!)));
  const numbers = concatenated(Uint32Array, told);
  return colIdx.map((column) => (isOwn(column) ? places[column - firstRow]! : numbers[lowerBound(ghosts, column)]!));
}

/** These elements of a part go to each rank, or come from it, in the same order on both sides. */
interface Side {
  readonly length: number;
  readonly ofRanks: readonly Uint32Array[];
}

function routesOf(comm: Redistributor, places: Uint32Array, bounds: RowBounds): { former: Side; latter: Side } {
  const { rank } = comm;
  const sent = indicesByOwner(places, bounds);
  const told = comm.alltoall(sent.map((own, to) => Float64Array.from(own, (i) => places[i]! - bounds[to]!)));
  return {
    former: { length: places.length, ofRanks: sent },
    latter: {
      length: bounds[rank + 1]! - bounds[rank]!,
      ofRanks: told.map((numbers) => Uint32Array.from(numbers)),
    },
  };
}

function send(comm: Redistributor, from: Side, to: Side, part: FloatArray): Float64Array {
  comm.together(() => {
    if (part.length !== from.length) throw mismatch('shape', 'part', `length ${from.length}`, part);
  });
  const moved = new Float64Array(to.length);
  comm.alltoall(from.ofRanks.map((own) => Float64Array.from(own, (i) => part[i]!))).forEach((numbers, rank) => {
    const own = to.ofRanks[rank]!;
    for (let k = 0; k < own.length; k++) moved[own[k]!] = numbers[k]!;
  });
  return moved;
}
