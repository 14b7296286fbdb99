/**
 * Coarser graphs: vertices are joined in pairs along heavy edges, and where a vertex has no free neighbour, with another one at a common neighbour.
 *
 * Source: Karypis & Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", 1998, §3.1; LaSalle et al.,
 *   "Improving graph partitioning for modern graphs and architectures", 2015: pairs at a common neighbour.
 * Differs: an edge is rated by its weight squared over the weights of its ends (Holtgrewe, Sanders & Schulz 2010), and the sequence of vertices is
 *   pseudo-random, the same for the same graph.
 */

import { WeightedGraph, weightedGraph } from './weighted-graph';
import { add, at, fill, filled, mark, NONE, put, release, reserve } from './words';

/** The partner of each vertex is here, or the vertex itself. */
let partner: usize = 0;
/** One word for each vertex is here: first the sequence in which they find partners, then the places of edges. */
let scratch: usize = 0;
/** The state of the pseudo-random numbers goes on from graph to graph. */
let state: u32 = 0;

export function reserveContraction(vertices: i32): void {
  partner = reserve(vertices);
  scratch = reserve(vertices + 1);
  state = 0x9e3779b9;
}

/** Makes the coarser graph, whose vertices are pairs of `fine` that weigh at most `most`. @param coarseOf the coarse vertex of each fine one is written there */
export function contract(fine: WeightedGraph, most: i32, coarseOf: usize): WeightedGraph {
  const vertices = fine.vertices;
  match(fine, most);
  let count = 0;
  for (let v = 0; v < vertices; v++) {
    const other = at(partner, v);
    put(coarseOf, v, other < v ? at(coarseOf, other) : count++);
  }
  const ptr = reserve(count + 1);
  const vertexWeights = filled(count, 0);
  for (let v = 0; v < vertices; v++) add(vertexWeights, at(coarseOf, v), at(fine.vertexWeights, v));
  const edges = at(fine.ptr, vertices);
  const neighbours = reserve(edges);
  const begun = mark();
  const edgeWeights = reserve(edges);
  // `scratch` has 1 + the place of the last edge to each coarse vertex.
  fill(scratch, count, 0);
  let write = 0;
  put(ptr, 0, 0);
  for (let v = 0, own = 0; v < vertices; v++) {
    const last = at(partner, v);
    if (last < v) continue;
    const begin = write;
    for (let one = v; ; one = last) {
      for (let k = at(fine.ptr, one), end = at(fine.ptr, one + 1); k < end; k++) {
        const other = at(coarseOf, at(fine.neighbours, k));
        if (other === own) continue;
        const place = at(scratch, other);
        if (place > begin) {
          add(edgeWeights, place - 1, at(fine.edgeWeights, k));
        } else {
          put(neighbours, write, other);
          put(edgeWeights, write, at(fine.edgeWeights, k));
          put(scratch, other, ++write);
        }
      }
      if (one === last) break;
    }
    put(ptr, ++own, write);
  }
  // What is not needed of the room for edges is freed.
  release(begun - ((<usize>(<u32>(edges - write))) << 2));
  const kept = reserve(write);
  memory.copy(kept, edgeWeights, (<usize>(<u32>write)) << 2);
  return weightedGraph(count, ptr, neighbours, vertexWeights, kept);
}

/** Finds the partner of each vertex, or itself. */
function match(graph: WeightedGraph, most: i32): void {
  const vertices = graph.vertices;
  for (let v = 0; v < vertices; v++) put(partner, v, v);
  sequence(graph);
  let alone = 0;
  for (let i = 0; i < vertices; i++) {
    const v = at(scratch, i);
    if (at(partner, v) !== v) continue;
    const own = at(graph.vertexWeights, v);
    let best = NONE;
    let rating: f64 = 0;
    for (let k = at(graph.ptr, v), end = at(graph.ptr, v + 1); k < end; k++) {
      const other = at(graph.neighbours, k);
      const weight = at(graph.vertexWeights, other);
      if (at(partner, other) !== other || own + weight > most) continue;
      const edge = <f64>at(graph.edgeWeights, k);
      const rated = (edge * edge) / <f64>weight;
      if (rated <= rating) continue;
      rating = rated;
      best = other;
    }
    if (best === NONE) {
      alone++;
      continue;
    }
    put(partner, v, best);
    put(partner, best, v);
  }
  if (alone > vertices / FEW) matchAtNeighbours(graph, most);
}

/**
 * In the pseudo-random sequence a vertex changes places with one of so many before it. With any vertex, caches miss more: parts of a 27-point grid and of a 5-point grid in
 * their own order take 1.15 × the time (one thread of an Intel Xeon, Node 20, November 2026).
 */
const NEAR = 256;

/** Vertices with a common neighbour are joined if more than one vertex in this many has found no partner among its neighbours. Chosen, as in METIS. */
const FEW = 10;

/** Joins vertices without a partner that have a neighbour in common. */
function matchAtNeighbours(graph: WeightedGraph, most: i32): void {
  for (let i = 0; i < graph.vertices; i++) {
    const hub = at(scratch, i);
    let waiting = NONE;
    for (let k = at(graph.ptr, hub), end = at(graph.ptr, hub + 1); k < end; k++) {
      const v = at(graph.neighbours, k);
      if (at(partner, v) !== v) continue;
      if (waiting === NONE) {
        waiting = v;
      } else if (at(graph.vertexWeights, v) + at(graph.vertexWeights, waiting) <= most) {
        put(partner, v, waiting);
        put(partner, waiting, v);
        waiting = NONE;
      }
    }
  }
}

/** Writes all vertices to `scratch`: those of few neighbours first, in a pseudo-random sequence. */
function sequence(graph: WeightedGraph): void {
  const vertices = graph.vertices;
  const begun = mark();
  const shuffled = reserve(vertices);
  for (let v = 0; v < vertices; v++) {
    // The numbers are those of xorshift (Marsaglia 2003).
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    const place = v - <i32>((<u64>state * <u64>min(v + 1, NEAR)) >> 32);
    put(shuffled, v, at(shuffled, place));
    put(shuffled, place, v);
  }
  const most = max(1, at(graph.ptr, vertices) / max(1, vertices));
  const next = filled(most + 2, 0);
  for (let v = 0; v < vertices; v++) add(next, min(most, at(graph.ptr, v + 1) - at(graph.ptr, v)) + 1, 1);
  for (let d = 0; d <= most; d++) add(next, d + 1, at(next, d));
  for (let i = 0; i < vertices; i++) {
    const v = at(shuffled, i);
    const degree = min(most, at(graph.ptr, v + 1) - at(graph.ptr, v));
    put(scratch, at(next, degree), v);
    add(next, degree, 1);
  }
  release(begun);
}
