/**
 * One layer of a graph network: every node's features are replaced by the sum of its neighbours' features, S ← A H, with A the
 * graph (65 536 nodes, 956 k edges) and H a block of 64 features for each node, in f32. The matrix is read once for all
 * features; beside it, the same with one product for each feature.
 *
 * usage: node examples/graph-features/graph-features.mjs     (in a program: import from 'sparlane')
 */
import { createEngine, gallery } from '#dist/index.node.js';

const print = (line) => void process.stdout.write(`${line}\n`);

const FEATURES = 64;
const LAYERS = 20;

const engine = await createEngine();
const graph = gallery('rmat', { scale: 16 });
const adjacency = engine.operator(graph, { dtype: 'f32', columns: FEATURES });

const numbers = Float32Array.from({ length: graph.cols * FEATURES }, (_, k) => Math.sin(k));
const features = engine.vector(numbers, { columns: FEATURES, dtype: 'f32' });
const sums = features.like();

adjacency.apply(features, sums); // the first block product is planned
let start = performance.now();
for (let layer = 0; layer < LAYERS; layer++) adjacency.apply(features, sums);
const blockMs = (performance.now() - start) / LAYERS;

const feature = engine.vector(graph.cols, { dtype: 'f32' });
const sum = engine.vector(graph.rows, { dtype: 'f32' });
start = performance.now();
for (let j = 0; j < FEATURES; j++) {
  features.copyColumnTo(j, feature);
  adjacency.apply(feature, sum);
}
const singleMs = performance.now() - start;

print(`${graph.rows} nodes, ${graph.nnz} edges, ${FEATURES} features, ${adjacency}`);
print(`one product of blocks: ${blockMs.toFixed(1)} ms; a product for each feature: ${singleMs.toFixed(1)} ms`);

// The last feature was computed both ways, with the same bits.
const last = sums.copyColumnTo(FEATURES - 1, feature) && feature.toArray();
print(`equal: ${sum.toArray().every((value, i) => value === last[i])}`);
await engine.dispose();
