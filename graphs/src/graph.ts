/** Graphs of all libraries, found by their methods. */
import { type CsrMatrix, csrMatrix, SparlaneError } from 'sparlane';
import type { Arcs, NodeKey } from './arcs.js';
import { type CytoscapeCollection, cytoscape } from './cytoscape.js';
import { type GraphologyGraph, graphology } from './graphology.js';
import type { EdgeWeight, GraphLibrary } from './library.js';
import { type NgraphGraph, ngraph } from './ngraph.js';

/** A graph of graphology or ngraph, or a collection of cytoscape. */
export type AnyGraph = GraphologyGraph | NgraphGraph | CytoscapeCollection;

/** Where the weights of edges are. */
export interface WeightOptions {
  /** Default `'weight'`: an attribute of the edge in graphology, a member of `link.data` in ngraph, a field of `edge.data()` in cytoscape. */
  readonly getEdgeWeight?: EdgeWeight | undefined;
}

const LIBRARIES: readonly GraphLibrary<never>[] = [graphology, ngraph, cytoscape];

/** @throws SparlaneError `argument` for any other value */
export function arcsOf(graph: AnyGraph, { getEdgeWeight = 'weight' }: WeightOptions): Arcs {
  const library = LIBRARIES.find(({ is }) => is(graph)) as GraphLibrary<AnyGraph> | undefined;
  if (library === undefined)
    throw wrong('graph', 'one of graphology or ngraph, or a collection of cytoscape', typeof graph);
  return library.arcs(graph, getEdgeWeight);
}

/** The adjacency matrix of a graph, and the nodes that its rows belong to. */
export interface GraphMatrix {
  /** Square: entry (i, j) is the weight of the edge from node i to node j; parallel edges are added, undirected edges have two entries. */
  readonly matrix: CsrMatrix;
  /** The keys of the nodes, in the order in which the library lists them. */
  readonly nodes: readonly NodeKey[];
}

/**
 * The adjacency matrix of a graph, for everything else that sparlane computes.
 *
 * @throws SparlaneError `argument` if it is no graph of these libraries
 *
 * @example
 * const { matrix, nodes } = graphMatrix(graph);
 * pageRank(engine, matrix, { personalization }); // that of sparlane
 */
export function graphMatrix(graph: AnyGraph, options: WeightOptions = {}): GraphMatrix {
  const { nodes, sources, targets, weights } = arcsOf(graph, options);
  const n = nodes.length;
  return { matrix: csrMatrix({ rows: n, cols: n, rowIdx: sources, colIdx: targets, values: weights }), nodes };
}

/** Returns the error for an argument, in the words of the library. */
export function wrong(name: string, expected: string, got: unknown): SparlaneError {
  return new SparlaneError('argument', `${name}: expected ${expected}, got ${got}`);
}
