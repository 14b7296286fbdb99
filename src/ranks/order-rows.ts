/**
 * A good order for rows that come in the order of a file: each rank gets a part of the graph of the matrix (`parts/parts-of-rows.ts`), and in a part rows are near
 * their neighbours. No rank ever holds the whole matrix, nor its pattern.
 */
import { knownKeys, oneOf } from '../core/checks.js';
import type { CsrMatrix } from '../core/csr.js';
import { distinct } from '../core/distinct.js';
import { symmetricGraph } from '../reorder/graph.js';
import { inverted } from '../reorder/permutation.js';
import { rcmOfGraph } from '../reorder/rcm.js';
import type { Communicator } from './communicator.js';
import type { RankRows } from './distribute.js';
import { divideRows } from './division.js';
import type { Bounds } from './halo.js';
import { partsOfRows } from './parts/parts-of-rows.js';
import { checkedRows, moveRows, placesOnRanks, type Redistribution } from './redistribute.js';

/** Rows stay where the halo has fewer elements than this share of the rows. Chosen: a cube of 10⁶ rows in 4 slabs has 0.06. */
const LEAST_HALO = 0.125;
/** So few elements from other ranks cost less than what moves the rows. Chosen. */
const LEAST_ELEMENTS = 1024;
/** Rows move if the halo becomes smaller than this share of the present one. Chosen. */
const MOST_LEFT = 0.75;

/**
 * `kway`: parts of the graph of the matrix with few entries between them, as those of `partition`, whatever the halo is. `natural`: rows stay. `auto`: `kway` where that
 * makes a large halo smaller by enough.
 */
export type RowsOrder = 'auto' | 'natural' | 'kway';

/** `orderRows` takes these options. */
export interface OrderRowsOptions {
  /** Default `auto`. */
  readonly order?: RowsOrder;
}

/**
 * Returns this rank's rows in an order in which the halo is smaller, if it is large in the present one and there is such an order. Returns undefined, on all
 * ranks, otherwise; also for a matrix that is not square. The same rows on as many ranks have the same order, however ranks reach each other. Together.
 *
 * Memory: some 80 bytes for each entry of A + Aᵀ in this rank's rows, for a while, and up to 30 MB on rank 0.
 *
 * @throws SparlaneError `argument` for another order, and as `csrMatrix`, on all ranks
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
): Redistribution | undefined {
  knownKeys('options', options, { order: true });
  const { size } = comm;
  const { order = 'auto' } = options;
  comm.engine.space.ranks?.compare('orderRows', { order });
  comm.together(() => oneOf('order', order, ['auto', 'natural', 'kway']));
  if (order === 'natural') return undefined;
  const placed = comm.together(() => checkedRows(given));
  const { matrix, firstRow } = placed;
  const { rows, cols } = matrix;
  const [all, halo] = comm.allreduce(Float64Array.of(rows, haloOf(matrix, firstRow))) as unknown as [number, number];
  const isSmall = order === 'auto' && halo < Math.max(LEAST_ELEMENTS, LEAST_HALO * all);
  if (size === 1 || all !== cols || isSmall) return undefined;
  const { places, bounds } = placesOnRanks(comm, partsOfRows(comm, placed));
  const pattern = { ...placed, matrix: { ...matrix, field: 'pattern' } } as const;
  const parts = moveRows(comm, pattern, places, bounds);
  const moved = checkedRows(parts.rows);
  if (order === 'auto' && comm.allreduce(haloOf(moved.matrix, moved.firstRow)) > MOST_LEFT * halo) return undefined;
  const inside = comm.together(() => placesInside(moved.matrix, comm.rank, bounds));
  return moveRows(comm, placed, Uint32Array.from(parts.restore(inside)), bounds);
}

/** Returns how many elements of x a rank gets from others for a product. */
function haloOf({ rows, colIdx }: CsrMatrix, firstRow: number): number {
  return distinct(colIdx.filter((column) => column < firstRow || column >= firstRow + rows)).length;
}

/**
 * Returns the place of each row of a rank in the better one of two orders, the present one and reverse Cuthill-McKee: the one with the smaller mean distance of entries from the
 * diagonal, among own columns.
 */
function placesInside(matrix: CsrMatrix, rank: number, bounds: Bounds): Float64Array {
  const { own } = divideRows(matrix, rank, bounds);
  const graph = symmetricGraph(own);
  const place = inverted(rcmOfGraph(graph));
  let gain = 0;
  for (let i = 0; i < own.rows; i++)
    for (let k = own.rowPtr[i]!; k < own.rowPtr[i + 1]!; k++)
      gain += Math.abs(own.colIdx[k]! - i) - Math.abs(place[own.colIdx[k]!]! - place[i]!);
  return Float64Array.from(place, (there, i) => bounds[rank]! + (gain > 0 ? there : i));
}
