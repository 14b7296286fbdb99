/** Graphs of three libraries of the same random nodes and edges. */

import { createRequire } from 'node:module';
import cytoscape from 'cytoscape';
import fc from 'fast-check';
import * as graphology from 'graphology';
import createGraph from 'ngraph.graph';
import { fewOrAll } from '../soak.js';

/** The class of all graphs. The types of graphology are those of a CommonJS module, whose default export is the module. */
export const Graph: typeof graphology.DirectedGraph = graphology.default as never;
export type Graph = graphology.DirectedGraph;
export const { UndirectedGraph } = graphology;

/** Modules of CommonJS without types, or with types of a module. */
export const require: NodeJS.Require = createRequire(import.meta.url);

/** A property is tried so many times. */
export const RUNS = { numRuns: fewOrAll(25, 300) };

export interface RandomGraph {
  readonly type: 'directed' | 'undirected' | 'mixed';
  readonly multi: boolean;
  readonly nodes: number;
  readonly edges: readonly {
    readonly ends: readonly [number, number];
    readonly weight?: number;
    readonly isUndirected: boolean;
  }[];
}

const end = fc.nat(11);
const edge = fc.record(
  {
    ends: fc.tuple(end, end),
    weight: fc.double({ min: 0.25, max: 4, noNaN: true }),
    isUndirected: fc.boolean(),
  },
  { requiredKeys: ['ends', 'isUndirected'] },
);

/** Up to 12 nodes, isolated ones among them, and 40 edges, loops among them. */
export const randomGraph: fc.Arbitrary<RandomGraph> = fc.record({
  type: fc.constantFrom('directed', 'undirected', 'mixed'),
  multi: fc.boolean(),
  nodes: fc.integer({ min: 1, max: 12 }),
  edges: fc.array(edge, { maxLength: 40 }),
});

/** Nodes `n0`, `n1` …; edges that would be parallel are left out unless `multi`. */
export function graphologyOf({ type, multi, nodes, edges }: RandomGraph): Graph {
  const graph = new Graph({ type, multi });
  for (let i = 0; i < nodes; i++) graph.addNode(`n${i}`);
  for (const { ends, weight, isUndirected: given } of edges) {
    const [source, target] = ends.map((i) => `n${i % nodes}`) as [string, string];
    const isUndirected = type === 'undirected' || (type === 'mixed' && given);
    const isKnown = isUndirected ? graph.hasUndirectedEdge(source, target) : graph.hasDirectedEdge(source, target);
    if (isKnown && !multi) continue;
    const attributes = weight === undefined ? {} : { weight };
    if (isUndirected) graph.addUndirectedEdge(source, target, attributes);
    else graph.addDirectedEdge(source, target, attributes);
  }
  return graph;
}

/** Nodes 0, 1 … are numbers. */
export function ngraphOf({ multi, nodes, edges }: RandomGraph) {
  const graph = createGraph({ multigraph: multi });
  for (let i = 0; i < nodes; i++) graph.addNode(i);
  for (const { ends, weight } of edges) graph.addLink(ends[0] % nodes, ends[1] % nodes, { weight });
  return graph;
}

export function cytoscapeOf({ nodes, edges }: RandomGraph) {
  return cytoscape({
    elements: {
      nodes: Array.from({ length: nodes }, (_, i) => ({ data: { id: `n${i}` } })),
      edges: edges.map(({ ends: [s, t], weight }, k) => ({
        data: { id: `e${k}`, source: `n${s % nodes}`, target: `n${t % nodes}`, weight },
      })),
    },
  });
}
