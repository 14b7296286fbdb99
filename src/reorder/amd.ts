/**
 * Approximate minimum degree: an order of the vertices in which elimination fills in few entries.
 *
 * Source: Amestoy, Davis & Duff, "An approximate minimum degree ordering algorithm", 1996; names as there.
 * The graph of what is left is kept as a quotient graph: an eliminated pivot becomes an element, whose list Lₑ has the variables that it
 *   connects, and a variable's list has its elements, then its variables. Lists only shrink but that of a new element, so they fit in the
 *   space of the graph and some more.
 *     absorption      the elements of a pivot become part of it; so does an element whose variables all belong to it (aggressive)
 *     supervariables  variables with the same lists are found by a hash and eliminated together
 *     mass elimination  a variable that only the pivot's element connects follows the pivot at once
 *     degree          an upper bound: the sum of |Lₑ \ Lₚ|, which one pass over the lists of the pivot's variables counts for all elements
 *   Vertices of very many neighbours come last, beforehand.
 * Cost: O(vertices × edges) in the worst case, near to O(edges) for meshes.
 */
import type { Graph } from './graph.js';
import { QuotientGraph } from './quotient-graph.js';

/** Pivots between two yields: some milliseconds. */
const PIVOTS = 2048;

/** `order[i]`: the vertex that is eliminated i-th. */
export function amd(graph: Graph): Uint32Array {
  const steps = amdSteps(graph);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same step by step; yields the share of vertices that are eliminated. */
export function* amdSteps(graph: Graph): Generator<number, Uint32Array> {
  const quotient = new QuotientGraph(graph);
  while (quotient.eliminate(PIVOTS)) yield quotient.eliminated / graph.vertices;
  return quotient.order();
}
