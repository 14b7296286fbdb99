/** The functions of graph libraries by the engine: with their parameters, defaults and results. */
import type { Engine } from 'sparlane';
import { byNode, type NodeKey } from './arcs.js';
import { hubsAndAuthorities, pageRanks } from './centralities.js';
import { type CytoscapeCollection, type CytoscapeElement, cytoscape } from './cytoscape.js';
import type { HeapVector } from './fixed-point.js';
import { wrong } from './graph.js';
import { type GraphologyGraph, graphology } from './graphology.js';
import type { GraphLibrary } from './library.js';
import { eigenvectorCentrality, type HitsScores, hits, type NodeScores, pageRank } from './measures.js';
import { type NgraphGraph, ngraph } from './ngraph.js';

interface GraphFunctionByEngine {
  readonly compute: (engine: Engine, graph: never, ...parameters: never[]) => unknown;
  /**
   * The least size of a graph, as its library counts, for which the engine takes less time. Measured on two cores of an Intel Xeon with ten edges for
   * each node (`npx bench graphs --parts small`, Node 20, 27 November 2026).
   */
  readonly minSize: number;
}

/** A library, and its functions by the names that `accelerate` takes. */
export interface Convention {
  readonly library: GraphLibrary<never>;
  readonly functions: Readonly<Partial<Record<'pagerank' | 'eigenvector' | 'hits', GraphFunctionByEngine>>>;
}

/** ngraph has no limit: its own function is called after so many steps. Chosen. */
const MOST_ITERATIONS = 10_000;

// graphology-metrics 2. Its options may be null.

function pageRankOfGraphology(engine: Engine, graph: GraphologyGraph, options: object | null = {}): NodeScores {
  return pageRank(engine, graph, options ?? {});
}

function eigenvectorOfGraphology(engine: Engine, graph: GraphologyGraph, options: object | null = {}): NodeScores {
  return eigenvectorCentrality(engine, graph, options ?? {});
}

function hitsOfGraphology(engine: Engine, graph: GraphologyGraph, options: object | null = {}): HitsScores {
  if (graph.multi) throw wrong('graph', 'one without parallel edges', 'a multigraph');
  return hits(engine, graph, options ?? {});
}

/** `assign` writes scores into attributes with these names. */
export interface AttributeNames {
  readonly nodePagerankAttribute?: string;
  readonly nodeCentralityAttribute?: string;
  readonly nodeAuthorityAttribute?: string;
  readonly nodeHubAttribute?: string;
}

/** What `assign` of a function of graphology-metrics writes: scores by the name of the attribute. */
export function attributesOf(
  name: string,
  result: unknown,
  options: AttributeNames,
): Readonly<Record<string, NodeScores>> {
  if (name === 'pagerank') return { [options.nodePagerankAttribute ?? 'pagerank']: result as NodeScores };
  if (name === 'eigenvector')
    return { [options.nodeCentralityAttribute ?? 'eigenvectorCentrality']: result as NodeScores };
  const { hubs, authorities } = result as HitsScores;
  return {
    [options.nodeAuthorityAttribute ?? 'authority']: authorities,
    [options.nodeHubAttribute ?? 'hub']: hubs,
  };
}

export function assign(graph: GraphologyGraph, scores: Readonly<Record<string, NodeScores>>): void {
  const update = (node: string, attributes: Record<string, unknown>) => {
    for (const [name, values] of Object.entries(scores)) attributes[name] = values[node];
    return attributes;
  };
  graph.updateEachNodeAttributes(update, { attributes: Object.keys(scores) });
}

// ngraph.pagerank 2 and ngraph.hits 2: all links count 1. What is no number is the default.

function pageRankOfNgraph(engine: Engine, graph: NgraphGraph, probability?: unknown, epsilon?: unknown): NodeScores {
  const arcs = ngraph.arcs(graph, null);
  const goal = { change: numberOr(epsilon, 0.005), maxIterations: MOST_ITERATIONS };
  const ranks = pageRanks(engine, arcs, numberOr(probability, 0.85), goal);
  return byNode(arcs, (i) => ranks[i]!);
}

function hitsOfNgraph(engine: Engine, graph: NgraphGraph, epsilon?: unknown) {
  const arcs = ngraph.arcs(graph, null);
  const goal = { change: numberOr(epsilon, 1e-8), maxIterations: MOST_ITERATIONS };
  const { hubs, authorities } = hubsAndAuthorities(engine, arcs, goal, { first: 1, both: true });
  return byNode(arcs, (i) => ({ authority: authorities[i]!, hub: hubs[i]! }));
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

// cytoscape 3

interface CytoscapeOptions {
  readonly dampingFactor?: number;
  readonly precision?: number;
  readonly iterations?: number;
  readonly weight?: (edge: CytoscapeElement) => number;
}

/** Loops do not count. It ends without an error after `iterations`. Its first step starts from ones, whose change counts. */
function pageRankOfCytoscape(
  engine: Engine,
  elements: CytoscapeCollection,
  { dampingFactor = 0.8, precision = 1e-6, iterations = 200, weight = () => 1 }: CytoscapeOptions = {},
) {
  const isLoop = (edge: CytoscapeElement) => edge.data('source') === edge.data('target');
  const arcs = cytoscape.arcs(elements, (edge: CytoscapeElement) => (isLoop(edge) ? 0 : weight(edge)));
  let steps = 0;
  const change = ({ data: x }: HeapVector, { data: y }: HeapVector) => {
    steps++;
    if (steps === iterations) return Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let i = 0; i < y.length; i++) sum += ((steps === 1 ? 1 : x[i]!) - y[i]!) ** 2;
    return sum;
  };
  const ranks = pageRanks(engine, arcs, dampingFactor, { change: precision, maxIterations: iterations }, change);
  const byKey = new Map<NodeKey, number>(arcs.nodes.map((node, i) => [node, ranks[i]!]));
  return { rank: (node: unknown) => byKey.get(elements.cy().collection(node)[0].id()) };
}

export const CONVENTIONS: readonly Convention[] = [
  {
    library: graphology,
    functions: {
      pagerank: { compute: pageRankOfGraphology, minSize: 10_000 },
      eigenvector: { compute: eigenvectorOfGraphology, minSize: 10_000 },
      hits: { compute: hitsOfGraphology, minSize: 1000 },
    },
  },
  {
    library: ngraph,
    functions: {
      pagerank: { compute: pageRankOfNgraph, minSize: 100_000 },
      hits: { compute: hitsOfNgraph, minSize: 10_000 },
    },
  },
  { library: cytoscape, functions: { pagerank: { compute: pageRankOfCytoscape, minSize: 20_000 } } },
];
