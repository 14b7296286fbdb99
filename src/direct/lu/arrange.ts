/**
 * The arrangement of a matrix for sparse LU: P A Q in block upper triangular form, with entries on the whole diagonal, and each diagonal block
 * in an order of little fill.
 *
 * Source: Davis & Palamadai Natarajan, "Algorithm 907: KLU", ACM TOMS 37, 2010.
 * Differs: all blocks are ordered by one call, as components of one graph; rows are chosen by the values. No order for AᵀA (COLAMD), whose fill is
 *   bounded for any pivots: since few pivots leave the diagonal, it filled in 1.03 to 2 times as many entries on nine matrices of circuits,
 *   chemistry, flows and grids, the least symmetric ones included.
 */
import type { CsrMatrix } from '../../core/csr.js';
import { mismatch } from '../../core/errors.js';
import { type PlacedPattern, transposedPlaces } from '../../core/transpose.js';
import { columnCounts, eliminationTree, postorder, relabelled } from '../../reorder/elimination.js';
import type { Graph } from '../../reorder/graph.js';
import { inverted } from '../../reorder/permutation.js';
import { type FactorStep, type FillOrder, isWorthDissecting } from '../method.js';
import { orderSteps } from '../order.js';
import { blockGraph, blockTriangular } from './blocks.js';
import { pivotRows } from './pivot-rows.js';
import { transversal, UNMATCHED } from './transversal.js';

/** P A Q by columns. */
export interface Arrangement {
  readonly size: number;
  /** The row of A of each arranged row, and the column of each arranged column. */
  readonly rowOrder: Uint32Array;
  readonly colOrder: Uint32Array;
  /** blocks + 1: the first row and column of each diagonal block. */
  readonly blockPtr: Uint32Array;
  /** Column k has the arranged rows rowIdx[columnPtr[k]] … rowIdx[columnPtr[k + 1] − 1], in any order. */
  readonly columnPtr: Uint32Array;
  readonly rowIdx: Uint32Array;
  /** The place of each entry among the values of A. */
  readonly source: Uint32Array;
  /** The graph of the diagonal blocks and of their transposes, in the arranged order. */
  readonly fill: Fill;
  /** The order within the blocks. */
  readonly order: 'amd' | 'nd';
}

/** What the factors take if all pivots are on the diagonal. */
export interface Fill {
  /** Entries of L and U, the unit diagonal of L left out, with those above the blocks. */
  readonly entries: number;
  /** Multiplications and additions. */
  readonly flops: number;
}

/** @throws SparlaneError `structure` if no values of the entries make the matrix regular; the column is named */
export function* arrange(matrix: CsrMatrix, order: FillOrder = 'auto'): Generator<FactorStep, Arrangement> {
  const { rows: size } = matrix;
  const columns = transposedPlaces(matrix);
  const rowOf = pivotRows(columns, matrix.values);
  if (rowOf === undefined) throw singularByPattern(columns);
  const triangle = blockTriangular(columns, rowOf);
  const { order: found, blockPtr } = triangle;
  const { blockOf, graph } = blockGraph(columns, rowOf, triangle);
  const others = matrix.nnz - graph.neighbours.length;
  let taken = yield* sequenceBy(order === 'nd' ? 'nd' : 'amd', graph, blockOf, blockPtr, others);
  if (order === 'auto' && isWorthDissecting(taken.fill.flops, size, 'lu')) {
    const dissected = yield* sequenceBy('nd', graph, blockOf, blockPtr, others);
    if (dissected.fill.flops < taken.fill.flops) taken = dissected;
  }
  const colOrder = taken.sequence.map((place) => found[place]!);
  const rowOrder = colOrder.map((column) => rowOf[column]!);
  const arranged = arrangeColumns(columns, rowOrder, colOrder);
  return {
    size,
    rowOrder,
    colOrder,
    blockPtr,
    ...arranged,
    ...{ fill: taken.fill, order: taken.order },
  };
}

/**
 * The places of the columns of each block in a postorder of an order with little fill.
 *
 * @param others as of `fillOf`
 */
function* sequenceBy(
  order: 'amd' | 'nd',
  graph: Graph,
  blockOf: Uint32Array,
  blockPtr: Uint32Array,
  others: number,
): Generator<FactorStep, Pick<Arrangement, 'fill' | 'order'> & { readonly sequence: Uint32Array }> {
  const next = blockPtr.slice();
  const sequence = new Uint32Array(blockOf.length);
  for (const place of yield* orderSteps(graph, order)) sequence[next[blockOf[place]!]!++] = place;
  const { post, counts } = postordered(graph, sequence);
  return { order, sequence: post.map((k) => sequence[k]!), fill: fillOf(counts, others) };
}

function singularByPattern(columns: PlacedPattern): Error {
  const { rowOf, rank } = transversal(columns);
  const column = rowOf.indexOf(UNMATCHED);
  const got = `no entry left for a pivot of column ${column}: structural rank ${rank}`;
  return mismatch('structure', 'matrix', `a regular one of ${rowOf.length} rows`, got, { column, rank });
}

function arrangeColumns(columns: PlacedPattern, rowOrder: Uint32Array, colOrder: Uint32Array) {
  const size = colOrder.length;
  const placeOfRow = inverted(rowOrder);
  const columnPtr = new Uint32Array(size + 1);
  const rowIdx = new Uint32Array(columns.idx.length);
  const source = new Uint32Array(columns.idx.length);
  let at = 0;
  for (let k = 0; k < size; k++) {
    const column = colOrder[k]!;
    for (let p = columns.ptr[column]!, end = columns.ptr[column + 1]!; p < end; p++, at++) {
      rowIdx[at] = placeOfRow[columns.idx[p]!]!;
      source[at] = columns.source[p]!;
    }
    columnPtr[k + 1] = at;
  }
  return { columnPtr, rowIdx, source };
}

/**
 * A postorder of the elimination tree, in which columns with the same rows are next to each other, and the entries of each column of L. Trees lie
 * within blocks, and keep their order.
 */
function postordered(graph: Graph, sequence: Uint32Array) {
  const renamed = relabelled(graph, sequence);
  const parent = eliminationTree(renamed);
  const counts = columnCounts(renamed, parent, postorder(parent));
  return { post: postorder(parent, counts), counts };
}

/** The factors, if no pivot leaves the diagonal. @param others at least the entries above the blocks */
function fillOf(counts: Uint32Array, others: number): Fill {
  let entries = Math.max(others, counts.length);
  let flops = 0;
  for (const count of counts) {
    const below = count - 1;
    entries += 2 * below;
    flops += below + 2 * below * below;
  }
  return { entries, flops };
}
