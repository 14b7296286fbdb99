/**
 * A good order for rows that come in the order of a file: `partition` computes it on rank 0, of the pattern of the whole matrix, and rows move to where it
 * says (`redistribute.ts`). No rank holds the whole matrix: rank 0 has its pattern for a while, 20 bytes an entry.
 */
import { knownKeys } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { inverted } from '../reorder/permutation.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { distinct } from './halo.js';
import { partition, type RankOrder, type RankPartition } from './partition.js';
import { checkedRows, moveRows, type PlacedRows, type Redistribution } from './redistribute.js';
import { gatherBounds } from './row-range.js';
import { entriesOf, rowsOfEntries } from './send-entries.js';

/** Rows stay where the halo has fewer elements than this share of the rows. Chosen: a cube of 10⁶ rows in 4 slabs has 0.06. */
const LEAST_HALO = 0.125;
/** So few elements from other ranks cost less than what moves the rows. Chosen. */
const LEAST_ELEMENTS = 1024;
/** Rows move if the halo becomes smaller than this share of the present one. Chosen. */
const MOST_LEFT = 0.75;
/** Larger patterns are not gathered: 5 GB on rank 0. Chosen. */
const MOST_ENTRIES: number = 2 ** 28;

export interface OrderRowsOptions {
  /** `partition` knows these orders. One that is named is taken whatever the halo is; `natural` leaves the rows where they are. Default `auto`. */
  readonly order?: RankOrder;
}

export interface OrderedRows extends Redistribution {
  /** `partition` calls the order so. */
  readonly name: RankPartition['name'];
}

/**
 * Returns this rank's rows in an order in which the halo is smaller, if it is large in the present one and there is such an order. Returns undefined, on all
 * ranks, otherwise; also for a matrix that is not square, or has more than 2²⁸ entries. Together.
 *
 * @throws SparlaneError as `csrMatrix` and `partition`, on all ranks
 *
 * @example
 * const rows = await readRows(comm, 'mesh.mtx');
 * const ordered = orderRows(comm, rows);
 * const A = comm.operator(ordered?.rows ?? rows);
 */
export function orderRows(
  comm: Communicator,
  given: RankRows,
  options: OrderRowsOptions = {},
): OrderedRows | undefined {
  knownKeys('options', options, { order: true });
  const { rank, size } = comm;
  const { order = 'auto' } = options;
  comm.engine.space.ranks?.compare('orderRows', { order });
  if (order === 'natural') return undefined;
  const placed = comm.together(() => checkedRows(given));
  const { matrix, firstRow } = placed;
  const { rows, cols, nnz, colIdx } = matrix;
  const ghosts = distinct(colIdx.filter((column) => column < firstRow || column >= firstRow + rows));
  const sums = comm.allreduce(Float64Array.of(rows, nnz, ghosts.length));
  const [all, entries, halo] = sums as unknown as [number, number, number];
  const isSmall = order === 'auto' && halo < Math.max(LEAST_ELEMENTS, LEAST_HALO * all);
  if (size === 1 || all !== cols || isSmall || entries > MOST_ENTRIES) return undefined;
  const former = gatherBounds(comm, rows);
  const pattern = gatherPattern(comm, placed, cols);
  const found = comm.together(() => (rank === 0 ? placesOf(pattern, size, order, MOST_LEFT * halo) : undefined));
  const bounds = comm.allgather(found?.bounds ?? new Uint32Array());
  if (bounds.length === 0) return undefined;
  const name = new TextDecoder().decode(comm.allgather(new TextEncoder().encode(found?.name)));
  const parts = Array.from({ length: size }, (_, r) =>
    Float64Array.from(found?.places.subarray(former[r], former[r + 1]) ?? []),
  );
  const [places] = comm.alltoall(parts);
  const moved = moveRows(comm, placed, Uint32Array.from(places!), bounds);
  return { ...moved, name: name as RankPartition['name'] };
}

/** Returns the place of each row in an order that pays, else undefined. @param most `auto` does not pay with a larger halo */
function placesOf(pattern: CsrMatrix, ranks: number, order: RankOrder, most: number) {
  const found = partition(pattern, ranks, { order });
  const halo = found.halo.reduce((sum, count) => sum + count, 0);
  if (found.order === undefined || (order === 'auto' && halo > most)) return undefined;
  return { name: found.name, bounds: found.bounds, places: inverted(found.order) };
}

/** Returns the pattern of the whole matrix on rank 0, and one without rows on the others. */
function gatherPattern(comm: Communicator, { matrix, firstRow }: PlacedRows, rows: number): CsrMatrix {
  const entries = entriesOf({ ...matrix, field: 'pattern' }, (row) => firstRow + row);
  const bounds = Float64Array.from({ length: comm.size + 1 }, (_, rank) => (rank === 0 ? 0 : rows));
  return rowsOfEntries(comm, { cols: rows, field: 'pattern', symmetry: 'general' }, bounds, entries);
}
