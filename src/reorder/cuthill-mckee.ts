/**
 * The order of Cuthill and McKee: breadth first from one end of the graph; the vertices reached from one vertex ascend by
 * degree.
 *
 * Source: Cuthill & McKee 1969; the reversal, used by callers, George 1971; the start vertex, George & Liu, "An
 *   implementation of a pseudoperipheral node finder", 1979.
 * Differs: the neighbours of all vertices are sorted by degree once, beforehand, by a counting sort. Each search of the
 *   finder then yields a Cuthill-McKee order, and the best one is used: the one with the most levels, and among equals the
 *   one whose widest level is narrowest (Gibbs, Poole & Stockmeyer 1976).
 * Cost: O(vertices + edges) per search; there are three to six searches.
 */
import { byAscendingKey } from './counting-sort.js';
import { appendNeighbours, type Graph } from './graph.js';

/** Every vertex once, component after component: `order[place] = vertex`. Neighbours are ordered by `degree`. */
export function cuthillMckee(graph: Graph, degree: Uint32Array = degrees(graph)): Uint32Array {
  const byDegree = byAscendingKey(degree);
  const search = new Search(inOrderOf(byDegree, graph));
  for (let i = 0; i < byDegree.length; i++) {
    // It has the least degree of its component, since no vertex of that was seen before.
    if (!search.seen(byDegree[i]!)) search.placeFromEnd(byDegree[i]!, degree);
  }
  return search.order;
}

/** The same, starting from the first vertex of each component, even if it is not at an end. */
export function fromFirst(graph: Graph, degree: Uint32Array): Uint32Array {
  const search = new Search(inOrderOf(byAscendingKey(degree), graph));
  for (let v = 0; v < graph.vertices; v++) if (!search.seen(v)) search.placeFrom(v);
  return search.order;
}

function degrees({ vertices, edgePtr }: Graph): Uint32Array {
  const degree = new Uint32Array(vertices);
  for (let v = 0; v < vertices; v++) degree[v] = edgePtr[v + 1]! - edgePtr[v]!;
  return degree;
}

/** The same graph with neighbours in the given order: in this order each vertex is appended to its neighbours' lists. */
function inOrderOf(order: Uint32Array, { vertices, edgePtr, neighbours }: Graph): Graph {
  const next = edgePtr.slice(0, vertices);
  const sorted = new Uint32Array(neighbours.length);
  for (let i = 0; i < order.length; i++) {
    const v = order[i]!;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) sorted[next[neighbours[k]!]!++] = v;
  }
  return { vertices, edgePtr, neighbours: sorted };
}

/** The levels of a breadth-first search: their number, their width, and the start of the last one. */
interface Levels {
  readonly height: number;
  readonly width: number;
  readonly lastBegin: number;
  readonly end: number;
}

/** Breadth-first searches over one graph, and the order built so far. */
class Search {
  readonly order: Uint32Array;
  readonly #graph: Graph;
  /** The number of the last search that saw each vertex; 0 for none. */
  readonly #seenBy: Uint32Array;
  readonly #trial: Uint32Array;
  #searches = 0;
  #placed = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.order = new Uint32Array(graph.vertices);
    this.#seenBy = new Uint32Array(graph.vertices);
    this.#trial = new Uint32Array(graph.vertices);
  }

  seen(vertex: number): boolean {
    return this.#seenBy[vertex] !== 0;
  }

  /** Appends the component of a vertex, starting from a pseudo-peripheral vertex of the component. */
  placeFromEnd(vertex: number, degree: Uint32Array): void {
    const begin = this.#placed;
    let best = this.#levels(this.order, vertex);
    for (let deeper = best.end > begin + 2; deeper; ) {
      const trial = this.#levels(this.#trial, leastOf(this.order, best.lastBegin, best.end, degree));
      deeper = trial.height > best.height;
      if (!deeper && !(trial.height === best.height && trial.width < best.width)) break;
      this.order.set(this.#trial.subarray(begin, trial.end), begin);
      best = trial;
    }
    this.#placed = best.end;
  }

  /** Appends the component of a vertex, starting from that vertex. */
  placeFrom(vertex: number): void {
    this.#placed = this.#levels(this.order, vertex).end;
  }

  /** Searches from a root and writes the vertices, as they are reached, to the next places. */
  #levels(queue: Uint32Array, root: number): Levels {
    const seenBy = this.#seenBy;
    const search = ++this.#searches;
    let end = this.#placed;
    queue[end++] = root;
    seenBy[root] = search;
    let [height, width, begin] = [0, 0, this.#placed];
    for (let levelEnd = end; ; levelEnd = end) {
      height++;
      width = Math.max(width, levelEnd - begin);
      end = appendNeighbours(this.#graph, queue, begin, levelEnd, seenBy, search);
      if (end === levelEnd) return { height, width, lastBegin: begin, end };
      begin = levelEnd;
    }
  }
}

function leastOf(queue: Uint32Array, begin: number, end: number, degree: Uint32Array): number {
  let least = queue[begin]!;
  for (let i = begin + 1; i < end; i++) if (degree[queue[i]!]! < degree[least]!) least = queue[i]!;
  return least;
}
