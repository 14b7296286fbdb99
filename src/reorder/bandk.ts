/**
 * Band-k: an ordering with about the bandwidth of Cuthill-McKee, which also forms super-rows and super-super-rows for CSR-k.
 *
 * Source: Lane & Booth 2022, §2.2, listing 2. The graph of A + Aᵀ is coarsened k − 1 times (`coarsen.ts`), weights
 *   kept; the coarsest graph is ordered by Cuthill-McKee with edge weights instead of degrees. Then the vertices are
 *   expanded again, level by level, and the vertices inside each one are ordered too. Coarse vertices become super-rows
 *   and super-super-rows.
 * Differs: the rows are brought into Cuthill-McKee order first, and all graphs use the levels of that search, from the same
 *   ends. Inside a super-row, rows are sorted by length, then by that order: runs of equal length avoid branch misses
 *   (copter2 1.25 times as fast), and widen the band by less than a super-row.
 * Cost: O(rows + nnz); two to four times the time of `rcm`.
 */
import { integer, knownKeys } from '../core/checks.js';
import { csrMatrix, type MatrixInput } from '../core/csr.js';
import { mismatch } from '../core/errors.js';
import { type Groups, SUPER_ROW_SIZE, SUPER_SUPER_ROW_SIZE } from '../core/groups.js';
import { type Coarsening, coarsen, type WeightedGraph, weightedGraph } from './coarsen.js';
import { byAscendingKey } from './counting-sort.js';
import { cuthillMckee, fromFirst } from './cuthill-mckee.js';
import { type Graph, symmetricGraph } from './graph.js';
import { inversePermutation } from './permutation.js';
import type { FullOrdering } from './rcm.js';

/** `bandk` takes these options. */
export interface BandkOptions {
  /** 2: super-rows; 3: super-super-rows too. Default 2. */
  k?: number;
  /** Rows per super-row on average, from 1 to 2²⁴. Default 96. */
  superRowSize?: number;
  /** Super-rows per super-super-row on average, from 1 to 2²⁴. Default 8. */
  superSuperRowSize?: number;
}

/** A symmetric ordering, and the groups of the matrix in that order. */
export interface BandkOrdering extends FullOrdering {
  readonly groups: Groups;
}

/**
 * Orders a square matrix, and groups its rows: no group is more than 1.5 times as large as requested.
 *
 * @throws SparlaneError `shape` for a matrix that is not square, `argument` for a wrong option; as `csrMatrix`
 */
export function bandk(input: MatrixInput, options: BandkOptions = {}): BandkOrdering {
  knownKeys('options', options, { k: true, superRowSize: true, superSuperRowSize: true });
  const k = integer('k', options.k ?? 2, 2, 3);
  const superRowSize = integer('superRowSize', options.superRowSize ?? SUPER_ROW_SIZE, 1, 2 ** 24);
  const superSuperRowSize = integer('superSuperRowSize', options.superSuperRowSize ?? SUPER_SUPER_ROW_SIZE, 1, 2 ** 24);
  const matrix = csrMatrix(input);
  const { rows, cols, rowPtr } = matrix;
  if (rows !== cols) throw mismatch('shape', 'matrix', 'as many columns as rows', `${rows} × ${cols}`, { rows, cols });

  const graph = symmetricGraph(matrix);
  const rowOf = cuthillMckee(graph);
  const finest = withLevels(renumbered(graph, rowOf));
  const superRows = coarsen(finest, superRowSize);
  const superSuperRows = k === 3 ? coarsen(superRows.coarse, superSuperRowSize) : undefined;

  const byLength = byAscendingKey(rowOf.map((row) => rowPtr[row + 1]! - rowPtr[row]!));
  const inSuperSuperRows =
    superSuperRows && expand(superSuperRows, bandOrder(superSuperRows.coarse), bandOrder(superRows.coarse));
  const inSuperRows = expand(superRows, inSuperSuperRows?.order ?? bandOrder(superRows.coarse), byLength);
  const order = inSuperRows.order.map((v) => rowOf[v]!).reverse();
  const superSuperRowPtr = inSuperSuperRows && reversedPtr(inSuperSuperRows.groupPtr);
  return {
    rowOrder: order,
    colOrder: order,
    groups: { superRowPtr: reversedPtr(inSuperRows.groupPtr), superSuperRowPtr },
  };
}

