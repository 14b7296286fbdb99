import { addMatrices, CsrBuilder, createEngine, scaleMatrix, sumsOf } from 'sparlane';

// Two circles of 50 friends each, with one friendship between them.
const nodes = 100;
const friends = new CsrBuilder(nodes, nodes);
const befriend = (a, b) => friends.addAll([a, b], [b, a], [1, 1]);
for (let i = 0; i < 50; i++) {
  for (const distance of [1, 2, 3]) {
    befriend(i, (i + distance) % 50);
    befriend(50 + i, 50 + ((i + distance) % 50));
  }
}
befriend(0, 50);

// Â = D^(−1/2) (A + I) D^(−1/2), Kipf & Welling 2017
const loops = new CsrBuilder(nodes, nodes);
for (let i = 0; i < nodes; i++) loops.add(i, i, 1);
const withLoops = addMatrices(friends.build(), loops.build());
const factors = sumsOf(withLoops, 'rows').map((degree) => 1 / Math.sqrt(degree));
const graph = scaleMatrix(withLoops, { rows: factors, cols: factors });

// Eight features for each node. Nodes 10 and 60 are labelled, in features 0 and 1; the layers spread the labels.
const engine = await createEngine();
const A = engine.operator(graph, { dtype: 'f32', columns: 8 });
let H = engine.vector(nodes, { columns: 8, dtype: 'f32' });
const numbers = new Float32Array(8 * nodes);
numbers[8 * 10 + 0] = 1;
numbers[8 * 60 + 1] = 1;
H.set(numbers);
let next = H.like();
for (let layer = 0; layer < 40; layer++) {
  A.apply(H, next); // all features in one pass over the graph
  [H, next] = [next, H];
}
const features = H.toArray();
const isFirst = Array.from({ length: nodes }, (_, i) => features[8 * i] > features[8 * i + 1]);
console.log('of the first circle like node 10: ', isFirst.slice(0, 50).filter(Boolean).length);
console.log('of the second circle like node 60:', isFirst.slice(50).filter((first) => !first).length);
