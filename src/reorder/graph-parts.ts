/**
 * Parts of a graph of about equal weight with few edges between them, by a multilevel method: `assembly/order/partition.ts`.
 *
 * Source: Karypis & Kumar, "Multilevel k-way partitioning scheme for irregular graphs", 1998.
 */
import type { Graph } from './graph.js';
import { OrderMemory } from './order-memory.js';

/** A part may be heavier than its share by this, relative to it; as in METIS. */
export const IMBALANCE = 0.03;

export interface PartsOptions {
  /** A part may be heavier than its share by this, relative to it. Default `IMBALANCE`. */
  readonly imbalance?: number;
  /** Parallel to the neighbours: positive integers. Default: all 1. */
  readonly edgeWeights?: ArrayLike<number>;
}

/**
 * Returns the part of each vertex, from 0. Parts that are next to each other have numbers near to each other. The same graph has the same parts on every machine.
 *
 * @param weights of the vertices: positive integers
 * @throws SparlaneError `heap` if there is no memory for it
 */
export function partsOfGraph(
  { vertices, edgePtr, neighbours }: Graph,
  weights: ArrayLike<number>,
  parts: number,
  { imbalance = IMBALANCE, edgeWeights }: PartsOptions = {},
): Uint32Array {
  using memory = OrderMemory.take();
  const ofEdges = edgeWeights === undefined ? new Uint32Array(neighbours.length).fill(1) : scaled(edgeWeights);
  const given = [edgePtr, neighbours, scaled(weights), ofEdges].map((array) => memory.place(array));
  const [ptr, idx, own, edges] = given as [number, number, number, number];
  const partOf = memory.reserve(vertices);
  memory.run.partitionGraph(vertices, ptr, idx, own, edges, parts, imbalance, partOf);
  return memory.read(partOf, vertices);
}

/** Returns weights, or a fraction of them, so that their sum is below 2³⁰. */
export function scaled(weights: ArrayLike<number>): Uint32Array {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i]!;
  const unit = Math.ceil(sum / 2 ** 29);
  return Uint32Array.from(weights, (weight) => Math.ceil(weight / unit));
}
