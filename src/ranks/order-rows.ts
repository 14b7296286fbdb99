/**
 * A good order for rows that come in the order of a file: `partition` computes it on rank 0, of the pattern of the whole matrix, and rows move to where it
 * says (`redistribute.ts`). No rank holds the whole matrix: rank 0 has its pattern for a while, 20 bytes an entry.
 */
import { entryChunk } from '../core/entries.js';
import { inverted } from '../reorder/permutation.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { distinct } from './halo.js';
import { partition, type RankPartition } from './partition.js';
import { checkedRows, moveRows, type PlacedRows, type Redistribution } from './redistribute.js';
import { pointersOf } from './row-range.js';
import { rowsOfEntries } from './send-entries.js';

/** A smaller halo is left as it is: elements from other ranks for each row of the matrix. Chosen: a cube of 10⁶ rows in 4 slabs has 0.06. */
const LEAST_HALO = 0.125;
/** Larger patterns are not gathered: 5 GB on rank 0. Chosen. */
const MOST_ENTRIES: number = 2 ** 28;

export interface OrderedRows extends Redistribution {
  /** Of the order, as `partition` names it. */
  readonly name: RankPartition['name'];
}

/**
 * This rank's rows in an order in which the halo is smaller, if it is large in the present one and there is such an order. Undefined, on all ranks, otherwise; also for a matrix that
 * is not square, or has more than 2²⁸ entries. Together.
 *
 * @throws SparlaneError as `csrMatrix`, on all ranks
 *
 * @example
 * const ordered = orderRows(comm, await readRows(comm, 'mesh.mtx'));
 */
export function orderRows(comm: Communicator, given: RankRows): OrderedRows | undefined {
  const { rank, size } = comm;
  const placed = comm.together(() => checkedRows(given));
  const { matrix, firstRow } = placed;
  const { rows, cols, nnz, colIdx } = matrix;
  const own = distinct(colIdx.filter((column) => column < firstRow || column >= firstRow + rows));
  const [all, entries, halo] = comm.allreduce(Float64Array.of(rows, nnz, own.length)) as Float64Array;
  if (all !== cols || halo! < LEAST_HALO * all || entries! > MOST_ENTRIES) return undefined;
  const former = pointersOf(comm.allgather(Uint32Array.of(rows)));
  const pattern = gatherPattern(comm, placed, cols);
  const found = comm.together(() => (rank === 0 ? partition(pattern, size) : undefined));
  const order = comm.together(() => found?.order && inverted(found.order));
  const bounds = new Float64Array(size + 2);
  if (found !== undefined && order !== undefined) bounds.set([NAMES.indexOf(found.name) + 1, ...found.bounds]);
  comm.broadcast(bounds);
  if (bounds[0] === 0) return undefined;
  const parts = Array.from({ length: size }, (_, r) =>
    Float64Array.from(order?.subarray(former[r], former[r + 1]) ?? []),
  );
  const [places] = comm.alltoall(parts);
  return { ...moveRows(comm, placed, Uint32Array.from(places!), bounds.subarray(1)), name: NAMES[bounds[0]! - 1]! };
}

const NAMES: readonly RankPartition['name'][] = ['natural', 'rcm', 'bandk', 'bisection'];

/** The pattern of the whole matrix on rank 0; one without rows on the others. */
function gatherPattern(comm: Communicator, { matrix, firstRow }: PlacedRows, rows: number) {
  const { nnz, rowPtr, colIdx } = matrix;
  const entries = entryChunk('pattern', nnz);
  for (let i = 0; i < matrix.rows; i++) entries.rowIdx.fill(firstRow + i, rowPtr[i]!, rowPtr[i + 1]!);
  entries.colIdx.set(colIdx);
  entries.used = nnz;
  const bounds = Float64Array.from({ length: comm.size + 1 }, (_, rank) => (rank === 0 ? 0 : rows));
  return rowsOfEntries(comm, { cols: rows, field: 'pattern', symmetry: 'general' }, bounds, entries);
}
