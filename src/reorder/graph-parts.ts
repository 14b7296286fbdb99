/**
 * Parts of a graph of about equal weight with few edges between them, by a multilevel method: `assembly/order/partition.ts`.
 *
 * Source: Karypis & Kumar, "Multilevel k-way partitioning scheme for irregular graphs", 1998.
 */
import type { Graph } from './graph.js';
import { OrderMemory } from './order-memory.js';

/**
 * Returns the part of each vertex, from 0. Parts that are next to each other have numbers near to each other. The same graph has the same parts on every machine.
 *
 * @param weights of the vertices, positive, with a sum below 2³⁰
 * @param imbalance a part may be heavier than its share by this, relative to it; as in METIS by default
 * @throws SparlaneError `heap` if there is no memory for it
 */
export function partsOfGraph(
  { vertices, edgePtr, neighbours }: Graph,
  weights: Uint32Array,
  parts: number,
  imbalance = 0.03,
): Uint32Array {
  using memory = OrderMemory.take();
  const [ptr, idx, own] = [memory.place(edgePtr), memory.place(neighbours), memory.place(weights)];
  const partOf = memory.reserve(vertices);
  memory.run.partitionGraph(vertices, ptr, idx, own, parts, imbalance, partOf);
  return memory.read(partOf, vertices);
}
