/**
 * Functions of graph libraries, computed by an engine where it is faster: with the parameters, defaults and results of the library whose graph is
 * given. Everything else, and every error, is left to the library.
 */
import { type Engine, SparlaneError } from 'sparlane';
import { assign, attributesOf, CONVENTIONS } from './conventions.js';
import { wrong } from './graph.js';

// biome-ignore lint/suspicious/noExplicitAny: the parameters are those of three libraries
type GraphFunction = ((graph: any, ...parameters: any[]) => any) & { assign?: (graph: any, options?: any) => void };

/** Functions of a graph library, each of a graph and further parameters. */
export interface GraphFunctions {
  /** This is `centrality.pagerank` of graphology-metrics, ngraph.pagerank, or, for cytoscape, `(elements, options) => elements.pageRank(options)`. */
  readonly pagerank?: GraphFunction;
  /** This is `centrality.eigenvector` of graphology-metrics. */
  readonly eigenvector?: GraphFunction;
  /** This is `centrality.hits` of graphology-metrics, or ngraph.hits. */
  readonly hits?: GraphFunction;
}

/** `accelerate` takes these options. */
export interface AccelerationOptions {
  /**
   * Smaller graphs are left to the library. The size of a graph: its nodes and edges; of a collection of cytoscape, whose PageRank has a dense matrix,
   * the square of its nodes. Default: from where on the engine takes less time. graphology: `pagerank` and `eigenvector` 10,000, `hits` 1000; ngraph:
   * `pagerank` 100,000, `hits` 10,000; cytoscape: `pageRank` 20,000, that is, 142 nodes.
   */
  readonly minSize?: number;
}

const NAMES = ['pagerank', 'eigenvector', 'hits'] as const satisfies readonly (keyof GraphFunctions)[];
type Name = (typeof NAMES)[number];

/**
 * Functions like those given, which the engine computes where it takes less time. Other members are returned as they are, so that all of
 * `graphology-metrics/centrality` may be given.
 *
 * A function of a smaller graph, of what is no graph, or of a kind that the library refuses, and one that does not converge, is the library's own. Scores
 * are those of the library up to rounding: the steps are the same, and so is the rule by which they end. `assign` of graphology's functions is kept. Once the engine is
 * disposed, all are the library's own.
 *
 * @throws SparlaneError `argument` for a wrong option
 */
export function accelerate<Functions extends GraphFunctions>(
  engine: Engine,
  functions: Functions,
  { minSize }: AccelerationOptions = {},
): Functions {
  if (minSize !== undefined && !(minSize >= 0)) throw wrong('minSize', 'a number from 0 on', minSize);
  const entries = Object.entries(functions).map(([name, theirs]) => {
    const isKnown = (NAMES as readonly string[]).includes(name) && typeof theirs === 'function';
    return [name, isKnown ? faster(engine, name as Name, theirs, minSize) : theirs];
  });
  return Object.fromEntries(entries);
}

function faster(engine: Engine, name: Name, theirs: GraphFunction, given: number | undefined): GraphFunction {
  /** Returns the engine's result, and undefined where the call is left to the library. */
  const compute = (graph: unknown, parameters: readonly unknown[]): unknown => {
    const convention = CONVENTIONS.find(({ library }) => library.is(graph));
    const fast = convention?.functions[name];
    if (convention === undefined || fast === undefined) return undefined;
    const size = convention.library.size(graph as never);
    if (size === 0 || size < (given ?? fast.minSize)) return undefined;
    try {
      return fast.compute(engine, graph as never, ...(parameters as never[]));
    } catch (error) {
      if (error instanceof SparlaneError) return undefined;
      throw error;
    }
  };
  const ours: GraphFunction = (graph, ...parameters) => compute(graph, parameters) ?? theirs(graph, ...parameters);
  if (theirs.assign !== undefined)
    ours.assign = (graph, options) => {
      const result = compute(graph, [options]);
      if (result === undefined) theirs.assign!(graph, options);
      else assign(graph, attributesOf(name, result, options ?? {}));
    };
  return ours;
}
