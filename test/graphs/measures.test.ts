/** Centralities and matrices of graphs of all libraries. Functions of the libraries themselves are in `accelerate.test.ts`. */

import {
  type AnyGraph,
  eigenvectorCentrality,
  graphMatrix,
  hits,
  katzCentrality,
  type NodeScores,
  pageRank,
} from '@sparlane/graphs';
import fc from 'fast-check';
import { type CsrMatrix, createEngine, pageRank as rankRows } from 'sparlane';
import { afterAll, describe, expect, it } from 'vitest';
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

const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());

/** A graph without nodes in each library. */
const EMPTY: RandomGraph = { type: 'directed', multi: true, nodes: 0, edges: [] };
const directed = randomGraph.map((graph): RandomGraph => ({ ...graph, type: 'directed', multi: true }));

function inAllLibraries(given: RandomGraph): [graphology: AnyGraph, ngraph: AnyGraph, cytoscape: AnyGraph] {
  return [graphologyOf(given), ngraphOf(given), cytoscapeOf(given).elements()];
}

describe('graphMatrix', () => {
  it('has the entries of the edges, and the keys of the nodes', () => {
    const graph = new Graph({ type: 'mixed', multi: true } as never);
    for (const node of 'cab') graph.addNode(node);
    graph.addDirectedEdge('a', 'b', { weight: 2 });
    graph.addDirectedEdge('a', 'b', { weight: 3 });
    graph.addUndirectedEdge('b', 'c');
    graph.addUndirectedEdge('c', 'c', { weight: 7 });
    const { matrix, nodes } = graphMatrix(graph);
    expect(nodes).toEqual(['c', 'a', 'b']);
    expect(dense(matrix)).toEqual([
      [7, 0, 1],
      [0, 0, 5],
      [1, 0, 0],
    ]);
    expect(dense(graphMatrix(graph, { getEdgeWeight: null }).matrix)[1]).toEqual([0, 0, 2]);
    const byEnds = (_edge: string, _attributes: object, source: string, target: string) => (source < target ? 1 : 4);
    expect(dense(graphMatrix(graph, { getEdgeWeight: byEnds }).matrix)[1]).toEqual([0, 0, 2]);
  });

  it('is the same for the same edges in all libraries', () => {
    fc.assert(
      fc.property(directed, (given) => {
        const [first, ...others] = inAllLibraries(given).map((graph) => graphMatrix(graph));
        for (const { matrix, nodes } of others) {
          expect(dense(matrix)).toEqual(dense(first!.matrix));
          expect(nodes.map((key) => `n${key}`.replace('nn', 'n'))).toEqual(first!.nodes);
        }
      }),
      RUNS,
    );
  });

  it('serves the functions of sparlane', () => {
    const { matrix } = graphMatrix(graphologyOf(CYCLE));
    using ranks = rankRows(engine, matrix).ranks;
    expect([...ranks.toArray()].map((rank) => rank.toFixed(6))).toEqual(Array(4).fill('0.250000'));
  });
});

/** `nx.katz_centrality(nx.karate_club_graph())` of NetworkX 3.6.1. */
const KATZ = [
  0.321324597, 0.2354842532, 0.2657658848, 0.1949132025, 0.1219044056, 0.1309722793, 0.1309722793, 0.166233052,
  0.200717811, 0.1242015003, 0.1219044056, 0.0966167418, 0.1161080557, 0.1993736806, 0.1251334264, 0.1251334264,
  0.0906787439, 0.1201651592, 0.1251334264, 0.1533057877, 0.1251334264, 0.1201651592, 0.1251334264, 0.1667906481,
  0.1102110693, 0.1115646127, 0.1129355209, 0.1519016658, 0.1435816547, 0.1531060366, 0.168753618, 0.1938016017,
  0.2750851435, 0.3314063975,
];

const CYCLE: RandomGraph = {
  ...EMPTY,
  nodes: 4,
  edges: [0, 1, 2, 3].map((i) => ({ ends: [i, (i + 1) % 4] as [number, number], isUndirected: false })),
};

function dense({ rows, cols, rowPtr, colIdx, values }: CsrMatrix): number[][] {
  const all = Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
  for (let i = 0; i < rows; i++) for (let k = rowPtr[i]!; k < rowPtr[i + 1]!; k++) all[i]![colIdx[k]!] = values[k]!;
  return all;
}

describe('centralities', () => {
  const LOOSE = { tolerance: 1e-3, maxIterations: 10_000 };
  const measures: Record<string, (graph: AnyGraph) => NodeScores> = {
    pageRank: (graph) => pageRank(engine, graph, LOOSE),
    eigenvectorCentrality: (graph) => eigenvectorCentrality(engine, graph, LOOSE),
    hubs: (graph) => hits(engine, graph, LOOSE).hubs,
    katzCentrality: (graph) => katzCentrality(engine, graph, { alpha: 0.001 }),
  };

  it.each(Object.entries(measures))('%s is the same in all libraries', (name, measure) => {
    fc.assert(
      fc.property(directed, (given) => {
        fc.pre(name !== 'hubs' || given.edges.length > 0);
        const [first, ...others] = inAllLibraries(given).map((graph) => Object.values(measure(graph)));
        for (const scores of others) expect(scores).toEqual(first);
      }),
      RUNS,
    );
  });

  it.each(Object.entries(measures))('%s of no node is empty', (_, measure) => {
    for (const graph of inAllLibraries(EMPTY)) expect(measure(graph)).toEqual({});
  });

  it('katzCentrality of the karate club has the scores of NetworkX', () => {
    const graph = require('graphology-generators/social/karate-club')(UndirectedGraph);
    const scores = katzCentrality(engine, graph, { getEdgeWeight: null });
    expect(Object.keys(scores).length).toBe(34);
    KATZ.forEach((score, i) => {
      expect(scores[i]).toBeCloseTo(score, 9);
    });
  });

  it('katzCentrality solves x = α Aᵀ x + β', () => {
    const graph = new Graph();
    for (const [source, target] of [
      [0, 1],
      [1, 2],
      [2, 0],
      [2, 3],
      [4, 2],
    ])
      graph.mergeEdge(source, target);
    const x = katzCentrality(engine, graph, { alpha: 0.3, beta: 0.5, normalize: false, tolerance: 1e-14 });
    const sums = [x[2]!, x[0]!, x[1]! + x[4]!, x[2]!, 0];
    sums.forEach((sum, i) => {
      expect(x[i]).toBeCloseTo(0.3 * sum + 0.5, 12);
    });
  });

  it('says which argument is wrong', () => {
    const graph = graphologyOf(CYCLE);
    const wrong: [() => unknown, string][] = [
      [
        () => pageRank(engine, {} as never),
        'graph: expected one of graphology or ngraph, or a collection of cytoscape',
      ],
      [() => pageRank(engine, graph, { alpha: 1.5 }), 'alpha: expected a number from 0 to 1, got 1.5'],
      [() => pageRank(engine, graph, { tolerance: -1 }), 'tolerance: expected a number from 0 on, got -1'],
      [() => hits(engine, graph, { tolerance: Number.NaN }), 'tolerance: expected a number from 0 on, got NaN'],
      [() => katzCentrality(engine, graph, { beta: Number.NaN }), 'beta: expected a finite number, got NaN'],
      [
        () => katzCentrality(engine, graph, { alpha: 2 }),
        'maxIterations: expected enough of them for the tolerance, got 1000',
      ],
    ];
    const before = engine.heap.bytesInUse;
    for (const [call, text] of wrong) expect(call).toThrow(text);
    expect(engine.heap.bytesInUse).toBe(before);
  });
});
