/**
 * The first places of UMAP: eigenvectors of the normalized Laplacian of its fuzzy graph of nearest neighbours. umap-js starts from random places
 * instead (its issue 47), from which clusters that are far apart may not find their neighbours.
 *
 * The points are cells of a development, say: a tree of clusters in 20 dimensions, with a few points on the way from each cluster to the one it comes from.
 *
 * Source: McInnes, Healy & Melville 2018, "UMAP", algorithms 1 to 4.
 *
 * usage: node examples/umap-initialization/umap-initialization.mjs [FILE.svg]     (in a program: import from 'sparlane')
 */
import { CsrBuilder, createEngine, eigs, laplacian } from '#dist/index.node.js';
import { COLOURS, dots, fitted, writeSvg } from '../svg.mjs';

const DIMENSIONS = 20;
const NEIGHBOURS = 15;
const PER_CLUSTER = 220;
const ON_THE_WAY = 60;
/** The cluster from which each one comes; the first one is the root. */
const ORIGINS = [undefined, 0, 1, 1, 0, 4, 4, 0];

const print = (line) => void process.stdout.write(`${line}\n`);
const timed = (work) => {
  const begin = performance.now();
  return [work(), `${(performance.now() - begin).toFixed(0)} ms`];
};

let state = 7;
const draw = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
/** Nearly normal, with mean 0 and variance 1. */
const normal = () => Math.sqrt(3) * (draw() + draw() + draw() + draw() - 2);
const random = (at, spread) => at.map((value) => value + spread * normal());

/** The points, and the cluster of each. */
function clusters() {
  const centres = [];
  const points = [];
  const labels = [];
  ORIGINS.forEach((origin, label) => {
    const from = centres[origin] ?? Array(DIMENSIONS).fill(0);
    const centre = random(from, origin === undefined ? 0 : 1.8);
    centres.push(centre);
    for (let k = 0; k < PER_CLUSTER; k++) {
      const way = k < ON_THE_WAY ? k / ON_THE_WAY : 1;
      const place = centre.map((value, axis) => from[axis] + way * (value - from[axis]));
      points.push(Float64Array.from(random(place, 0.7)));
      labels.push(label);
    }
  });
  return { points, labels };
}

/** The nearest neighbours of each point, the nearest first, with their distances: by all distances, since there are few points. */
function nearest(points, count) {
  return points.map((point, i) => {
    const all = points.map((other, j) => ({ j, distance: distance(point, other) }));
    all[i].distance = Infinity;
    return all.sort((a, b) => a.distance - b.distance).slice(0, count);
  });
}

function distance(a, b) {
  let sum = 0;
  for (let axis = 0; axis < a.length; axis++) sum += (a[axis] - b[axis]) ** 2;
  return Math.sqrt(sum);
}

/** How much each neighbour belongs to a point: 1 for the nearest; σ is such that they sum to log₂ k. */
function memberships(neighbours) {
  const rho = neighbours[0].distance;
  const at = (sigma) => neighbours.map((other) => Math.exp(-(other.distance - rho) / sigma));
  let [low, high] = [0, 1e3];
  for (let step = 0; step < 64; step++) {
    const sigma = (low + high) / 2;
    if (at(sigma).reduce((sum, weight) => sum + weight, 0) > Math.log2(neighbours.length)) high = sigma;
    else low = sigma;
  }
  return at(high);
}

/** The fuzzy union of both directions, a + b − a b. */
function fuzzyGraph(neighbours) {
  const directed = neighbours.map((list) => {
    const weights = memberships(list);
    return new Map(list.map(({ j }, k) => [j, weights[k]]));
  });
  const graph = new CsrBuilder(directed.length, directed.length);
  directed.forEach((row, i) => {
    for (const [j, a] of row) {
      const b = directed[j].get(i) ?? 0;
      const weight = a + b - a * b;
      graph.add(i, j, weight);
      if (b === 0) graph.add(j, i, weight);
    }
  });
  return graph.build();
}

/** The share of the neighbours in the plane that are of the same cluster. */
function kept(places, labels) {
  const same = nearest(places, NEIGHBOURS).map((list, i) => list.filter(({ j }) => labels[j] === labels[i]).length);
  return same.reduce((sum, count) => sum + count, 0) / (places.length * NEIGHBOURS);
}

const { points, labels } = clusters();
const [neighbours, searchTime] = timed(() => nearest(points, NEIGHBOURS));
const [graph, graphTime] = timed(() => fuzzyGraph(neighbours));
print(
  `${points.length} points, ${graph.nnz} entries in the graph: neighbours in ${searchTime}, the graph in ${graphTime}`,
);

const engine = await createEngine();
const [found, eigenTime] = timed(() => eigs(engine, laplacian(graph, { normalized: true }), 3));
const { values, vectors, residualNorms, decision } = found;
const numbers = Array.from(values, (value) => value.toExponential(3)).join(', ');
print(`eigenvalues ${numbers} in ${eigenTime} by ${decision.method} (${found.reason})`);
print(`residuals ${Array.from(residualNorms, (norm) => norm.toExponential(1)).join(', ')}`);
// An eigenvalue 0 for each connected part: their vectors tell parts apart, and nothing else.
if (!(values[1] > 1e-8)) throw new Error('expected a connected graph: take more neighbours, or place each part alone');

/** As UMAP has it: the largest coordinate is 10. The sign of a vector is open: its largest element is positive here. */
const columns = vectors.toArray({ order: 'column' });
const axes = [1, 2].map((k) => {
  const column = columns.subarray(k * vectors.length, (k + 1) * vectors.length);
  const largest = column.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  return column.map((value) => (10 * value) / largest);
});
vectors.dispose();
await engine.dispose();
const places = points.map((_, i) => [axes[0][i], axes[1][i]]);
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const atRandom = places.map(() => [draw(), draw()]);
print(
  `neighbours in the plane of the same cluster: ${percent(kept(places, labels))}; of random places ${percent(kept(atRandom, labels))}`,
);

const file = process.argv[2];
if (file !== undefined) {
  const [width, height] = [560, 400];
  const drawn = fitted(places, { left: 10, top: 10, width: width - 20, height: height - 20 });
  const label = `${points.length} points of ${ORIGINS.length} clusters at the first places of UMAP`;
  const ofCluster = (_, cluster) =>
    dots(
      drawn.filter((__, i) => labels[i] === cluster),
      COLOURS[cluster],
      3,
    );
  writeSvg(file, { width, height, label }, ORIGINS.map(ofCluster));
  print(`wrote ${file}`);
}
