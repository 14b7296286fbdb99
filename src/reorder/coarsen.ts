/**
 * Graph coarsening by heavy-edge matching: vertices are joined in pairs, round after round, until the requested number of
 * vertices remains.
 *
 * Source: Karypis & Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", 1998, §3.1.
 * Differs: only vertices of the same level of a breadth-first search are joined. A coarse vertex then spans one level, and
 *   an order of coarse vertices has about the bandwidth of an order of rows (otherwise 5 to 10 times as wide). Vertices
 *   without an edge inside their level (grids have none) are joined as siblings, through a vertex of the level before.
 *   When few such pairs remain, adjacent vertices of a level are joined; when few of those remain, levels are joined in
 *   pairs. The lightest and nearest come first; the source chooses at random.
 */

import { sum } from '../core/sum.js';
import { byAscendingKey } from './counting-sort.js';
import type { Graph } from './graph.js';

/**
 * A weighted graph, numbered by levels. Weights count the rows and edges of the matrix. `weightedGraph` makes all of them, with their properties in
 * one order: V8 compiles a function again for objects of another one.
 */
export interface WeightedGraph extends Graph {
  /** Rows of the matrix in each vertex. */
  readonly vertexWeight: Uint32Array;
  /** Parallel to `neighbours`: edges between rows in each edge. */
  readonly edgeWeight: Uint32Array;
  /** Level of each vertex in breadth-first searches, one per component. Ascends; neighbours differ by at most one. */
  readonly level: Uint32Array;
}

export function weightedGraph(
  { vertices, edgePtr, neighbours }: Graph,
  { vertexWeight, edgeWeight, level }: Omit<WeightedGraph, keyof Graph>,
): WeightedGraph {
  return { vertices, edgePtr, neighbours, vertexWeight, edgeWeight, level };
}

export interface Coarsening {
  readonly fine: WeightedGraph;
  readonly coarse: WeightedGraph;
  /** The coarse vertex of each fine vertex. */
  readonly coarseOf: Uint32Array;
}

/** Largest weight of a coarse vertex, relative to the mean. */
const MOST = 1.5;

/** A round that joins fewer than one in this many vertices is the last one within the current levels. */
const FEW = 8;

const NONE = 0xffff_ffff;

/** Coarsens to one vertex in `size`. No coarse vertex is more than 1.5 times as heavy as their mean. */
export function coarsen(fine: WeightedGraph, size: number): Coarsening {
  const goal = Math.ceil(fine.vertices / size);
  const limit = Math.ceil((MOST * sum(fine.vertexWeight)) / goal);
  let coarse = fine;
  let coarseOf = fine.vertexWeight.map((_, v) => v);
  for (let byEdges = true; coarse.vertices > goal; ) {
    const before = coarse.vertices;
    const partner = byEdges ? matchByEdges(coarse, goal, limit) : matchInLevels(coarse, goal, limit);
    const joined = contract(coarse, partner);
    coarseOf = coarseOf.map((v) => joined.coarseOf[v]!);
    coarse = joined.coarse;
    const few = (before - coarse.vertices) * FEW < before;
    if (few && !byEdges) {
      if (coarse.level[coarse.vertices - 1] === 0) break;
      coarse = atLevels(
        coarse,
        coarse.level.map((level) => level >>> 1),
      );
    }
    byEdges = !few || !byEdges;
  }
  return { fine, coarse, coarseOf };
}

/** Returns the same graph with other levels. */
function atLevels(graph: WeightedGraph, level: Uint32Array): WeightedGraph {
  const { vertexWeight, edgeWeight } = graph;
  return weightedGraph(graph, { vertexWeight, edgeWeight, level });
}

/** The partner of each vertex, or itself; stops when `goal` vertices would remain. */
function matchByEdges(graph: WeightedGraph, goal: number, limit: number): Uint32Array {
  const { vertices } = graph;
  const matching: Matching = {
    partner: graph.level.map((_, v) => v),
    waiting: new Uint32Array(vertices).fill(NONE),
    limit,
  };
  const { partner } = matching;
  const lightestFirst = byAscendingKey(graph.vertexWeight);
  for (let i = 0, left = vertices; i < vertices && left > goal; i++) {
    const v = lightestFirst[i]!;
    if (partner[v] !== v) continue;
    let other = heaviestNeighbour(graph, matching, v);
    if (other === NONE) other = nearestSibling(graph, matching, v);
    if (other === NONE) continue;
    partner[v] = other;
    partner[other] = v;
    left--;
  }
  return partner;
}

