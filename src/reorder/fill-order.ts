/** Orders that fill in few entries, of the graph of a symmetric pattern. Twins are ordered as one vertex. */
import { amdSteps } from './amd.js';
import { dissectionSteps } from './dissection.js';
import type { Graph } from './graph.js';
import { joinChains, twinsOf } from './twins.js';

/** `order[i]`: the vertex that is eliminated i-th; yields the share of vertices that are placed. @throws SparlaneError `heap` if there is no memory for it */
export function* fillOrderSteps(graph: Graph, by: 'amd' | 'nd'): Generator<number, Uint32Array> {
  const steps = by === 'nd' ? dissectionSteps : amdSteps;
  const twins = twinsOf(graph);
  if (twins === undefined) return yield* steps(graph);
  const joined = joinChains(graph, twins);
  return joined.expand(yield* steps(joined.graph, graph.vertices / joined.graph.vertices));
}
