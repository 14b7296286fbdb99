/**
 * UMAP by umap-js from random places and from a spectral start (`spectral-umap.mjs`), after the same number of epochs.
 *
 * The points are cells of a development, say: a tree of clusters in 20 dimensions, with a few points on the way from each cluster to the one it comes from.
 *
 * Sources: McInnes, Healy & Melville 2018, "UMAP"; Venna & Kaski 2001, "Neighborhood preservation in nonlinear projection methods" (trustworthiness).
 *
 * usage: node examples/umap-initialization/umap-initialization.mjs [FILE.svg] [EPOCHS,…]     (in a program: import from 'sparlane')
 *   FILE     a picture of the spectral start
 *   EPOCHS   the numbers of epochs to compare; default 20
 */
import { UMAP } from 'umap-js';
import { createEngine } from '#dist/index.node.js';
import { COLOURS, dots, fitted, writeSvg } from '../svg.mjs';
import { SpectralUMAP } from './spectral-umap.mjs';

const DIMENSIONS = 20;
const NEIGHBOURS = 15;
const PER_CLUSTER = 60;
const ON_THE_WAY = 16;
/** The cluster from which each one comes; the first one is the root. */
const ORIGINS = [undefined, 0, 1, 1, 0, 4, 4, 0];
/** Results of umap-js depend on its random numbers. */
const SEEDS = [1, 2];

const print = (line) => void process.stdout.write(`${line}\n`);

/** Random numbers from 0 to 1. */
function randomStream(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const draw = randomStream(7);
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
      points.push(random(place, 0.7));
      labels.push(label);
    }
  });
  return { points, labels };
}

const distance = (a, b) => Math.sqrt(a.reduce((sum, value, axis) => sum + (value - b[axis]) ** 2, 0));
const distancesOf = (places) => places.map((place) => places.map((other) => distance(place, other)));
/** The other points, the nearest first. */
const byDistance = (distances, i) =>
  distances
    .map((_, j) => j)
    .filter((j) => j !== i)
    .sort((j, k) => distances[j] - distances[k]);
const mean = (numbers) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;

/** How near the neighbours in the plane are among the neighbours in space: 1 if they are the same. */
function trustworthiness(ranks, distances) {
  const [n, k] = [distances.length, NEIGHBOURS];
  let sum = 0;
  for (let i = 0; i < n; i++)
    for (const j of byDistance(distances[i], i).slice(0, k)) sum += Math.max(0, ranks[i][j] + 1 - k);
  return 1 - (2 / (n * k * (2 * n - 3 * k - 1))) * sum;
}

/** Pearson's correlation of all distances in space with those in the plane: 1 if the whole is in place. */
function correlation(a, b) {
  const [x, y] = [a.flat(), b.flat()];
  const [meanX, meanY] = [mean(x), mean(y)];
  let [xx, xy, yy] = [0, 0, 0];
  for (let k = 0; k < x.length; k++) {
    const [dx, dy] = [x[k] - meanX, y[k] - meanY];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  return xy / Math.sqrt(xx * yy);
}

const { points, labels } = clusters();
const distances = distancesOf(points);
const ranks = distances.map((row, i) => {
  const rank = [];
  for (const [r, j] of byDistance(row, i).entries()) rank[j] = r;
  return rank;
});
const nearest = distances.map((row, i) => [i, ...byDistance(row, i).slice(0, NEIGHBOURS - 1)]);

const [file, epochs = '20'] = process.argv.slice(2);
const engine = await createEngine();
const STARTS = {
  random: (parameters) => new UMAP(parameters),
  spectral: (parameters) => new SpectralUMAP(engine, parameters),
};

/** A fit of which no epoch has run. */
function begun(start, seed, nEpochs) {
  const umap = STARTS[start]({ nNeighbors: NEIGHBOURS, nEpochs, random: randomStream(seed) });
  umap.setPrecomputedKNN(
    nearest,
    nearest.map((list, i) => list.map((j) => distances[i][j])),
  );
  const from = performance.now();
  umap.initializeFit(points);
  return { umap, startMs: performance.now() - from };
}

const { umap: first } = begun('spectral', SEEDS[0], 1);
const places = first.getEmbedding().map((place) => [...place]);
const { values, residualNorms, decision, reason } = first.found;
print(`${points.length} points, ${first.graph.getValues().filter(Boolean).length} entries in the graph`);
print(
  `eigenvalues ${Array.from(values, (value) => value.toExponential(3)).join(', ')} by ${decision.method} (${reason})`,
);
print(`residuals ${Array.from(residualNorms, (norm) => norm.toExponential(1)).join(', ')}`);
print('epochs  start     trustworthiness  correlation of distances, least and greatest  ms to start  ms of epochs');
for (const count of epochs.split(',').map(Number))
  for (const start of Object.keys(STARTS)) {
    const fits = SEEDS.map((seed) => {
      const { umap, startMs } = begun(start, seed, count);
      const from = performance.now();
      for (let epoch = 0; epoch < count; epoch++) umap.step();
      const epochsMs = performance.now() - from;
      const inPlane = distancesOf(umap.getEmbedding());
      const trust = trustworthiness(ranks, inPlane);
      return { startMs, epochsMs, trust, whole: correlation(distances, inPlane) };
    });
    const of = (name, places) => mean(fits.map((fit) => fit[name])).toFixed(places);
    const whole = fits.map((fit) => fit.whole);
    const range = [Math.min(...whole), Math.max(...whole)].map((value) => value.toFixed(3));
    const numbers = [of('trust', 4), of('whole', 3), ...range, of('startMs', 0), of('epochsMs', 0)];
    print(`${String(count).padEnd(6)}  ${start.padEnd(8)}  ${numbers.join('  ')}`);
  }
await engine.dispose();

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
