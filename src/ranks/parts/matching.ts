/**
 * Pairs of vertices of a graph that is distributed over ranks, along heavy edges: each free vertex proposes itself to the neighbour with the edge of the highest rating, and
 * two that propose themselves to each other are a pair.
 *
 * Source: Karypis & Kumar, "A coarse-grain parallel formulation of multilevel k-way graph partitioning", 1997; Manne & Bisseling, "A parallel approximation algorithm for
 *   the weighted maximum matching problem", 2008: locally dominant edges.
 * Differs: equal ratings are decided by a hash of both numbers, the same at both ends, so that in each round about half of the free vertices become pairs.
 */
import type { Communicator } from '../communicator.js';
import type { RankGraph } from './rank-graph.js';

/** There are at most so many rounds of proposals. Chosen. */
const ROUNDS = 8;
/** A round that joins fewer than one vertex in so many is the last one. Chosen. */
const FEW = 50;

/** A vertex that has a partner proposes itself to none. */
const TAKEN = -1;

/**
 * Returns the place of the partner of each own vertex, or its own place. Together.
 *
 * @param heaviest a pair weighs at most this
 */
export function matchVertices(comm: Communicator, graph: RankGraph, heaviest: number): Uint32Array {
  const { vertices, numbers, spread } = graph;
  const partner = Uint32Array.from({ length: vertices }, (_, v) => v);
  const chosen = partner.slice();
  /** The vertex at each place proposes itself to the one with this number. */
  const wish = Float64Array.from(numbers);
  const all = graph.bounds.at(-1)!;
  for (let round = 0, joined = all; round < ROUNDS && joined * FEW >= all; round++) {
    propose(graph, heaviest, wish, chosen);
    spread(wish);
    let own = 0;
    for (let v = 0; v < vertices; v++) {
      const other = chosen[v]!;
      if (partner[v] !== v || other === v || wish[other] !== numbers[v]) continue;
      partner[v] = other;
      own++;
    }
    for (let v = 0; v < vertices; v++) if (partner[v] !== v) wish[v] = TAKEN;
    spread(wish);
    joined = comm.allreduce(own);
  }
  joinAtNeighbours(graph, heaviest, partner);
  return partner;
}

/** Each free vertex chooses the free neighbour with the edge of the highest rating, or itself. */
function propose(graph: RankGraph, heaviest: number, wish: Float64Array, chosen: Uint32Array): void {
  const { vertices, numbers, edgePtr, neighbours, edgeWeights, vertexWeights } = graph;
  for (let v = 0; v < vertices; v++) {
    if (wish[v] === TAKEN) continue;
    const own = vertexWeights[v]!;
    let best = v;
    let rating = 0;
    let decision = 0;
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++) {
      const other = neighbours[k]!;
      const weight = vertexWeights[other]!;
      if (wish[other] === TAKEN || own + weight > heaviest) continue;
      const rated = (edgeWeights[k]! * edgeWeights[k]!) / (own * weight);
      if (rated < rating) continue;
      const hash = hashOfPair(numbers[v]!, numbers[other]!);
      if (rated === rating && hash <= decision) continue;
      best = other;
      rating = rated;
      decision = hash;
    }
    chosen[v] = best;
    wish[v] = numbers[best]!;
  }
}

/** Joins free vertices of this rank that have their heaviest edge to the same neighbour, and those without edges. */
function joinAtNeighbours({ vertices, numbers, ...graph }: RankGraph, heaviest: number, partner: Uint32Array): void {
  const { edgePtr, neighbours, edgeWeights, vertexWeights } = graph;
  const none = numbers.length;
  /** This free vertex waits at each place for another one; `none` if none does. */
  const waiting = new Uint32Array(none + 1).fill(none);
  for (let v = 0; v < vertices; v++) {
    if (partner[v] !== v) continue;
    let [hub, most] = [none, 0];
    for (let k = edgePtr[v]!, end = edgePtr[v + 1]!; k < end; k++)
      if (edgeWeights[k]! > most) [hub, most] = [neighbours[k]!, edgeWeights[k]!];
    const other = waiting[hub]!;
    const fits = other !== none && vertexWeights[v]! + vertexWeights[other]! <= heaviest;
    waiting[hub] = fits ? none : v;
    if (fits) [partner[v], partner[other]] = [other, v];
  }
}

/** Returns 32 pseudo-random bits, the same for both orders of two numbers. */
export function hashOfPair(one: number, other: number): number {
  const mixed = Math.imul(Math.min(one, other), 0x9e37_79b1) ^ Math.imul(Math.max(one, other), 0x85eb_ca6b);
  const stirred = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35);
  return (stirred ^ (stirred >>> 13)) >>> 0;
}
