/** `accelerate` of @sparlane/graphs: every result beside that of the library's own function. */

import { accelerate } from '@sparlane/graphs';
import type { Core, EdgeSingular } from 'cytoscape';
import fc from 'fast-check';
import { betweenness, eigenvector, hits, pagerank } from 'graphology-metrics/centrality/index.js';
import { createEngine } from 'sparlane';
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
} from './random-graphs.js';

const engine = await createEngine({ threads: 2 });
afterAll(() => engine.dispose());

const ALWAYS = { minSize: 0 };
const centrality = { betweenness, eigenvector, hits, pagerank };
// biome-ignore lint/suspicious/noExplicitAny: results of three libraries
type Any = any;

/** The result of a call, or the text of its error. */
function outcome(call: () => unknown): Any {
  try {
    return call();
  } catch (error) {
    return String(error);
  }
}

/** Compares results, which have the same members and are equal up to rounding. */
function expectClose(got: Any, expected: Any): void {
  if (typeof expected === 'number') {
    if (!(Math.abs(got - expected) <= 1e-9 * Math.max(1e-3, Math.abs(expected)))) expect(got).toBe(expected);
  } else if (typeof expected !== 'object') {
    expect(got).toBe(expected);
  } else {
    expect(Object.keys(got)).toEqual(Object.keys(expected));
    for (const key of Object.keys(expected)) expectClose(got[key], expected[key]);
  }
}

/** Counts calls of a function of a library, that is, what is left to it. */
function counted<F extends (...parameters: never[]) => unknown>(theirs: F): F & { calls: number } {
  const wrapped: Any = (...parameters: never[]) => {
    wrapped.calls++;
    return theirs(...parameters);
  };
  return Object.assign(wrapped, theirs, { calls: 0 });
}

/** graphology counts an undirected loop as two arcs, of which one has no weight: NaN if the last node has no edges. */
function hasNaN(graph: Graph): boolean {
  const last = graph.nodes().at(-1)!;
  return graph.undirectedSelfLoopCount > 0 && graph.outboundEdges(last).length === 0;
}

describe('graphology', () => {
  const options = fc.record(
    {
      alpha: fc.constantFrom(0, 0.5, 0.9, 1),
      tolerance: fc.constantFrom(1e-3, 1e-9),
      maxIterations: fc.constantFrom(3, 1000),
      getEdgeWeight: fc.constantFrom<Any>(null, 'weight', 'other', (_edge: string, { weight = 2 }: Any) => weight + 1),
      normalize: fc.boolean(),
    },
    { requiredKeys: [] },
  );

  it.each(['pagerank', 'eigenvector', 'hits'] as const)('%s: scores, options and errors', (name) => {
    const theirs = centrality[name] as Any;
    const own = counted(theirs);
    const ours = accelerate(engine, { [name]: own })[name] as unknown as typeof own;
    const accelerated = accelerate(engine, { [name]: own }, ALWAYS)[name] as Any;
    fc.assert(
      fc.property(randomGraph, options, (given, options) => {
        const graph = graphologyOf(given);
        fc.pre(name === 'hits' || !hasNaN(graph));
        const expected = outcome(() => theirs(graph, options));
        const before = own.calls;
        expectClose(
          outcome(() => accelerated(graph, options)),
          expected,
        );
        // What the library refuses is left to it, and nothing else.
        expect(own.calls - before).toBe(typeof expected === 'string' ? 1 : 0);
      }),
      RUNS,
    );
    const before = own.calls;
    expectClose(accelerated(friends()), theirs(friends()));
    expect(own.calls).toBe(before);
    // By default a small graph is left to the library.
    ours(graphologyOf({ type: 'directed', multi: false, nodes: 3, edges: [{ ends: [0, 1], isUndirected: false }] }), {
      tolerance: 1,
    });
    expect(own.calls).toBe(before + 1);
  });

  it('assign writes the same attributes', () => {
    const [ours, theirs] = [0, 1].map(() => friends());
    const fast = accelerate(engine, centrality, ALWAYS);
    const steps: [typeof fast, Graph][] = [
      [fast, ours!],
      [centrality, theirs!],
    ];
    for (const [functions, graph] of steps) {
      functions.pagerank.assign(graph);
      functions.eigenvector.assign(graph, { nodeCentralityAttribute: 'score' } as Any);
      functions.hits.assign(graph, { nodeHubAttribute: 'h' });
    }
    expect(Object.keys(theirs!.getNodeAttributes('a'))).toEqual(['pagerank', 'score', 'authority', 'h']);
    for (const node of theirs!.nodes())
      expectClose(sorted(ours!.getNodeAttributes(node)), sorted(theirs!.getNodeAttributes(node)));
  });

  it('leaves empty graphs, what is no graph, and other functions to the library', () => {
    const fast = accelerate(engine, centrality, ALWAYS);
    expect(fast.betweenness).toBe(centrality.betweenness);
    for (const graph of [new Graph(), 17, null, {}] as Any[])
      for (const name of ['pagerank', 'eigenvector', 'hits'] as const)
        expect(outcome(() => fast[name](graph))).toEqual(outcome(() => centrality[name](graph)));
    expectClose(fast.pagerank(friends(), null as Any), centrality.pagerank(friends(), null as Any));
  });

  it('an error of the function of weights is the error', () => {
    const fast = accelerate(engine, centrality, ALWAYS);
    const getEdgeWeight = () => {
      throw new RangeError('no weight');
    };
    expect(() => fast.pagerank(friends(), { getEdgeWeight })).toThrow(RangeError);
  });

  it('computes where an undirected loop and a last node without edges keep graphology from it', () => {
    const graph = new Graph({ type: 'undirected' });
    graph.mergeEdge('a', 'b');
    graph.mergeEdge('a', 'a');
    graph.addNode('c');
    expect(() => centrality.pagerank(graph)).toThrow('failed to converge');
    const ranks = accelerate(engine, centrality, ALWAYS).pagerank(graph);
    expect(Object.values(ranks).reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 12);
  });

  it('keeps nothing in the heap', () => {
    const before = engine.heap.bytesInUse;
    const fast = accelerate(engine, centrality, ALWAYS);
    for (const name of ['pagerank', 'eigenvector', 'hits'] as const) fast[name](friends());
    expect(() => fast.pagerank(friends(), { maxIterations: 1, tolerance: 1e-12 } as Any)).toThrow();
    expect(engine.heap.bytesInUse).toBe(before);
  });

  it('is the library itself when the engine is disposed', async () => {
    const own = counted(centrality.pagerank as Any);
    const other = await createEngine({ threads: 1 });
    const { pagerank: ours } = accelerate(other, { pagerank: own as Any }, ALWAYS);
    const ranks = ours(friends());
    expect(own.calls).toBe(0);
    await other.dispose();
    expectClose(ours(friends()), ranks);
    expect(own.calls).toBe(1);
  });

  it('refuses a wrong minSize', () => {
    expect(() => accelerate(engine, centrality, { minSize: -1 })).toThrow(
      'minSize: expected a number from 0 on, got -1',
    );
  });
});

