/** Undirected graphs without loops whose vertices and edges have weights; each edge is stored at both of its ends. Arrays are 32-bit integers. */
import { at, put, reserve } from './words';

@unmanaged
export class WeightedGraph {
  vertices: i32;
  /** Each of the vertices + 1 elements is the place in `neighbours` where those of a vertex begin. */
  ptr: usize;
  neighbours: usize;
  vertexWeights: usize;
  /** Each element is the weight of the edge to the neighbour at the same place in `neighbours`. */
  edgeWeights: usize;
}

export function weightedGraph(vertices: i32, ptr: usize, neighbours: usize, vertexWeights: usize, edgeWeights: usize): WeightedGraph {
  const graph = changetype<WeightedGraph>(reserve(<i32>(offsetof<WeightedGraph>() >> 2)));
  graph.vertices = vertices;
  graph.ptr = ptr;
  graph.neighbours = neighbours;
  graph.vertexWeights = vertexWeights;
  graph.edgeWeights = edgeWeights;
  return graph;
}

export function totalWeight(graph: WeightedGraph): i32 {
  let total = 0;
  for (let v = 0; v < graph.vertices; v++) total += at(graph.vertexWeights, v);
  return total;
}

/** Numbers the vertices with one number, in ascending order. @param places the place of each of them is written there @returns how many there are */
export function numbered(vertices: i32, numbers: usize, number: i32, places: usize): i32 {
  let count = 0;
  for (let v = 0; v < vertices; v++) if (at(numbers, v) === number) put(places, v, count++);
  return count;
}

/** Makes the graph of the vertices with one number, in ascending order, and of the edges between them. @param places of these vertices in it */
export function subgraph(graph: WeightedGraph, numbers: usize, number: i32, count: i32, places: usize): WeightedGraph {
  const ptr = reserve(count + 1);
  const weights = reserve(count);
  let edges = 0;
  for (let v = 0; v < graph.vertices; v++) if (at(numbers, v) === number) edges += at(graph.ptr, v + 1) - at(graph.ptr, v);
  const neighbours = reserve(edges);
  const edgeWeights = reserve(edges);
  let write = 0;
  put(ptr, 0, 0);
  for (let v = 0; v < graph.vertices; v++) {
    if (at(numbers, v) !== number) continue;
    for (let k = at(graph.ptr, v), end = at(graph.ptr, v + 1); k < end; k++) {
      const other = at(graph.neighbours, k);
      if (at(numbers, other) !== number) continue;
      put(neighbours, write, at(places, other));
      put(edgeWeights, write++, at(graph.edgeWeights, k));
    }
    put(weights, at(places, v), at(graph.vertexWeights, v));
    put(ptr, at(places, v) + 1, write);
  }
  return weightedGraph(count, ptr, neighbours, weights, edgeWeights);
}
