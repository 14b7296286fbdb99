/**
 * The order of Cuthill and McKee: breadth first from one end of the graph, those reached from one vertex by ascending degree.
 *
 * Source: Cuthill & McKee 1969; reversed, as it is used, George 1971; the start, George & Liu, "An implementation of a
 *   pseudoperipheral node finder", 1979.
 * Differs: the neighbours of all vertices are put in order of degree once, ahead, by a counting sort, so that each search of
 *   the finder is a Cuthill-McKee order already and the best of them is the answer: the one with the most levels, of equal
 *   ones that whose widest level is narrowest (Gibbs, Poole & Stockmeyer 1976).
 * Cost: O(vertices + edges) for each search, of which there are three to six.
 */
import { byAscendingKey } from './counting-sort.js';
import type { Graph } from './graph.js';

/** Every vertex once, component after component: `order[place] = vertex`. `degree` is what neighbours are ordered by. */
export function cuthillMckee(graph: Graph, degree: Uint32Array = degrees(graph)): Uint32Array {
  const byDegree = byAscendingKey(degree);
  const search = new Search(inOrderOf(byDegree, graph));
  for (let i = 0; i < byDegree.length; i++) {
    // The least degree of its component, since none of it was seen before.
    if (!search.seen(byDegree[i]!)) search.placeFromEnd(byDegree[i]!, degree);
  }
  return search.order;
}

/** The same, from the first vertex of each component on, whether it lies at an end or not. */
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

/** The same graph, the neighbours of each vertex in the order given: every vertex signs in with its neighbours. */
function inOrderOf(order: Uint32Array, { vertices, edgePtr, neighbours }: Graph): Graph {
  const next = edgePtr.slice(0, vertices);
  const sorted = new Uint32Array(neighbours.length);
  for (let i = 0; i < order.length; i++) {
    const v = order[i]!;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) sorted[next[neighbours[k]!]!++] = v;
  }
  return { vertices, edgePtr, neighbours: sorted };
}

/** The levels of a breadth-first search: how many, how wide, and where the last one begins. */
interface Levels {
  readonly height: number;
  readonly width: number;
  readonly lastBegin: number;
  readonly end: number;
}

/** Breadth-first searches over one graph, and the order that they have made so far. */
class Search {
  readonly order: Uint32Array;
  readonly #graph: Graph;
  /** Which search saw a vertex last; 0 for none. */
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

  /** Appends the component of a vertex, from a pseudo-peripheral vertex of it on. */
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

  /** Appends the component of a vertex, from that vertex on. */
  placeFrom(vertex: number): void {
    this.#placed = this.#levels(this.order, vertex).end;
  }

  /** Searches from a root, writing the vertices as they are reached to the places that come next. */
  #levels(queue: Uint32Array, root: number): Levels {
    const { edgePtr, neighbours } = this.#graph;
    const seenBy = this.#seenBy;
    const search = ++this.#searches;
    let end = this.#placed;
    queue[end++] = root;
    seenBy[root] = search;
    let [height, width, begin] = [0, 0, this.#placed];
    for (let levelEnd = end; ; levelEnd = end) {
      height++;
      width = Math.max(width, levelEnd - begin);
      for (let i = begin; i < levelEnd; i++) {
        const v = queue[i]!;
        for (let k = edgePtr[v]!, last = edgePtr[v + 1]!; k < last; k++) {
          const neighbour = neighbours[k]!;
          if (seenBy[neighbour] === search) continue;
          seenBy[neighbour] = search;
          queue[end++] = neighbour;
        }
      }
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
