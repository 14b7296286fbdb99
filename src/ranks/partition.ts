/**
 * Deals the rows of a matrix to ranks: ranges of equal work, in an order of the rows in which few elements of x belong to another rank than
 * the rows that need them. Reverse Cuthill-McKee and Band-k bring neighbours near each other, so a range has ghosts at its two ends only.
 */
import { integer, knownKeys, oneOf } from '../core/checks.js';
import { type ComplexMatrix, isComplexMatrix, numberedEntries } from '../core/complex.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { partition as boundsOf } from '../execution/partition.js';
import { bandk } from '../reorder/bandk.js';
import { bisectionOrder } from '../reorder/by-bisection.js';
import { symmetricGraph } from '../reorder/graph.js';
import { inversePermutation } from '../reorder/permutation.js';
import { rcm } from '../reorder/rcm.js';
import { type ComplexRankRows, complexRankRows } from './complex-rows.js';
import type { RankRows } from './distribute.js';

/**
 * `natural`: that of the matrix. `bisection`: halves of halves, with the fewest ghosts on 4 ranks and more, in 10 to 40 × the time of `rcm`. `auto`: the one of
 * `natural` and `rcm` with fewer ghosts.
 */
export type RankOrder = 'natural' | 'rcm' | 'bandk' | 'bisection' | 'auto';

export interface PartitionOptions {
  /** The order of the rows, and of the columns of a square matrix. Default `auto`; only `natural` for others. */
  readonly order?: RankOrder;
  /** Unknowns of a node: so many consecutive rows stay together. For square matrices if it is more than 1. Default 1. */
  readonly block?: number;
}

export interface RankPartition {
  readonly ranks: number;
  /** Rank r has the rows bounds[r] … bounds[r + 1] − 1, as positions in `order`. */
  readonly bounds: Uint32Array;
  /** The order that was chosen. */
  readonly name: Exclude<RankOrder, 'auto'>;
  /** The row at each position, of rows and columns alike; undefined: the order of the matrix. */
  readonly order: Uint32Array | undefined;
  /** For each rank the elements of x that it gets from others for a product. */
  readonly halo: readonly number[];
  /** Entries of the fullest rank over the mean of all ranks. */
  readonly imbalance: number;
}

/** Parts of a rank's rows in the order `bisection`, and the rows of one at least. */
const PARTS = 16;
const LEAST_PART = 64;

/** Work of a row beside its entries, in entries. */
export const ROW_WORK = 2;

/**
 * @param ranks 1 to 65,536
 * @throws SparlaneError `argument`; `shape` for an order of a matrix that is not square, or blocks that do not divide the rows; and as `csrMatrix`
 *
 * @example
 * const { order } = partition(matrix, 4); // on every rank, or on one that sends the others their rows
 */
export function partition(
  matrix: MatrixInput | ComplexMatrix,
  ranks: number,
  options: PartitionOptions = {},
): RankPartition {
  const csr = isComplexMatrix(matrix) ? numberedEntries(matrix) : csrMatrix(matrix as MatrixInput);
  integer('ranks', ranks, 1, 65_536);
  knownKeys('options', options, { order: true, block: true });
  const block = integer('block', options.block ?? 1, 1, Math.max(1, csr.rows));
  const name = oneOf('order', options.order ?? 'auto', ['natural', 'rcm', 'bandk', 'bisection', 'auto']);
  const isSquare = csr.rows === csr.cols;
  if (!isSquare && options.order !== undefined && name !== 'natural')
    throw mismatch('shape', 'order', "'natural' for a matrix that is not square", name);
  if (block > 1 && !(isSquare && csr.rows % block === 0))
    throw mismatch('shape', 'block', `a divisor of the rows of a square matrix, ${csr.rows} × ${csr.cols}`, block);
  const inOrder = (named: RankPartition['name'], orderOf: ((nodes: CsrMatrix) => Uint32Array) | undefined) =>
    deal(csr, ranks, named, orderOf && rowsOfNodes(orderOf(nodesOf(csr, block)), block), block);
  const byRcm = (nodes: CsrMatrix) => rcm(nodes).rowOrder;
  if (name === 'rcm') return inOrder('rcm', byRcm);
  if (name === 'bandk') return inOrder('bandk', (nodes) => bandk(nodes).rowOrder);
  if (name === 'bisection') return inOrder('bisection', (nodes) => halves(nodes, ranks));
  const natural = inOrder('natural', undefined);
  if (name === 'natural' || !isSquare || sum(natural.halo) === 0) return natural;
  const reordered = inOrder('rcm', byRcm);
  return sum(reordered.halo) < sum(natural.halo) ? reordered : natural;
}

/** The pattern of a matrix among its nodes, each of `block` consecutive rows. */
function nodesOf(matrix: CsrMatrix, block: number): CsrMatrix {
  if (block === 1) return matrix;
  const rows = matrix.rows / block;
  const rowIdx = new Uint32Array(matrix.nnz);
  for (let i = 0; i < matrix.rows; i++) rowIdx.fill(Math.floor(i / block), matrix.rowPtr[i]!, matrix.rowPtr[i + 1]!);
  const colIdx = matrix.colIdx.map((column) => Math.floor(column / block));
  return csrMatrix({ rows, cols: rows, rowIdx, colIdx, values: new Float64Array(matrix.nnz).fill(1) });
}

function rowsOfNodes(order: Uint32Array, block: number): Uint32Array {
  if (block === 1) return order;
  return Uint32Array.from(
    { length: order.length * block },
    (_, i) => order[Math.floor(i / block)]! * block + (i % block),
  );
}

