/** Graphs of graphology: directed, undirected and mixed ones, with parallel edges or without. */
import { ArcList } from './arcs.js';
import { type GraphLibrary, hasMethods } from './library.js';

type Attributes = Record<string, unknown>;

/** What is used of a graph of graphology. */
export interface GraphologyGraph {
  readonly multi: boolean;
  readonly order: number;
  readonly size: number;
  readonly directedSize: number;
  readonly undirectedSize: number;
  nodes(): string[];
  forEachEdge(
    use: (
      edge: string,
      attributes: Attributes,
      source: string,
      target: string,
      sourceAttributes: Attributes,
      targetAttributes: Attributes,
      undirected: boolean,
    ) => void,
  ): void;
  // biome-ignore lint/suspicious/noExplicitAny: attributes of nodes have types of their own
  updateEachNodeAttributes(update: (node: string, attributes: any) => any, hints?: { attributes?: string[] }): void;
}

export const graphology: GraphLibrary<GraphologyGraph> = {
  is: (value) => hasMethods(value, 'forEachEdge', 'addUndirectedEdgeWithKey', 'updateEachNodeAttributes'),
  size: ({ order, size }) => order + size,
  arcs(graph, weight) {
    const list = new ArcList(graph.nodes(), graph.directedSize + 2 * graph.undirectedSize);
    // Two loops, without an array of the parameters: an edge takes half of the time.
    if (typeof weight === 'function')
      graph.forEachEdge((edge, attributes, source, target, ofSource, ofTarget, isUndirected) => {
        const number = weight(edge, attributes, source, target, ofSource, ofTarget, isUndirected);
        list.add(source, target, number, isUndirected);
      });
    else
      graph.forEachEdge((_edge, attributes, source, target, _ofSource, _ofTarget, isUndirected) => {
        list.add(source, target, weight === null ? 1 : attributes[weight], isUndirected);
      });
    return list.arcs();
  },
};
