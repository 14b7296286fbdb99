/**
 * Graphs with fewer vertices: chains of vertices, one after the other in the order, become one. Twins are such chains: vertices with the same neighbours, each other included, as the
 * unknowns of a node are. They are eliminated one after the other anyway.
 *
 * Source: Ashcraft, "Compressed graphs and the minimum degree algorithm", 1995.
 */
import type { Graph } from './graph.js';

/** The end of a chain. */
export const LAST = -1;

/** Twins are joined if that leaves at most this share of the vertices. Chosen: two unknowns a node leave a half; a search for twins takes some 10 ns an edge. */
const WORTH = 0.6;

/** The multiplier of a hash: 2³² over the golden ratio. */
const GOLDEN = 0x9e3779b1;

/** A graph with one vertex for each chain. */
export interface JoinedGraph {
  readonly graph: Graph;
  /** An order of the vertices of the first graph from one of the chains. */
  readonly expand: (order: Uint32Array) => Uint32Array;
}

/** Finds for each vertex the twin that comes right after it, or LAST. The result is undefined if there are few twins. O(vertices + edges) */
export function twinsOf({ vertices, edgePtr, neighbours }: Graph): Int32Array | undefined {
  const hashes = new Uint32Array(vertices);
  for (let v = 0; v < vertices; v++) {
    let hash = Math.imul(v + 1, GOLDEN);
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) hash += Math.imul(neighbours[k]! + 1, GOLDEN);
    hashes[v] = hash;
  }
  const next = new Int32Array(vertices).fill(LAST);
  const isJoined = new Uint8Array(vertices);
  /** 1 + the last vertex in whose neighbourhood each one was met. */
  const met = new Uint32Array(vertices);
  let left = vertices;
  for (let v = 0; v < vertices; v++) {
    if (isJoined[v] === 1) continue;
    const begin = edgePtr[v]!;
    const end = edgePtr[v + 1]!;
    for (let k = begin, last = v; k < end; k++) {
      const other = neighbours[k]!;
      if (other < v || isJoined[other] === 1 || hashes[other] !== hashes[v]) continue;
      if (edgePtr[other + 1]! - edgePtr[other]! !== end - begin) continue;
      if (met[v] !== v + 1) {
        met[v] = v + 1;
        for (let m = begin; m < end; m++) met[neighbours[m]!] = v + 1;
      }
      let m = edgePtr[other]!;
      const otherEnd = edgePtr[other + 1]!;
      while (m < otherEnd && met[neighbours[m]!] === v + 1) m++;
      if (m < otherEnd) continue;
      next[last] = other;
      last = other;
      isJoined[other] = 1;
      left--;
    }
  }
  return left <= WORTH * vertices ? next : undefined;
}

/** @param next for each vertex the one that comes right after it, or LAST */
export function joinChains({ vertices, edgePtr, neighbours }: Graph, next: Int32Array): JoinedGraph {
  const isFollower = new Uint8Array(vertices);
  for (let v = 0; v < vertices; v++) if (next[v] !== LAST) isFollower[next[v]!] = 1;
  const chainOf = new Uint32Array(vertices);
  const first: number[] = [];
  for (let v = 0; v < vertices; v++) {
    if (isFollower[v] === 1) continue;
    for (let u = v; u !== LAST; u = next[u]!) chainOf[u] = first.length;
    first.push(v);
  }
  const count = first.length;
  const joinedPtr = new Uint32Array(count + 1);
  const joined = new Uint32Array(neighbours.length);
  /** 1 + the last chain that met each one. */
  const met = new Uint32Array(count);
  let write = 0;
  for (let c = 0; c < count; c++) {
    met[c] = c + 1;
    for (let v = first[c]!; v !== LAST; v = next[v]!)
      for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
        const other = chainOf[neighbours[k]!]!;
        if (met[other] === c + 1) continue;
        met[other] = c + 1;
        joined[write++] = other;
      }
    joinedPtr[c + 1] = write;
  }
  const expand = (order: Uint32Array) => {
    const all = new Uint32Array(vertices);
    let at = 0;
    for (const c of order) for (let v = first[c]!; v !== LAST; v = next[v]!) all[at++] = v;
    return all;
  };
  return { graph: { vertices: count, edgePtr: joinedPtr, neighbours: joined.subarray(0, write) }, expand };
}
