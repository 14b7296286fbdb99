/**
 * Nested dissection: a small separator of the graph is eliminated last, the parts that it leaves before it, and so on; small parts by approximate
 * minimum degree.
 *
 * Source: George, "Nested dissection of a regular finite element mesh", 1973; Lipton, Rose & Tarjan 1979.
 * Differs: the separator is the smallest set of vertices that covers the edges between two parts by `graph-parts.ts` (König 1931).
 * For: meshes of three dimensions, where minimum degree takes several times the operations.
 */
import { amd } from './amd.js';
import { type Graph, partOf } from './graph.js';
import { partsOfGraph } from './graph-parts.js';

/** Parts of fewer rows are not cut. Chosen. */
const SMALL = 256;

/** A part may have this share more vertices than half of all. Chosen. */
const IMBALANCE = 0.1;

const NONE = -1;
const SEPARATOR = 2;

/** `order[i]`: the vertex that is eliminated i-th; yields the share of vertices that are placed. @param rows of a vertex, in the mean */
export function* dissectionSteps(graph: Graph, rows = 1): Generator<number, Uint32Array> {
  const order = new Uint32Array(graph.vertices);
  const all = Uint32Array.from({ length: graph.vertices }, (_, v) => v);
  const parts: { readonly graph: Graph; readonly vertices: Uint32Array; readonly begin: number }[] = [
    { graph, vertices: all, begin: 0 },
  ];
  if (graph.vertices === 0) return order;
  let placed = 0;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { begin, vertices } = part;
    const sides = vertices.length * rows < SMALL ? undefined : separate(part.graph);
    if (sides === undefined) {
      amd(part.graph).forEach((v, k) => {
        order[begin + k] = vertices[v]!;
      });
      placed += vertices.length;
      yield placed / graph.vertices;
      continue;
    }
    const zero = partOf(part.graph, vertices, sides, 0);
    const one = partOf(part.graph, vertices, sides, 1);
    let at = begin + zero.vertices.length + one.vertices.length;
    placed += begin + vertices.length - at;
    for (let v = 0; v < vertices.length; v++) if (sides[v] === SEPARATOR) order[at++] = vertices[v]!;
    parts.push({ ...zero, begin }, { ...one, begin: begin + zero.vertices.length });
    yield placed / graph.vertices;
  }
  return order;
}

/** 0 and 1 for two parts without an edge between them, and SEPARATOR; undefined if one would be empty, or the separator is no small one. */
function separate(graph: Graph): Uint32Array | undefined {
  const sides = partsOfGraph(graph, new Uint32Array(graph.vertices).fill(1), 2, { imbalance: IMBALANCE });
  cover(graph, sides);
  const counts = [0, 0, 0];
  for (const side of sides) counts[side]!++;
  return Math.min(counts[0]!, counts[1]!) === 0 || counts[2]! > graph.vertices / 4 ? undefined : sides;
}

/** Moves a smallest set of vertices that covers the edges between the parts to the separator. */
function cover(graph: Graph, sides: Uint32Array): void {
  const { vertices, edgePtr, neighbours } = graph;
  const partner = new Int32Array(vertices).fill(NONE);
  const metBy = new Int32Array(vertices).fill(NONE);
  const border: number[] = [];
  for (let v = 0; v < vertices; v++) {
    if (sides[v] !== 0) continue;
    let isBorder = false;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
      const other = neighbours[k]!;
      if (sides[other] !== 1) continue;
      isBorder = true;
      if (partner[v] !== NONE || partner[other] !== NONE) continue;
      partner[v] = other;
      partner[other] = v;
    }
    if (isBorder) border.push(v);
  }
  /** Vertices of part 0 from which alternating paths go on, and how part 1 was reached. */
  const from = new Int32Array(vertices).fill(NONE);
  const search = (start: number, mark: number): boolean => {
    const queue = [start];
    for (let head = 0; head < queue.length; head++) {
      const v = queue[head]!;
      for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
        const other = neighbours[k]!;
        if (sides[other] !== 1 || metBy[other] === mark) continue;
        metBy[other] = mark;
        from[other] = v;
        if (partner[other] !== NONE) {
          queue.push(partner[other]!);
          continue;
        }
        for (let free = other, at = NONE; free !== NONE; free = at) {
          const owner = from[free]!;
          at = partner[owner]!;
          partner[owner] = free;
          partner[free] = owner;
        }
        return true;
      }
    }
    return false;
  };
  for (const v of border) if (partner[v] === NONE) search(v, v);
  // From what is left unmatched in part 0, alternating paths reach what must be covered in part 1.
  const isReached = new Uint8Array(vertices);
  const queue = border.filter((v) => partner[v] === NONE);
  for (const v of queue) isReached[v] = 1;
  for (let head = 0; head < queue.length; head++) {
    const v = queue[head]!;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
      const other = neighbours[k]!;
      if (sides[other] !== 1 || isReached[other] === 1) continue;
      isReached[other] = 1;
      const next = partner[other]!;
      if (isReached[next] === 1) continue;
      isReached[next] = 1;
      queue.push(next);
    }
  }
  const covering = border.flatMap((v) => {
    const other = partner[v]!;
    if (other === NONE) return [];
    return [isReached[other] === 1 ? other : v];
  });
  for (const v of covering) sides[v] = SEPARATOR;
}
