/** Collections of cytoscape, such as `cy.elements()`. Edges are directed, as `pageRank` of cytoscape takes them. */
import { ArcList } from './arcs.js';
import { type GraphLibrary, hasMethods } from './library.js';

export interface CytoscapeElement {
  id(): string;
  data(name: string): unknown;
}

interface Elements {
  readonly length: number;
  // biome-ignore lint/suspicious/noExplicitAny: an element has many methods, of which two are used
  forEach(use: (element: any) => void): unknown;
}

/** What is used of a collection. Edges count if both of their ends are in it. */
export interface CytoscapeCollection {
  nodes(): Elements;
  edges(): Elements;
  // biome-ignore lint/suspicious/noExplicitAny: its type is that of cytoscape
  cy(): any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  pageRank(options?: any): any;
}

export const cytoscape: GraphLibrary<CytoscapeCollection> = {
  is: (value) => hasMethods(value, 'nodes', 'edges', 'pageRank'),
  // Its PageRank has a dense matrix.
  size: (elements) => elements.nodes().length ** 2,
  arcs(elements, weight) {
    const nodes: string[] = [];
    elements.nodes().forEach((node: CytoscapeElement) => {
      nodes.push(node.id());
    });
    const edges = elements.edges();
    const list = new ArcList(nodes, edges.length);
    const weightOf =
      typeof weight === 'function' ? weight : (edge: CytoscapeElement) => (weight === null ? 1 : edge.data(weight));
    edges.forEach((edge: CytoscapeElement) => {
      list.add(edge.data('source') as string, edge.data('target') as string, weightOf(edge), false);
    });
    return list.arcs();
  },
};
