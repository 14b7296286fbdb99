/** What an adapter knows of the graphs of its library. */
import type { Arcs } from './arcs.js';

/**
 * The weight of an edge: the name of an attribute, a function of the edge as its library passes it, or null for 1. What is no number counts as 1.
 *
 * - graphology: the attribute; `(edge, attributes, source, target, …) => number`
 * - ngraph: the member of `link.data`; `(link) => number`
 * - cytoscape: the field of `edge.data()`; `(edge) => number`
 */
// biome-ignore lint/suspicious/noExplicitAny: the parameters are those of three libraries
export type EdgeWeight = string | null | ((...edge: any[]) => unknown);

export interface GraphLibrary<Graph> {
  /** Whether a value is a graph of this library. */
  is(value: unknown): boolean;
  /** How many numbers a step of the library's own functions reads. */
  size(graph: Graph): number;
  arcs(graph: Graph, weight: EdgeWeight): Arcs;
}

/** Whether a value is an object with these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
}
