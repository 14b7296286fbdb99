/**
 * Deals the rows of a matrix to ranks: ranges of equal work, in an order of the rows in which few elements of x belong to another rank than
 * the rows that need them. Parts of the graph have the fewest ghosts; reverse Cuthill-McKee and Band-k bring neighbours near each other, so a range has
 * ghosts at its two ends only.
 */
import { integer, knownKeys, oneOf } from '../core/checks.js';
import { type ComplexMatrix, isComplexMatrix, numberedEntries } from '../core/complex.js';
import { type CsrMatrix, csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { sum } from '../core/sum.js';
import { partition as boundsOf } from '../execution/partition.js';
import { bandk } from '../reorder/bandk.js';
import { boxesOf } from '../reorder/boxes.js';
import { byAscendingKey } from '../reorder/counting-sort.js';
import { symmetricGraph } from '../reorder/graph.js';
import { partsOfGraph, scaled } from '../reorder/graph-parts.js';
import { inversePermutation } from '../reorder/permutation.js';
import { rcmOfGraph } from '../reorder/rcm.js';
import { type ComplexRankRows, complexRankRows } from './complex-rows.js';
import type { RankRows } from './distribute.js';
import { columnBounds } from './halo.js';

/**
 * `natural`: that of the matrix. `rcm`, `bandk`: ranges of these orders. `kway`: parts of the graph with few edges between them, by a multilevel method; the work of a
 * rank is at most 3 % above the mean, unless single rows are heavier. `auto`: the one of `natural`, `rcm` and `kway` with the fewest ghosts, the first of equal ones.
 */
export type RankOrder = 'natural' | 'rcm' | 'bandk' | 'kway' | 'auto';

/** `partition` takes these options. */
export interface PartitionOptions {
  /** The order of the rows, and of the columns of a square matrix. Default `auto`; only `natural` for others. */
  readonly order?: RankOrder;
  /** Unknowns of a node: so many consecutive rows stay together. For square matrices if it is more than 1. Default 1. */
  readonly block?: number;
  /**
   * Each row of a square matrix belongs to a point with these 2 or 3 coordinates, one row after the other. Ranks then get boxes, by halving the work along the longest
   * side (recursive bisection), without a look at the graph; in place of `order`. Of a node the point of its first row counts.
   */
  readonly coordinates?: Float64Array;
}

/** `partition` returns this: which rows each rank has. */
export interface RankPartition {
  readonly ranks: number;
  /** Rank r has the rows bounds[r] … bounds[r + 1] − 1, as positions in `order`. */
  readonly bounds: Uint32Array;
  /** The order that was chosen, or `coordinates`. */
  readonly name: Exclude<RankOrder, 'auto'> | 'coordinates';
  /** The row at each position, of rows and columns alike; undefined: the order of the matrix. */
  readonly order: Uint32Array | undefined;
  /** For each rank the elements of x that it gets from others for a product. */
  readonly halo: readonly number[];
  /** Entries of the fullest rank over the mean of all ranks. */
  readonly imbalance: number;
}

/** Work of a row beside its entries, in entries. */
export const ROW_WORK = 2;

/**
 * Distributes the rows of a matrix over ranks: ranges of equal work, in an order in which a rank needs few elements of x of other ranks.
 *
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
  knownKeys('options', options, { order: true, block: true, coordinates: true });
  const block = integer('block', options.block ?? 1, 1, Math.max(1, csr.rows));
  const name = oneOf('order', options.order ?? 'auto', ['natural', 'rcm', 'bandk', 'kway', 'auto']);
  const isSquare = csr.rows === csr.cols;
  if (!isSquare && options.order !== undefined && name !== 'natural')
    throw mismatch('shape', 'order', "'natural' for a matrix that is not square", name);
  if (block > 1 && !(isSquare && csr.rows % block === 0))
    throw mismatch('shape', 'block', `a divisor of the rows of a square matrix, ${csr.rows} × ${csr.cols}`, block);
  if (options.coordinates !== undefined) return byCoordinates(csr, ranks, block, options);
  const natural = () => deal(csr, ranks, { name: 'natural', block });
  if (name === 'natural' || !isSquare) return natural();
  const nodes = nodesOf(csr, block);
  if (name === 'bandk') return deal(csr, ranks, { name, block, nodes: bandk(nodes).rowOrder });
  const graph = symmetricGraph(nodes);
  const byRcm = () => deal(csr, ranks, { name: 'rcm', block, nodes: rcmOfGraph(graph) });
  const byParts = (inside?: Uint32Array) =>
    deal(csr, ranks, {
      name: 'kway',
      block,
      ...inParts(partsOfGraph(graph, workOfNodes(csr, block), ranks), ranks, inside),
    });
  if (name === 'rcm') return byRcm();
  if (name === 'kway') return byParts();
  const kept = natural();
  if (haloOf(kept) === 0) return kept;
  const ordered = fewerGhosts(kept, byRcm());
  // The rows of a part stay in the better one of the other orders.
  return fewerGhosts(ordered, byParts(ordered.order && nodesIn(ordered.order, block)));
}

/** Returns the second partition if it has fewer ghosts than the first one. */
function fewerGhosts(one: RankPartition, other: RankPartition): RankPartition {
  return haloOf(other) < haloOf(one) ? other : one;
}

function haloOf({ halo }: RankPartition): number {
  return sum(halo);
}

function byCoordinates(
  csr: CsrMatrix,
  ranks: number,
  block: number,
  { coordinates, order }: PartitionOptions,
): RankPartition {
  const { rows, cols } = csr;
  if (order !== undefined) throw mismatch('argument', 'order', 'none beside coordinates', order);
  if (!(coordinates instanceof Float64Array))
    throw mismatch('argument', 'coordinates', 'a Float64Array', typeof coordinates);
  const dimensions = [2, 3].find((count) => coordinates.length === count * rows);
  if (rows !== cols || dimensions === undefined)
    throw mismatch(
      'shape',
      'coordinates',
      `2 or 3 numbers for each row of a square matrix, ${rows} × ${cols}`,
      coordinates.length,
    );
  const bad = coordinates.findIndex((number) => !Number.isFinite(number));
  if (bad >= 0) throw mismatch('argument', `coordinates[${bad}]`, 'a finite number', coordinates[bad]);
  const points = block === 1 ? coordinates : coordinates.filter((_, k) => Math.floor(k / dimensions) % block === 0);
  const boxes = boxesOf(points, dimensions, workOfNodes(csr, block), ranks);
  return deal(csr, ranks, { name: 'coordinates', block, ...inParts(boxes, ranks) });
}

/** Returns the work of the rows of each node in entries, or a fraction of it so that the sum is below 2³⁰. */
export function workOfNodes({ rows, rowPtr }: CsrMatrix, block: number): Uint32Array {
  const entries = (node: number) => rowPtr[(node + 1) * block]! - rowPtr[node * block]!;
  return scaled(Float64Array.from({ length: rows / block }, (_, node) => entries(node) + ROW_WORK * block));
}

/** Sorts the nodes by their parts, and finds the first place of each part. @param inside an order that the nodes of a part keep; undefined: ascending */
function inParts(partOf: Uint32Array, ranks: number, inside?: Uint32Array) {
  const places = byAscendingKey(inside === undefined ? partOf : inside.map((node) => partOf[node]!));
  const ends = new Uint32Array(ranks + 1);
  for (const part of partOf) ends[part + 1]!++;
  for (let rank = 0; rank < ranks; rank++) ends[rank + 1]! += ends[rank]!;
  return { nodes: inside === undefined ? places : places.map((place) => inside[place]!), ends };
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

/** Returns the nodes in the order of their rows. */
function nodesIn(order: Uint32Array, block: number): Uint32Array {
  if (block === 1) return order;
  return Uint32Array.from({ length: order.length / block }, (_, node) => order[node * block]! / block);
}

interface Dealt {
  readonly name: RankPartition['name'];
  readonly block: number;
  /** Each element is the node at this place. Undefined: nodes keep their order. */
  readonly nodes?: Uint32Array;
  /** Each element is the first place of a rank. Undefined: ranks have ranges of equal work. */
  readonly ends?: Uint32Array;
}

function deal(matrix: CsrMatrix, ranks: number, { name, block, nodes, ends }: Dealt): RankPartition {
  const { rows, rowPtr } = matrix;
  const order = nodes && rowsOfNodes(nodes, block);
  const before = order === undefined ? rowPtr : entriesBefore(rowPtr, order);
  const workBefore = (node: number) => before[node * block]! + ROW_WORK * node * block;
  const firstNodes = ends ?? boundsOf({ units: rows / block, workBefore }, ranks);
  const bounds = firstNodes.map((node) => node * block);
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
function halos({ cols, rowPtr, colIdx }: CsrMatrix, bounds: Uint32Array, order: Uint32Array | undefined): number[] {
  const place = order && inversePermutation(order);
  const ranks = bounds.length - 1;
  const columns = columnBounds(bounds, cols);
  /** The latest rank that uses a column, plus 1. */
  const user = new Uint32Array(cols);
  return Array.from({ length: ranks }, (_, rank) => {
    const [first, end] = [columns[rank]!, columns[rank + 1]!];
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
