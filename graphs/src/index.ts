/**
 * Graphs of graphology, ngraph and cytoscape with sparlane.
 *
 * @module
 */
export { type AccelerationOptions, accelerate, type GraphFunctions } from './accelerate.js';
export type { NodeKey } from './arcs.js';
export { type CommunityOptions, communities } from './communities.js';
export type { CytoscapeCollection } from './cytoscape.js';
export { type AnyGraph, type GraphMatrix, graphMatrix, type WeightOptions } from './graph.js';
export type { GraphologyGraph } from './graphology.js';
export { type NodeLayoutOptions, type NodePosition, spectralLayout } from './layout.js';
export type { EdgeWeight } from './library.js';
export {
  type CentralityOptions,
  eigenvectorCentrality,
  type HitsOptions,
  type HitsScores,
  hits,
  type KatzOptions,
  katzCentrality,
  type NodeScores,
  type PageRankOfNodesOptions,
  pageRank,
} from './measures.js';
export type { NgraphGraph } from './ngraph.js';