function friends(): Graph {
  const graph = new Graph();
  for (const [source, target] of ['ab', 'bc', 'ca', 'cd', 'da', 'ea']) graph.mergeEdge(source!, target!);
  return graph;
}

const sorted = (attributes: object) => Object.fromEntries(Object.entries(attributes).sort());

describe('ngraph', () => {
  const ngraphRank = require('ngraph.pagerank');
  const ngraphHits = require('ngraph.hits');

  it('pagerank', () => {
    const own = counted(ngraphRank);
    const fast = accelerate(engine, { pagerank: own as Any }, ALWAYS);
    const parameters = fc.constantFrom([], [0.5], [0.9, 1e-9], ['x', null]);
    fc.assert(
      fc.property(randomGraph, parameters, (given, rest) => {
        const graph = ngraphOf(given);
        expectClose(fast.pagerank(graph, ...rest), ngraphRank(graph, ...rest));
      }),
      RUNS,
    );
    expect(own.calls).toBe(0);
    expect(fast.pagerank(ngraphOf({ ...NOTHING, nodes: 0 }))).toEqual({});
  });

  it('hits', () => {
    const own = counted(ngraphHits);
    const fast = accelerate(engine, { hits: own as Any }, ALWAYS);
    fc.assert(
      fc.property(randomGraph, fc.constantFrom([], [1e-3]), (given, rest) => {
        fc.pre(given.edges.length > 0);
        const graph = ngraphOf(given);
        expectClose(fast.hits(graph, ...rest), ngraphHits(graph, ...rest));
      }),
      RUNS,
    );
    expect(own.calls).toBe(0);
  });
});

const NOTHING: RandomGraph = { type: 'directed', multi: false, nodes: 1, edges: [] };

describe('cytoscape', () => {
  const own = counted((elements: ReturnType<Core['elements']>, options?: Any): Any => elements.pageRank(options));
  const weight = (edge: EdgeSingular) => edge.data('weight') ?? 1;
  const options = fc.record(
    {
      dampingFactor: fc.constantFrom(0.5, 0.9),
      precision: fc.constantFrom(1e-3, 1e-20),
      iterations: fc.constantFrom(1, 2, 500),
      weight: fc.constant(weight),
    },
    { requiredKeys: [] },
  );

  it('pageRank', () => {
    const fast = accelerate(engine, { pagerank: own }, ALWAYS);
    fc.assert(
      fc.property(randomGraph, options, (given, options) => {
        const cy = cytoscapeOf(given);
        const [got, expected] = [fast.pagerank(cy.elements(), options), cy.elements().pageRank(options)];
        for (const node of cy.nodes().toArray()) {
          expectClose(got.rank(node), expected.rank(node));
          expectClose(got.rank(`#${node.id()}`), expected.rank(`#${node.id()}` as Any));
        }
      }),
      RUNS,
    );
    expect(own.calls).toBe(0);
    fast.pagerank(cytoscapeOf(NOTHING).elements(), { iterations: 0 });
    expect(own.calls).toBe(1);
  });

  it('leaves edges out whose ends are not in the collection', () => {
    const edges = [
      [0, 1],
      [1, 0],
      [1, 2],
    ].map((ends) => ({ ends: ends as [number, number], isUndirected: false }));
    const cy = cytoscapeOf({ ...NOTHING, nodes: 3, edges });
    const { rank } = accelerate(engine, { pagerank: own }, ALWAYS).pagerank(cy.elements().difference('#n2'));
    expectClose([rank('#n0'), rank('#n1'), rank('#n2')], [0.5, 0.5, undefined]);
  });
});
