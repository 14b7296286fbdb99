/**
 * The graph of a matrix, which orderings traverse: rows are vertices, entries are edges.
 */
import type { CsrMatrix } from '../core/csr.js';
import { equalsTranspose } from '../core/symmetry.js';
import { transposedPattern } from '../core/transpose.js';

/** Undirected, without loops. */
export interface Graph {
  readonly vertices: number;
  /** Length vertices + 1: the neighbours of v are `neighbours[edgePtr[v]]` … `neighbours[edgePtr[v + 1] − 1]`. */
  readonly edgePtr: Uint32Array;
  /** Each edge is stored twice, once at each end. */
  readonly neighbours: Uint32Array;
}

/** Where a square matrix has entries; columns ascend in a row. */
type SquarePattern = Pick<CsrMatrix, 'rows' | 'cols' | 'nnz' | 'rowPtr' | 'colIdx'>;

/** The pattern of A + Aᵀ without its diagonal, for a square A; each vertex's neighbours ascend. O(rows + nnz). */
export function symmetricGraph(matrix: SquarePattern): Graph {
  if (equalsTranspose(matrix, 'pattern')) return graphOfSymmetric(matrix);
  const { rows, rowPtr, colIdx } = matrix;
  const mirror = transposedPattern(matrix);
  const edgePtr = new Uint32Array(rows + 1);
  const neighbours = new Uint32Array(2 * matrix.nnz);
  let write = 0;
  for (let v = 0; v < rows; v++) {
    const end = rowPtr[v + 1]!;
    const mirrorEnd = mirror.ptr[v + 1]!;
    let k = rowPtr[v]!;
    let m = mirror.ptr[v]!;
    while (k < end || m < mirrorEnd) {
      const column = k < end ? colIdx[k]! : rows;
      const row = m < mirrorEnd ? mirror.idx[m]! : rows;
      if (column <= row) k++;
      if (row <= column) m++;
      const neighbour = Math.min(column, row);
      if (neighbour !== v) neighbours[write++] = neighbour;
    }
    edgePtr[v + 1] = write;
  }
  return { vertices: rows, edgePtr, neighbours: neighbours.subarray(0, write) };
}

/**
 * A step of a breadth-first search: appends the neighbours of `queue[begin]` … `queue[end − 1]` that the search has not seen, and writes its mark for them. A later
 * search has a greater mark; a vertex whose mark is greater than that of the search is left out.
 *
 * @returns the new end of the queue
 */
export function appendNeighbours(
  { edgePtr, neighbours }: Graph,
  queue: Uint32Array,
  begin: number,
  end: number,
  seenBy: Uint32Array,
  mark: number,
): number {
  let write = end;
  for (let i = begin; i < end; i++) {
    const v = queue[i]!;
    for (let k = edgePtr[v]!, last = edgePtr[v + 1]!; k < last; k++) {
      const neighbour = neighbours[k]!;
      if (seenBy[neighbour]! >= mark) continue;
      seenBy[neighbour] = mark;
      queue[write++] = neighbour;
    }
  }
  return write;
}

/**
 * Rows and columns of any A as vertices 0 … rows − 1 and rows … rows + cols − 1, with an edge for each entry: the pattern
 * of [0 A; Aᵀ 0]. Two columns are two steps apart if AᵀA has an entry: a breadth-first search finds the columns as it would
 * in AᵀA, without storing its Σ length² entries. O(rows + cols + nnz).
 */
export function bipartiteGraph(matrix: CsrMatrix): Graph {
  const { rows, cols, nnz, rowPtr, colIdx } = matrix;
  const mirror = transposedPattern(matrix);
  const edgePtr = new Uint32Array(rows + cols + 1);
  const neighbours = new Uint32Array(2 * nnz);
  edgePtr.set(rowPtr);
  for (let k = 0; k < nnz; k++) neighbours[k] = rows + colIdx[k]!;
  for (let j = 1; j <= cols; j++) edgePtr[rows + j] = nnz + mirror.ptr[j]!;
  neighbours.set(mirror.idx, nnz);
  return { vertices: rows + cols, edgePtr, neighbours };
}

/** The same for a matrix of a symmetric pattern, which is not checked. */
export function graphOfSymmetric({ rows, nnz, rowPtr, colIdx }: SquarePattern): Graph {
  const edgePtr = new Uint32Array(rows + 1);
  const neighbours = new Uint32Array(nnz);
  let write = 0;
  for (let v = 0; v < rows; v++) {
    for (let k = rowPtr[v]!, end = rowPtr[v + 1]!; k < end; k++) {
      if (colIdx[k] !== v) neighbours[write++] = colIdx[k]!;
    }
    edgePtr[v + 1] = write;
  }
  return { vertices: rows, edgePtr, neighbours: neighbours.subarray(0, write) };
}

/** The graph of the vertices on one side, and their names. @param names of all vertices @param sides a number for each vertex */
export function partOf(
  { vertices, edgePtr, neighbours }: Graph,
  names: Uint32Array,
  sides: Uint32Array,
  side: number,
): { readonly graph: Graph; readonly vertices: Uint32Array } {
  const place = new Uint32Array(vertices);
  let count = 0;
  for (let v = 0; v < vertices; v++) if (sides[v] === side) place[v] = count++;
  const picked = new Uint32Array(count);
  const pickedPtr = new Uint32Array(count + 1);
  const list: Uint32Array = new Uint32Array(neighbours.length);
  let write = 0;
  for (let v = 0; v < vertices; v++) {
    if (sides[v] !== side) continue;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++)
      if (sides[neighbours[k]!] === side) list[write++] = place[neighbours[k]!]!;
    picked[place[v]!] = names[v]!;
    pickedPtr[place[v]! + 1] = write;
  }
  return { graph: { vertices: count, edgePtr: pickedPtr, neighbours: list.slice(0, write) }, vertices: picked };
}
