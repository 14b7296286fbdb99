/**
 * Functions of graphology, ngraph, cytoscape and NetworkX beside @sparlane/graphs, in turn: scores from the graph object, with all that belongs to
 * it (reading the graph, the matrix, the steps, the object of scores), each the median of the rounds. Results are compared before they are timed.
 * NetworkX (`nx.pagerank`, which computes with SciPy) has its own graph object, of the same edges, in a process of its own. Ratios: ours / theirs.
 *
 * `large`: PageRank of graphs with `nodes` and `edges`: of uniform ends, and of ends with a power law. `small`: from what size on it pays, with ten
 * edges for each node.
 *
 * usage: npx bench graphs [--parts large,small] [--ends uniform,power] [--nodes 200000] [--edges 2000000] [--rounds 5] [--threads 2]
 *        (after `npm run build`; PYTHON names an interpreter that has NetworkX and SciPy, default python3; without them their column is empty)
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { accelerate, communities } from '@sparlane/graphs';
import { createEngine } from '../dist/node/index.js';
import { print } from './contenders.mjs';
import { drawFrom } from './draw.mjs';
import { printMachine, printRow } from './operations.mjs';
import { cpuMs, median, takeTurns } from './times.mjs';

const require = createRequire(import.meta.url);
const { DirectedGraph, UndirectedGraph } = require('graphology');
const centrality = require('graphology-metrics/centrality');
const louvain = require('graphology-communities-louvain');
const createGraph = require('ngraph.graph');
const cytoscape = require('cytoscape');

const { values: flags } = parseArgs({
  options: {
    parts: { type: 'string', default: 'large,small' },
    ends: { type: 'string', default: 'uniform,power' },
    nodes: { type: 'string', default: '200000' },
    edges: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '5' },
    threads: { type: 'string', default: '2' },
  },
});
const ROUNDS = Number(flags.rounds);

/** Returns the ends of different edges without loops, in random order. An end is node ⌊n uᵖ⌋, shuffled, for a uniform u and a power p of each end. */
function drawEdges(nodes, edges, powers) {
  const random = drawFrom(1);
  const order = Uint32Array.from({ length: nodes }, (_, i) => i);
  for (let i = nodes - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  const draw = (power) => order[Math.floor(nodes * random() ** power)];
  const known = new Set();
  const ends = new Uint32Array(2 * edges);
  for (let k = 0; k < edges; ) {
    const [source, target] = powers.map(draw);
    const key = source * nodes + target;
    if (source === target || known.has(key)) continue;
    known.add(key);
    ends.set([source, target], 2 * k++);
  }
  return ends;
}

function graphologyOf(nodes, ends, Graph = DirectedGraph) {
  const graph = new Graph();
  const keys = Array.from({ length: nodes }, (_, i) => `n${i}`);
  for (const key of keys) graph.addNode(key);
  for (let k = 0; k < ends.length; k += 2) graph.mergeEdge(keys[ends[k]], keys[ends[k + 1]]);
  return graph;
}

function ngraphOf(nodes, ends) {
  const graph = createGraph();
  for (let i = 0; i < nodes; i++) graph.addNode(i);
  for (let k = 0; k < ends.length; k += 2) graph.addLink(ends[k], ends[k + 1]);
  return graph;
}

function cytoscapeOf(nodes, ends) {
  const elements = Array.from({ length: nodes }, (_, i) => ({ data: { id: `n${i}` } }));
  for (let k = 0; k < ends.length; k += 2)
    elements.push({ data: { id: `e${k}`, source: `n${ends[k]}`, target: `n${ends[k + 1]}` } });
  return cytoscape({ headless: true, elements }).elements();
}

const PYTHON = `
import sys, time
try:
    import networkx as nx, numpy as np, scipy
except ImportError:
    print('none', flush=True); sys.exit()
nodes, path = int(sys.argv[1]), sys.argv[2]
ends = np.fromfile(path, dtype=np.uint32).reshape(-1, 2)
keys = ['n%d' % i for i in range(nodes)]
G = nx.DiGraph()
G.add_nodes_from(keys)
G.add_edges_from((keys[i], keys[j]) for i, j in ends.tolist())
print(nx.__version__, scipy.__version__, flush=True)
for line in sys.stdin:
    start, cpu = time.perf_counter(), time.process_time()
    ranks = nx.pagerank(G)
    print((time.perf_counter() - start) * 1e3, (time.process_time() - cpu) * 1e3, *(repr(float(ranks[key])) for key in keys[:100]), flush=True)
`;

/** Starts NetworkX with its graph of these edges. Returns undefined where it is not installed. */
async function openNetworkX(nodes, ends) {
  const folder = mkdtempSync(join(tmpdir(), 'sparlane-graphs-'));
  const file = join(folder, 'ends');
  writeFileSync(file, new Uint8Array(ends.buffer));
  const child = spawn(process.env.PYTHON ?? 'python3', ['-c', PYTHON, String(nodes), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1' },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: version } = await lines.next();
  rmSync(folder, { recursive: true });
  if (version === undefined || version === 'none') return undefined;
  const rank = async () => {
    child.stdin.write('rank\n');
    const [ms, cpuMs, ...first] = (await lines.next()).value.split(' ').map(Number);
    return { times: [ms, cpuMs], first };
  };
  return { version, rank, close: () => child.stdin.end() };
}

/** @throws Error if scores differ by more than rounding */
function checkScores(what, got, expected) {
  for (const [key, score] of Object.entries(expected)) {
    if (typeof score === 'object') checkScores(`${what} ${key}`, got[key], score);
    else if (!(Math.abs(got[key] - score) <= 1e-9 * Math.max(1e-6, Math.abs(score))))
      throw new Error(`${what}: expected ${score} for ${key}, got ${got[key]}`);
  }
}

/** The garbage of one contender, among millions of objects of a graph, is collected before the turn of the next one. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** Returns the milliseconds that a call takes by the clock, and those of all threads. */
async function timed(run) {
  collect();
  const [start, cpu] = [performance.now(), cpuMs()];
  await run();
  return [performance.now() - start, cpuMs() - cpu];
}

/** Returns the medians of the times of calls, which are made in turn. @param calls functions that return lists of milliseconds, of several clocks */
async function medians(calls, rounds = ROUNDS) {
  const times = calls.map(() => []);
  await takeTurns(
    calls.map((call, c) => ({ turn: async () => void times[c].push(await call()) })),
    rounds,
  );
  return times.map((ofCall) => ofCall[0].map((_, clock) => median(ofCall.map((round) => round[clock]))));
}

/** Returns ours / theirs for each clock, as text. */
const ratio = (ours, theirs) => ours.map((ms, clock) => (ms / theirs[clock]).toFixed(3)).join(' ');

/** By these powers of a uniform number the source and the target of an edge are drawn. */
const ENDS = { uniform: [1, 1], power: [2, 3] };

async function large() {
  const [nodes, edges, threads] = [Number(flags.nodes), Number(flags.edges), Number(flags.threads)];
  print(`${nodes} nodes, ${edges} edges; by the clock, and time of all threads`);
  for (const name of flags.ends.split(',')) {
    const ends = drawEdges(nodes, edges, ENDS[name]);
    const graph = graphologyOf(nodes, ends);
    const networkX = await openNetworkX(nodes, ends);
    const engine = await createEngine({ threads });
    const { pagerank } = accelerate(engine, { pagerank: neverCalled });
    const ranks = pagerank(graph);
    checkScores('graphology', ranks, centrality.pagerank(graph));
    if (networkX !== undefined) {
      const { first } = await networkX.rank();
      checkScores('NetworkX', ranks, Object.fromEntries(first.map((score, i) => [`n${i}`, score])));
    }
    const withEngine = async () => {
      const fresh = await createEngine({ threads });
      accelerate(fresh, { pagerank: neverCalled }).pagerank(graph);
      await fresh.dispose();
    };
    const calls = [() => pagerank(graph), withEngine, () => centrality.pagerank(graph)].map((run) => () => timed(run));
    if (networkX !== undefined) calls.push(async () => (await networkX.rank()).times);
    const [ours, started, graphology, byNetworkX] = await medians(calls);
    print(`${name} ends, PageRank: ${ours.map((ms) => `${ms.toFixed(0)} ms`).join(', ')}`);
    print(`  / graphology ${ratio(ours, graphology)}; with an engine of its own ${ratio(started, graphology)}`);
    if (networkX !== undefined) {
      print(
        `  / NetworkX ${networkX.version} ${ratio(ours, byNetworkX)}; with an engine of its own ${ratio(started, byNetworkX)}`,
      );
      networkX.close();
    }
    await engine.dispose();
    const undirected = graphologyOf(nodes, ends, UndirectedGraph);
    const runs = [() => communities(undirected), () => louvain(undirected)].map((run) => () => timed(run));
    const [own, theirs] = await medians(runs, Math.min(3, ROUNDS));
    print(`  communities / graphology-communities-louvain ${ratio(own, theirs)}`);
  }
}

/** Throws in the place of a library's own function: a call that `accelerate` leaves to the library would be timed as ours. */
function neverCalled() {
  throw new Error('expected a graph that the engine computes');
}

const SIZES = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
/** cytoscape's PageRank has a dense matrix: for more nodes it takes seconds. */
const MOST_DENSE = 1000;
/** A contender is called again and again for so many ms in each round. Chosen. */
const TURN_MS = 100;

/** Returns the milliseconds of all threads that a call takes, in the mean of a turn. */
function mean(call) {
  const end = performance.now() + TURN_MS;
  const start = cpuMs();
  let calls = 0;
  do call();
  while (++calls && performance.now() < end);
  return (cpuMs() - start) / calls;
}

async function small() {
  const engine = await createEngine({ threads: Number(flags.threads) });
  const pageRank = (elements, options) => elements.pageRank(options);
  const CASES = {
    'graphology pagerank': [graphologyOf, 'pagerank', centrality.pagerank],
    'graphology eigenvector': [graphologyOf, 'eigenvector', centrality.eigenvector],
    'graphology hits': [graphologyOf, 'hits', centrality.hits, { tolerance: 1e-4 }],
    'ngraph pagerank': [ngraphOf, 'pagerank', require('ngraph.pagerank')],
    'ngraph hits': [ngraphOf, 'hits', require('ngraph.hits')],
    'cytoscape pageRank': [cytoscapeOf, 'pagerank', pageRank],
  };
  print('\nours / theirs, time of all threads, by the number of nodes with ten edges each');
  printRow(['', ...SIZES], 8);
  for (const [what, [make, name, theirs, ...options]] of Object.entries(CASES)) {
    const cells = [];
    for (const nodes of SIZES) {
      if (make === cytoscapeOf && nodes > MOST_DENSE) break;
      const graph = make(nodes, drawEdges(nodes, 10 * nodes, [1, 2]));
      const ours = accelerate(engine, { [name]: neverCalled }, { minSize: 0 })[name];
      if (make !== cytoscapeOf) checkScores(what, ours(graph, ...options), theirs(graph, ...options));
      const calls = [() => [mean(() => ours(graph, ...options))], () => [mean(() => theirs(graph, ...options))]];
      cells.push(ratio(...(await medians(calls))));
    }
    printRow([what.padEnd(24), ...cells], 8);
  }
  await engine.dispose();
}

printMachine();
const PARTS = { large, small };
for (const part of flags.parts.split(',')) await PARTS[part]();