/** The same without regard to edges: each vertex is joined with the last free vertex of its level. */
function matchInLevels({ vertices, vertexWeight, level }: WeightedGraph, goal: number, limit: number): Uint32Array {
  const partner = level.map((_, v) => v);
  let free = NONE;
  for (let v = 0, left = vertices; v < vertices && left > goal; v++) {
    const fits = free !== NONE && level[free] === level[v] && vertexWeight[free]! + vertexWeight[v]! <= limit;
    if (fits) {
      partner[v] = free;
      partner[free] = v;
      left--;
    }
    free = fits ? NONE : v;
  }
  return partner;
}

interface Matching {
  /** The partner of each vertex, or itself. */
  readonly partner: Uint32Array;
  /** For each vertex, the last one of the next level that found no partner. */
  readonly waiting: Uint32Array;
  /** The largest weight of a pair. */
  readonly limit: number;
}

function isFree(graph: WeightedGraph, { partner, limit }: Matching, v: number, other: number): boolean {
  return partner[other] === other && graph.vertexWeight[v]! + graph.vertexWeight[other]! <= limit;
}

/** The free neighbour of v within its level with the heaviest edge, the nearest one among equals; or none. */
function heaviestNeighbour(graph: WeightedGraph, matching: Matching, v: number): number {
  const { edgePtr, neighbours, edgeWeight, level } = graph;
  let best = NONE;
  let most = 0;
  for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
    const other = neighbours[k]!;
    const weight = edgeWeight[k]!;
    if (weight < most || level[other] !== level[v] || !isFree(graph, matching, v, other)) continue;
    if (weight === most && Math.abs(other - v) >= Math.abs(best - v)) continue;
    best = other;
    most = weight;
  }
  return best;
}

/** The nearest free vertex that waits at a neighbour in the level before; if there is none, v waits there. */
function nearestSibling(graph: WeightedGraph, matching: Matching, v: number): number {
  const { edgePtr, neighbours, level } = graph;
  const { waiting } = matching;
  let best = NONE;
  for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
    const parent = neighbours[k]!;
    if (level[parent]! >= level[v]!) continue;
    const other = waiting[parent]!;
    waiting[parent] = v;
    if (other === NONE || !isFree(graph, matching, v, other)) continue;
    if (best === NONE || Math.abs(other - v) < Math.abs(best - v)) best = other;
  }
  return best;
}

/** One vertex per pair or single vertex, in the order of the first of each pair; parallel edges are summed. */
function contract(fine: WeightedGraph, partner: Uint32Array): Coarsening {
  const { vertices, edgePtr, neighbours, edgeWeight } = fine;
  const { coarseOf, vertexWeight, level } = joinVertices(fine, partner);
  const count = vertexWeight.length;
  const coarsePtr = new Uint32Array(count + 1);
  const coarseNeighbours = new Uint32Array(neighbours.length);
  const coarseWeight = new Uint32Array(neighbours.length);
  /** 1 + the place of the last edge to each coarse vertex. */
  const place = new Uint32Array(count);
  let write = 0;
  for (let v = 0, own = 0; v < vertices; v++) {
    const last = partner[v]!;
    if (last < v) continue;
    const begin = write;
    for (let one = v, isOver = false; !isOver; one = last) {
      isOver = one === last;
      for (let k = edgePtr[one]!, end = edgePtr[one + 1]!; k < end; k++) {
        const other = coarseOf[neighbours[k]!]!;
        if (other === own) continue;
        if (place[other]! <= begin) {
          coarseNeighbours[write] = other;
          place[other] = ++write;
        }
        coarseWeight[place[other]! - 1]! += edgeWeight[k]!;
      }
    }
    coarsePtr[++own] = write;
  }
  const coarse = weightedGraph(
    { vertices: count, edgePtr: coarsePtr, neighbours: coarseNeighbours.slice(0, write) },
    { vertexWeight, edgeWeight: coarseWeight.slice(0, write), level },
  );
  return { fine, coarse, coarseOf };
}

function joinVertices(fine: WeightedGraph, partner: Uint32Array) {
  const coarseOf = new Uint32Array(fine.vertices);
  let count = 0;
  for (let v = 0; v < fine.vertices; v++) coarseOf[v] = partner[v]! < v ? coarseOf[partner[v]!]! : count++;
  const vertexWeight = new Uint32Array(count);
  const level = new Uint32Array(count);
  for (let v = 0; v < fine.vertices; v++) {
    vertexWeight[coarseOf[v]!]! += fine.vertexWeight[v]!;
    level[coarseOf[v]!] = fine.level[v]!;
  }
  return { coarseOf, vertexWeight, level };
}
