/**
 * PageRank, eigenvector centrality, HITS and Katz centrality of the nodes of a graph. Options, defaults and results are those of
 * graphology-metrics, for graphs of all libraries; those of Katz centrality, which it lacks, are NetworkX's.
 */
import type { Engine } from 'sparlane';
import { byNode, type NodeKey } from './arcs.js';
import {
  eigenvectorCentralities,
  hubsAndAuthorities,
  katzCentralities,
  norm,
  pageRanks,
  scale,
} from './centralities.js';
import type { Goal } from './fixed-point.js';
import { type AnyGraph, arcsOf, type WeightOptions, wrong } from './graph.js';

/** A number for each node. */
export type NodeScores = Record<NodeKey, number>;

/** Every centrality takes these options. */
export interface CentralityOptions extends WeightOptions {
  /** Default 100; of Katz centrality 1000. */
  readonly maxIterations?: number;
  /** The iteration ends when ‖x₊ − x‖₁ is less than this times the number of nodes. Default 1e-6. */
  readonly tolerance?: number;
}

/** `pageRank` takes these options. */
export interface PageRankOfNodesOptions extends CentralityOptions {
  /** The probability of following an edge: 0 to 1. Default 0.85. */
  readonly alpha?: number;
}

/** `hits` takes these options. */
export interface HitsOptions extends CentralityOptions {
  /** The iteration ends when the 1-norm of the change of the hubs, of which the greatest is 1, is less than this. Default 1e-8. */
  readonly tolerance?: number;
  /** Whether results are divided by their sums, instead of the greatest one. Default true. */
  readonly normalize?: boolean;
}

/** `katzCentrality` takes these options. */
export interface KatzOptions extends CentralityOptions {
  /** The factor of each step: less than 1 / λ, the greatest eigenvalue of the graph. Default 0.1. */
  readonly alpha?: number;
  /** What every node has by itself. Default 1. */
  readonly beta?: number;
  /** Whether results are divided by their 2-norm. Default true. */
  readonly normalize?: boolean;
}

/** `hits` returns this. */
export interface HitsScores {
  readonly hubs: NodeScores;
  readonly authorities: NodeScores;
}

/**
 * The share of time that a random walk spends in each node. A node without outgoing edges is left to any node.
 *
 * @throws SparlaneError `argument` for a wrong argument, or if `maxIterations` are not enough; `heap`
 */
export function pageRank(engine: Engine, graph: AnyGraph, options: PageRankOfNodesOptions = {}): NodeScores {
  const { alpha = 0.85 } = options;
  if (!(alpha >= 0 && alpha <= 1)) throw wrong('alpha', 'a number from 0 to 1', alpha);
  const arcs = arcsOf(graph, options);
  const ranks = pageRanks(engine, arcs, alpha, goalOf(options, arcs.nodes.length));
  return byNode(arcs, (i) => ranks[i]!);
}

/**
 * The vector x ≥ 0 with Aᵀ x = λ x for the greatest λ, of 2-norm 1. Powers of Aᵀ + I, which converge for bipartite graphs, too.
 *
 * @throws SparlaneError as `pageRank`
 */
export function eigenvectorCentrality(engine: Engine, graph: AnyGraph, options: CentralityOptions = {}): NodeScores {
  const arcs = arcsOf(graph, options);
  const scores = eigenvectorCentralities(engine, arcs, goalOf(options, arcs.nodes.length));
  return byNode(arcs, (i) => scores[i]!);
}

/**
 * Hubs, which have edges to authorities, and authorities, which have edges from hubs. Parallel edges are added.
 *
 * @throws SparlaneError as `pageRank`; a graph without edges does not converge
 */
export function hits(engine: Engine, graph: AnyGraph, options: HitsOptions = {}): HitsScores {
  const { tolerance = 1e-8, normalize = true } = options;
  const goal = goalOf({ ...options, tolerance }, 1);
  const arcs = arcsOf(graph, options);
  const first = 1 / arcs.nodes.length;
  const found = hubsAndAuthorities(engine, arcs, goal, { first, both: false });
  if (normalize) for (const x of [found.hubs, found.authorities]) scale(x, 1 / sum(x));
  return { hubs: byNode(arcs, (i) => found.hubs[i]!), authorities: byNode(arcs, (i) => found.authorities[i]!) };
}

/**
 * x = α Aᵀ x + β: the paths that end in a node, of which each further edge counts α times.
 *
 * Source: Katz 1953; `katz_centrality` of NetworkX, but for the weights, which are 1 there by default.
 *
 * @throws SparlaneError as `pageRank`; an `alpha` of 1 / λ or more does not converge
 */
export function katzCentrality(engine: Engine, graph: AnyGraph, options: KatzOptions = {}): NodeScores {
  const { alpha = 0.1, beta = 1, normalize = true } = options;
  for (const [name, value] of Object.entries({ alpha, beta }))
    if (!Number.isFinite(value)) throw wrong(name, 'a finite number', value);
  const arcs = arcsOf(graph, options);
  const scores = katzCentralities(
    engine,
    arcs,
    { alpha, beta },
    goalOf({ maxIterations: 1000, ...options }, arcs.nodes.length),
  );
  if (normalize) scale(scores, 1 / norm(scores));
  return byNode(arcs, (i) => scores[i]!);
}

/** @param factor of the tolerance */
function goalOf({ tolerance = 1e-6, maxIterations = 100 }: CentralityOptions, factor: number): Goal {
  if (!(tolerance >= 0)) throw wrong('tolerance', 'a number from 0 on', tolerance);
  return { change: factor * tolerance, maxIterations };
}

function sum(x: Float64Array): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i]!;
  return total;
}
