/** The order of elimination, as the first stage of factors. */
import { mapSteps } from '../core/drain.js';
import { fillOrderSteps } from '../reorder/fill-order.js';
import type { Graph } from '../reorder/graph.js';
import type { FactorStep } from './method.js';

/** `order[i]`: the vertex that is eliminated i-th. @throws SparlaneError `heap` if there is no memory for it */
export function orderSteps(graph: Graph, by: 'amd' | 'nd'): Generator<FactorStep, Uint32Array> {
  return mapSteps(fillOrderSteps(graph, by), (done) => ({ stage: 'order', done }));
}