/** Cuthill-McKee by edge weights, from the same ends as the levels. */
function bandOrder(graph: WeightedGraph): Uint32Array {
  const { vertices, edgePtr, edgeWeight } = graph;
  const degree = new Uint32Array(vertices);
  for (let v = 0; v < vertices; v++) {
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) degree[v]! += edgeWeight[k]!;
  }
  return fromFirst(graph, degree);
}

/** The graph with vertex `order[i]` as its vertex i; neighbours ascend. */
function renumbered({ vertices, edgePtr, neighbours }: Graph, order: Uint32Array): Graph {
  const newOf = inversePermutation(order);
  const newPtr = new Uint32Array(vertices + 1);
  for (let i = 0; i < vertices; i++) newPtr[i + 1] = newPtr[i]! + edgePtr[order[i]! + 1]! - edgePtr[order[i]!]!;
  const next = newPtr.slice(0, vertices);
  const lists = new Uint32Array(neighbours.length);
  for (let i = 0; i < vertices; i++) {
    for (let k = edgePtr[order[i]!]!, end = edgePtr[order[i]! + 1]!; k < end; k++) {
      lists[next[newOf[neighbours[k]!]!]!++] = i;
    }
  }
  return { vertices, edgePtr: newPtr, neighbours: lists };
}

/** Adds levels to a graph that is numbered breadth first; all weights are 1. */
function withLevels(graph: Graph): WeightedGraph {
  const { vertices, edgePtr, neighbours } = graph;
  const level = new Uint32Array(vertices);
  let deepest = -1;
  for (let v = 0, seen = 0; v < vertices; v++) {
    if (v === seen) level[seen++] = deepest + 1;
    // Neighbours ascend: the last one is the last vertex that v reaches.
    const last = edgePtr[v + 1]! > edgePtr[v]! ? neighbours[edgePtr[v + 1]! - 1]! : v;
    while (seen <= last) level[seen++] = level[v]! + 1;
    deepest = level[v]!;
  }
  const vertexWeight = new Uint32Array(vertices).fill(1);
  return weightedGraph(graph, { vertexWeight, edgeWeight: new Uint32Array(neighbours.length).fill(1), level });
}

interface Expansion {
  /** Fine vertices, grouped by coarse vertex. */
  readonly order: Uint32Array;
  /** The start of each coarse vertex in `order`. */
  readonly groupPtr: Uint32Array;
}

/** Lists the fine vertices by coarse vertex, in `coarseOrder`; within each coarse vertex, in `fineOrder`. */
function expand({ coarse, coarseOf }: Coarsening, coarseOrder: Uint32Array, fineOrder: Uint32Array): Expansion {
  const group = inversePermutation(coarseOrder);
  const groupPtr = new Uint32Array(coarse.vertices + 1);
  for (let v = 0; v < coarseOf.length; v++) groupPtr[group[coarseOf[v]!]! + 1]!++;
  for (let g = 0; g < coarse.vertices; g++) groupPtr[g + 1]! += groupPtr[g]!;
  const next = groupPtr.slice(0, coarse.vertices);
  const order = new Uint32Array(coarseOf.length);
  for (let i = 0; i < fineOrder.length; i++) order[next[group[coarseOf[fineOrder[i]!]!]!]!++] = fineOrder[i]!;
  return { order, groupPtr };
}

/** Pointers to the same groups in reverse order. */
function reversedPtr(ptr: Uint32Array): Uint32Array {
  const end = ptr[ptr.length - 1]!;
  return ptr.map((begin) => end - begin).reverse();
}