/** Parts that are small beside the rows of a rank, so that a cut of equal work is near an end of one. */
function halves(matrix: CsrMatrix, ranks: number): Uint32Array {
  return bisectionOrder(symmetricGraph(matrix), Math.max(LEAST_PART, Math.floor(matrix.rows / ranks / PARTS)));
}

function deal(
  matrix: CsrMatrix,
  ranks: number,
  name: RankPartition['name'],
  order: Uint32Array | undefined,
  block: number,
): RankPartition {
  const { rows, rowPtr } = matrix;
  const before = order === undefined ? rowPtr : entriesBefore(rowPtr, order);
  const workBefore = (node: number) => before[node * block]! + ROW_WORK * node * block;
  const bounds = boundsOf({ units: rows / block, workBefore }, ranks).map((node) => node * block);
  const entries = Array.from({ length: ranks }, (_, rank) => before[bounds[rank + 1]!]! - before[bounds[rank]!]!);
  const imbalance = matrix.nnz === 0 ? 1 : (Math.max(...entries) * ranks) / matrix.nnz;
  return { ranks, bounds, name, order, halo: halos(matrix, bounds, order), imbalance };
}

function entriesBefore(rowPtr: Uint32Array, order: Uint32Array): Uint32Array {
  const before = new Uint32Array(order.length + 1);
  order.forEach((row, i) => {
    before[i + 1] = before[i]! + rowPtr[row + 1]! - rowPtr[row]!;
  });
  return before;
}

/** The columns outside of each rank's own ones that its rows use. */
function halos(
  { cols, rows, rowPtr, colIdx }: CsrMatrix,
  bounds: Uint32Array,
  order: Uint32Array | undefined,
): number[] {
  const place = order && inversePermutation(order);
  const ranks = bounds.length - 1;
  const ownBound = (rank: number) => (rows === cols ? bounds[rank]! : Math.floor((cols * rank) / ranks));
  /** The latest rank that uses a column, plus 1. */
  const user = new Uint32Array(cols);
  return Array.from({ length: ranks }, (_, rank) => {
    const [first, end] = [ownBound(rank), ownBound(rank + 1)];
    let ghosts = 0;
    for (let i = bounds[rank]!; i < bounds[rank + 1]!; i++) {
      const row = order?.[i] ?? i;
      for (let k = rowPtr[row]!; k < rowPtr[row + 1]!; k++) {
        const col = place?.[colIdx[k]!] ?? colIdx[k]!;
        if ((col >= first && col < end) || user[col] === rank + 1) continue;
        user[col] = rank + 1;
        ghosts++;
      }
    }
    return ghosts;
  });
}

/**
 * The rows of one rank, for `comm.operator`. Vectors are then in the order of the partition: `permuteVector` brings b there, and
 * `inversePermutation` of the order brings x back.
 *
 * @param matrix the one that was partitioned
 * @throws SparlaneError `argument` or `shape` if the partition is not one of the matrix; and as `csrMatrix`
 */
export function rowsOfRank(matrix: MatrixInput, partition: RankPartition, rank: number): RankRows;
/** The same of a complex matrix, for `comm.complexOperator`. Vectors are pairs (re, im), and the order is one of pairs. */
export function rowsOfRank(matrix: ComplexMatrix, partition: RankPartition, rank: number): ComplexRankRows;
export function rowsOfRank(
  matrix: MatrixInput | ComplexMatrix,
  partition: RankPartition,
  rank: number,
): RankRows | ComplexRankRows {
  if (!isComplexMatrix(matrix)) return rowsOf(csrMatrix(matrix as MatrixInput), partition, rank);
  return complexRankRows(rowsOf(numberedEntries(matrix), partition, rank), matrix);
}

function rowsOf(csr: CsrMatrix, partition: RankPartition, rank: number): RankRows {
  const { rows, cols, rowPtr, colIdx, values, field, symmetry } = csr;
  if (!(partition?.bounds instanceof Uint32Array))
    throw mismatch('argument', 'partition', 'one of partition()', partition);
  const { bounds, order } = partition;
  if (bounds.at(-1) !== rows) throw mismatch('shape', 'partition', `one of ${rows} rows`, bounds.at(-1), { rows });
  integer('rank', rank, 0, bounds.length - 2);
  const [firstRow, end] = [bounds[rank]!, bounds[rank + 1]!];
  const shared = { firstRow, rows: end - firstRow, cols, field, symmetry };
  if (order === undefined) {
    const [from, to] = [rowPtr[firstRow]!, rowPtr[end]!];
    const ptr = rowPtr.slice(firstRow, end + 1).map((k) => k - from);
    return { ...shared, rowPtr: ptr, colIdx: colIdx.subarray(from, to), values: values.subarray(from, to) };
  }
  const place = inversePermutation(order);
  const own = order.subarray(firstRow, end);
  const ptr = entriesBefore(rowPtr, own);
  const columns = new Uint32Array(ptr[own.length]!);
  const numbers = new Float64Array(ptr[own.length]!);
  own.forEach((row, i) => {
    for (let k = rowPtr[row]!, at = ptr[i]!; k < rowPtr[row + 1]!; k++, at++) {
      columns[at] = place[colIdx[k]!]!;
      numbers[at] = values[k]!;
    }
  });
  return { ...shared, rowPtr: ptr, colIdx: columns, values: numbers };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
