/**
 * Approximate minimum degree: an order of the vertices in which elimination fills in few entries.
 *
 * Source: Amestoy, Davis & Duff, "An approximate minimum degree ordering algorithm", 1996; `assembly/order/amd.ts` names the parts.
 * Cost: O(vertices × edges) in the worst case, near to O(edges) for meshes.
 */
import type { Graph } from './graph.js';
import { OrderMemory } from './order-memory.js';

/** Pivots between two yields: some milliseconds. */
const PIVOTS = 2048;

/** `order[i]`: the vertex that is eliminated i-th. @throws SparlaneError `heap` if there is no memory for it */
export function amd(graph: Graph): Uint32Array {
  const steps = amdSteps(graph);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same step by step; yields the share of vertices that are eliminated. */
export function* amdSteps({ vertices, edgePtr, neighbours }: Graph): Generator<number, Uint32Array> {
  using memory = OrderMemory.take();
  const { run } = memory;
  const at = run.amdReserve(vertices, neighbours.length) >>> 0;
  memory.write(at, edgePtr);
  memory.write(at + edgePtr.byteLength, neighbours);
  run.amdBegin();
  for (;;) {
    const eliminated = run.amdEliminate(PIVOTS);
    if (eliminated === vertices) return memory.read(run.amdOrder(), vertices);
    yield eliminated / vertices;
  }
}
