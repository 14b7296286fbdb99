/** The vertices of an undirected graph are distributed over ranks, as the rows of a matrix are. A vertex is known by its place on its rank, and by its number in the whole graph. */

import type { CsrMatrix } from '../../core/csr.js';
import { distinct } from '../../core/distinct.js';
import { lowerBound } from '../../core/search.js';
import type { FloatArray } from '../../core/types.js';
import type { Communicator } from '../communicator.js';
import { type Bounds, ghostsByOwner } from '../halo.js';
import { pointersOf } from '../row-range.js';

/** These arrays have a number for each place. */
export type PlaceValues = Float64Array | Uint16Array;

/** A rank has its vertices, and knows their neighbours. Places from 0 are those of own vertices, places from `vertices` on those of ghosts: neighbours that other ranks own. */
export interface RankGraph {
  /** This rank owns so many vertices. */
  readonly vertices: number;
  /** Rank r has the vertices with the numbers bounds[r] … bounds[r + 1] − 1. */
  readonly bounds: Bounds;
  /** The vertex at each place has this number in the whole graph; the numbers of ghosts ascend. */
  readonly numbers: Uint32Array;
  /** Length vertices + 1: the neighbours of own vertex v are `neighbours[edgePtr[v]]` … `neighbours[edgePtr[v + 1] − 1]`. */
  readonly edgePtr: Uint32Array;
  /** Each neighbour is known by its place. */
  readonly neighbours: Uint32Array;
  /** Parallel to `neighbours`: the edge to each has this weight, a positive integer. */
  readonly edgeWeights: FloatArray;
  /** The vertex at each place has this weight, a positive integer. */
  readonly vertexWeights: Float64Array;
  /** Brings the numbers of ghosts from their owners. Together. @param values one number for each place; those of ghosts are replaced */
  spread(values: PlaceValues): void;
  /** Brings the numbers of ghosts likewise, where only these own vertices have other numbers than before. Returns the places of the ghosts that were told one. */
  spreadSome(values: PlaceValues, changed: readonly number[]): number[];
}

/**
 * Makes the graph of a matrix. Together.
 *
 * @param matrix rows of this rank of a symmetric matrix, with the columns of the whole one: its values are the weights of edges, its diagonal is left out, its arrays are used up
 * @param bounds the rows of each rank
 * @param own the weight of each own vertex
 */
export function rankGraph(comm: Communicator, matrix: CsrMatrix, bounds: Bounds, own: Float64Array): RankGraph {
  const { rows: vertices } = matrix;
  const first = bounds[comm.rank]!;
  const isOwn = (column: number) => column >= first && column < first + vertices;
  const ghosts = distinct(matrix.colIdx.filter((column) => !isOwn(column)));
  const edges = withoutDiagonal(matrix, first);
  const { neighbours } = edges;
  for (let k = 0; k < neighbours.length; k++) {
    const column = neighbours[k]!;
    neighbours[k] = isOwn(column) ? column - first : vertices + lowerBound(ghosts, column);
  }
  const numbers = new Uint32Array(vertices + ghosts.length);
  for (let v = 0; v < vertices; v++) numbers[v] = first + v;
  numbers.set(ghosts, vertices);
  const spreading = ghostSpreading(comm, ghosts, bounds, vertices);
  const vertexWeights = new Float64Array(numbers.length);
  vertexWeights.set(own);
  spreading.spread(vertexWeights);
  return { vertices, bounds, numbers, ...edges, vertexWeights, ...spreading };
}

function withoutDiagonal({ rows, rowPtr, colIdx, values }: CsrMatrix, first: number) {
  let write = 0;
  for (let v = 0, begin = 0; v < rows; v++) {
    const end = rowPtr[v + 1]!;
    for (let k = begin; k < end; k++) {
      if (colIdx[k] === first + v) continue;
      colIdx[write] = colIdx[k]!;
      values[write++] = values[k]!;
    }
    begin = end;
    rowPtr[v + 1] = write;
  }
  return { edgePtr: rowPtr, neighbours: colIdx.subarray(0, write), edgeWeights: values.subarray(0, write) };
}

/** Finds which own vertices are ghosts of each rank. Together. @param ghosts their numbers, ascending */
function ghostSpreading(
  comm: Communicator,
  ghosts: Uint32Array,
  bounds: Bounds,
  vertices: number,
): Pick<RankGraph, 'spread' | 'spreadSome'> {
  const first = bounds[comm.rank]!;
  const wanted = ghostsByOwner(ghosts, bounds);
  /** The ghosts of each owner begin at this place. */
  const begin = pointersOf(wanted.map(({ length }) => length)).map((before) => vertices + before);
  const sent = comm.alltoall(wanted).map((numbers) => Uint32Array.from(numbers, (number) => number - first));
  const routes = routesOf(sent, vertices);
  return {
    spread(values) {
      comm.alltoall(sent.map((own) => picked(values, own))).forEach((part, owner) => {
        values.set(part, begin[owner]!);
      });
    },
    spreadSome(values, changed) {
      const counts = new Uint32Array(comm.size);
      for (const v of changed) for (let k = routes.ptr[v]!; k < routes.ptr[v + 1]!; k++) counts[routes.rank[k]!]!++;
      const parts = Array.from(counts, (count) => new Float64Array(2 * count));
      counts.fill(0);
      for (const v of changed)
        for (let k = routes.ptr[v]!; k < routes.ptr[v + 1]!; k++) {
          const to = routes.rank[k]!;
          parts[to]![counts[to]!++] = routes.index[k]!;
          parts[to]![counts[to]!++] = values[v]!;
        }
      const places: number[] = [];
      comm.alltoall(parts).forEach((part, owner) => {
        for (let k = 0; k < part.length; k += 2) {
          const place = begin[owner]! + part[k]!;
          values[place] = part[k + 1]!;
          places.push(place);
        }
      });
      return places;
    },
  };
}

/** Returns, for each own vertex, the ranks of which it is a ghost, and its index among what is sent to each. */
function routesOf(sent: readonly Uint32Array[], vertices: number) {
  const ptr = new Uint32Array(vertices + 1);
  for (const own of sent) for (let i = 0; i < own.length; i++) ptr[own[i]! + 1]!++;
  for (let v = 0; v < vertices; v++) ptr[v + 1]! += ptr[v]!;
  const [rank, index] = [new Uint16Array(ptr[vertices]!), new Uint32Array(ptr[vertices]!)];
  const next = ptr.slice();
  sent.forEach((own, to) => {
    for (let i = 0; i < own.length; i++) {
      const k = next[own[i]!]!++;
      rank[k] = to;
      index[k] = i;
    }
  });
  return { ptr, rank, index };
}

function picked(values: PlaceValues, places: Uint32Array): Float64Array {
  const some = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) some[i] = values[places[i]!]!;
  return some;
}
