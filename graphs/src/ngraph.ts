/** Graphs of ngraph.graph, whose links are directed. */
import { ArcList, type NodeKey } from './arcs.js';
import { type GraphLibrary, hasMethods } from './library.js';

interface Link {
  readonly fromId: NodeKey;
  readonly toId: NodeKey;
  readonly data?: unknown;
}

/** What is used of a graph of ngraph. Returning true would end a loop. */
export interface NgraphGraph {
  getNodesCount(): number;
  getLinksCount(): number;
  // biome-ignore lint/suspicious/noExplicitAny: the types of ngraph want a boolean or nothing, by the version
  forEachNode(use: (node: any) => any): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  forEachLink(use: (link: any) => any): unknown;
}

export const ngraph: GraphLibrary<NgraphGraph> = {
  is: (value) => hasMethods(value, 'forEachLink', 'forEachNode', 'getLinksCount', 'getNodesCount'),
  size: (graph) => graph.getNodesCount() + graph.getLinksCount(),
  arcs(graph, weight) {
    const nodes: NodeKey[] = [];
    graph.forEachNode(({ id }: { readonly id: NodeKey }) => void nodes.push(id));
    const list = new ArcList(nodes, graph.getLinksCount());
    const weightOf = typeof weight === 'function' ? weight : ({ data }: Link) => member(data, weight);
    graph.forEachLink((link: Link) => list.add(link.fromId, link.toId, weightOf(link), false));
    return list.arcs();
  },
};

function member(data: unknown, name: string | null): unknown {
  if (name === null || typeof data !== 'object' || data === null) return undefined;
  return (data as Record<string, unknown>)[name];
}
